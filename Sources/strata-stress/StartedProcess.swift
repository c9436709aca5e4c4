import Foundation

/// A process with its input and its output, by default of this program.
struct StartedProcess {
  let process: Process
  private let input: FileHandle
  let output: LineReader

  /// - Parameters:
  ///   - program: the program to start.
  ///   - printsErrors: whether the errors of the process are printed.
  init(
    _ arguments: [String], of program: URL? = Bundle.main.executableURL, printsErrors: Bool = true
  ) throws {
    process = Process()
    process.executableURL = program
    process.arguments = arguments
    if !printsErrors { process.standardError = FileHandle.nullDevice }
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    self.input = input.fileHandleForWriting
    self.output = LineReader(output.fileHandleForReading)
  }

  /// Writes a line to the process, unless the process has ended.
  func send(_ line: String) {
    // A write to a process that has ended must not end this process.
    signal(SIGPIPE, SIG_IGN)
    try? input.write(contentsOf: Data((line + "\n").utf8))
  }

  func closeInput() { try? input.close() }

  /// Closes the input and waits for the end of the process.
  func end() {
    closeInput()
    process.waitUntilExit()
  }

  /// Kills the process and waits for its end.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
