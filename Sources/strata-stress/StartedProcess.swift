import Foundation

/// A child process of this program, with its input and its output.
struct StartedProcess {
  let process: Process
  private let input: FileHandle
  let output: LineReader

  init(_ arguments: [String]) throws {
    process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
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

  /// Kills the process and waits for its end.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
