import Strata
import StrataImport

/// Compares the bits of generated numbers as the JSON parser and the standard library read them.
struct NumberStress {
  struct Options {
    var count = 1_000_000
    var seed: UInt64 = 1
  }

  private let options: Options
  private let batchSize = 10_000

  init(_ options: Options) { self.options = options }

  func run() throws -> Report {
    var report = Report(mode: "numbers", counts: ["numbers": options.count, "refused": 0])
    report.require("numbers")
    let watchdog = Watchdog(mode: "numbers")
    var texts = NumberTexts(generator: SplitMix64(seed: options.seed))
    let plan = try JSONPlan([JSONColumn(JSONPath([.index(0)]), .real)])
    for first in stride(from: 0, to: options.count, by: batchSize) {
      watchdog.begin("number \(first)", done: first.share(of: options.count))
      let batch = (0..<min(batchSize, options.count - first)).map { _ in texts.next() }
      var scanner = JSONRecordScanner(.lines, plan: plan)
      let lines = Array(batch.map { "[\($0)]\n" }.joined().utf8)
      lines.withUnsafeBytes { scanner.append($0) }
      scanner.finish()
      var row = ScannedRecord()
      for text in batch {
        let found = real(&scanner, &row)
        if found == nil { report.counts["refused", default: 0] += 1 }
        guard let expected = Double(text), (expected.isFinite ? expected : nil) == found,
          expected.bitPattern == found?.bitPattern ?? expected.bitPattern
        else {
          report.violations.append("\(text) was read as \(found.map { "\($0)" } ?? "nothing")")
          continue
        }
      }
    }
    return report
  }

  /// Returns the next number, or nil if the parser refuses it.
  private func real(_ scanner: inout JSONRecordScanner, _ row: inout ScannedRecord) -> Double? {
    guard (try? scanner.next(&row)) == true, case .real(let value) = row.cells[0] else {
      return nil
    }
    return value
  }
}

extension NumberStress {
  static let command = StressCommand(
    "numbers",
    options: "[--count N] [--seed N]",
    help: """
      N generated numbers (1,000,000), read by the JSON parser and by the standard library.
      Long form: --count 100000000.
      """
  ) { given in
    var options = Options()
    options.count = given.count("--count") ?? options.count
    options.seed = given.seed(options.seed)
    return try NumberStress(options).run()
  }
}
