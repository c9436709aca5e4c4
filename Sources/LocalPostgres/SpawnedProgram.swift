package import Foundation

/// A program that this process has started, and whose end it can wait for.
///
/// Only the program itself inherits the files that it is given. A program that inherited the pipe of another one would
/// keep the pipe open, and the reader of the pipe would wait for the end of both programs.
package struct SpawnedProgram: Sendable {
  package enum Stream {
    case inherited
    /// Reads find the end at once, and writes are dropped.
    case nothing
    case file(FileHandle)
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// The two ends of a pipe that no program inherits.
  package struct ClosedPipe {
    package let reading: FileHandle
    package let writing: FileHandle

    package init() throws {
      SpawnedProgram.spawning.lock()
      defer { SpawnedProgram.spawning.unlock() }
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else {
        throw Failure(description: "no pipe: \(String(cString: strerror(errno)))")
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
      writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    }
  }

  package let id: Int32

  /// Held while a program starts, so that it inherits no pipe that is being made.
  private static let spawning = NSLock()

  /// Starts a program.
  ///
  /// - Parameter command: the program, as a path or as a name that is looked up in `PATH`, and its arguments.
  package init(
    _ command: [String], input: Stream = .nothing, output: Stream = .inherited,
    errors: Stream = .inherited
  ) throws {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in [input, output, errors].enumerated() {
      let number = Int32(number)
      switch stream {
      case .inherited: posix_spawn_file_actions_adddup2(&actions, number, number)
      case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      case .file(let file):
        posix_spawn_file_actions_adddup2(&actions, file.fileDescriptor, number)
      }
    }
    let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
    var (arguments, variables) = (command.map { strdup($0) }, environment.map { strdup($0) })
    defer { for text in arguments + variables { free(text) } }
    arguments.append(nil)
    variables.append(nil)
    var id: pid_t = 0
    let result = Self.spawning.withLock {
      posix_spawnp(&id, command[0], &actions, nil, arguments, variables)
    }
    guard result == 0 else {
      throw Failure(description: "\(command[0]): \(String(cString: strerror(result)))")
    }
    self.id = id
  }

  package func kill() { _ = Foundation.kill(id, SIGKILL) }

  /// Waits for the end of the program, in this thread. It is to be called once.
  ///
  /// - Returns: the status with which the program has ended; as shells have it, 128 and the number of the signal for
  ///   one that a signal has ended.
  @discardableResult
  package func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      if errno != EINTR { return -1 }
    }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  /// Runs a program to its end, and returns its output.
  ///
  /// - Throws: ``Failure`` with the errors that the program has printed, if its status is not 0.
  @discardableResult
  package static func run(_ command: [String]) throws -> String {
    // A file has room for any number of errors, while the output is read.
    let errors = FileManager.default.temporaryDirectory.appending(path: "errors-\(UUID()).txt")
    try Data().write(to: errors)
    defer { try? FileManager.default.removeItem(at: errors) }
    let output = try ClosedPipe()
    let program = try SpawnedProgram(
      command, output: .file(output.writing), errors: .file(FileHandle(forWritingTo: errors)))
    try output.writing.close()
    let text = try output.reading.readToEnd() ?? Data()
    guard program.wait() == 0 else {
      let message = try String(decoding: Data(contentsOf: errors), as: UTF8.self)
      throw Failure(description: "\(command.joined(separator: " ").prefix(200)): \(message)")
    }
    return String(decoding: text, as: UTF8.self)
  }
}
