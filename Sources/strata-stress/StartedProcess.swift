import Foundation

/// Another process of this program, its input and its lines.
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

  /// Tells it something, unless it has ended already.
  func tell(_ line: String) {
    // Writing to a process that has ended shall not end this one.
    signal(SIGPIPE, SIG_IGN)
    try? input.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Kills it, and returns when it is gone.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
