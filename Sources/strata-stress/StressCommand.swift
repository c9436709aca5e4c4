import Foundation

/// A command of the program.
struct StressCommand: Sendable {
  let name: String
  /// The options, as the help shows them, such as `[--commits N] [--seed N]`. `N` is a number.
  let options: String
  /// What the command does, with the value of each option that is not given.
  let help: String
  let run: @MainActor @Sendable (StressOptions) async throws -> Report

  init(
    _ name: String, options: String = "", help: String,
    run: @escaping @MainActor @Sendable (StressOptions) async throws -> Report
  ) {
    (self.name, self.options, self.help, self.run) = (name, options, help, run)
  }

  var usage: String { "strata-stress \(name) \(options)\n\n\(help)\n" }
}

/// Ends the program because of a wrong call. The reason is the last line.
func fail(_ message: String, _ command: StressCommand? = nil) -> Never {
  let usage = command.map { $0.usage + "\n" } ?? ""
  FileHandle.standardError.write(Data("\(usage)strata-stress: \(message)\n".utf8))
  exit(2)
}
