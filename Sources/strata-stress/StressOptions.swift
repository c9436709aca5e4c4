import Foundation

/// The options of a call, each with a value: `--name N`.
struct StressOptions {
  private let command: StressCommand
  private var values: [String: String] = [:]

  /// Reads the options of a call. Ends the program if the command does not have them.
  init(_ arguments: ArraySlice<String>, of command: StressCommand) {
    self.command = command
    let allowed = command.options.matches(of: /--[a-z]+/).map { String($0.output) }
    var rest = arguments
    while let name = rest.popFirst() {
      guard allowed.contains(name) else { fail("\(command.name) has no option \(name)", command) }
      guard values[name] == nil else { fail("\(name) is there twice", command) }
      guard let value = rest.popFirst() else { fail("\(name) takes a value", command) }
      values[name] = value
    }
  }

  func text(_ name: String) -> String? { values[name] }

  func number(_ name: String) -> UInt64? {
    values[name].map { value in
      UInt64(value) ?? { fail("\(name) takes a number, not \(value)", command) }()
    }
  }

  func count(_ name: String) -> Int? { number(name).map { Int(clamping: $0) } }

  func flag(_ name: String) -> Bool? { number(name).map { $0 != 0 } }

  /// Returns the case with the given number.
  func choice<Choice: CaseIterable>(of type: Choice.Type, _ name: String) -> Choice? {
    number(name).map { number in
      let all = Array(Choice.allCases)
      guard number < all.count else { fail("\(name) is less than \(all.count)", command) }
      return all[Int(number)]
    }
  }

  /// Returns the seed that is given, or another one, and prints it.
  func seed(_ usual: UInt64) -> UInt64 {
    let seed = number("--seed") ?? usual
    printSeed(seed)
    return seed
  }

  /// Returns the limits that `--seeds` or `--histories` and `--minutes` set for a run.
  ///
  /// - Parameter usual: the number of histories if there is neither of the options.
  func limits(_ name: String, _ usual: Int?) -> (count: Int?, seconds: Double?) {
    let minutes = number("--minutes")
    if minutes == 0 { fail("--minutes is at least 1", command) }
    // A century is as good as no limit.
    let seconds = minutes.map { Double(min($0, 100 * 365 * 24 * 60)) * 60 }
    return (count(name) ?? (seconds == nil ? usual : nil), seconds)
  }
}

/// Prints the seed and flushes it, because a process that traps loses its buffered output.
func printSeed(_ seed: UInt64) {
  print("seed \(seed)")
  fflush(nil)
}
