import Foundation
import LocalPostgres

/// A process with its input and its output, by default of this program.
struct StartedProcess {
  private let program: SpawnedProgram
  private let input: FileHandle
  let output: LineReader

  /// - Parameters:
  ///   - program: the program to start.
  ///   - printsErrors: whether the errors of the process are printed.
  init(
    _ arguments: [String], of program: String? = Bundle.main.executablePath,
    printsErrors: Bool = true
  ) throws {
    let (input, output) = (try SpawnedProgram.ClosedPipe(), try SpawnedProgram.ClosedPipe())
    self.program = try SpawnedProgram(
      [program ?? CommandLine.arguments[0]] + arguments, input: .file(input.reading),
      output: .file(output.writing), errors: printsErrors ? .inherited : .nothing)
    try input.reading.close()
    try output.writing.close()
    self.input = input.writing
    self.output = LineReader(output.reading)
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
    program.wait()
  }

  /// Kills the process and waits for its end.
  func kill() {
    program.kill()
    program.wait()
  }
}
