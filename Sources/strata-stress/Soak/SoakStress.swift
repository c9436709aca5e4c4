import Foundation
import Strata

/// Runs one store under a constant load, like that of an app that is never quit.
///
/// Memory, files, the log and the time of hops must not grow.
@MainActor
struct SoakStress {
  struct Options {
    var seconds = 600.0
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))
    var workers = 3
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  /// The number of samples, whatever the duration.
  private static let samples = 20
  /// The number of samples before the measured ones.
  ///
  /// By then the process has everything that it makes once and keeps, such as threads and
  /// statements.
  private static let warmUp = 5

  func run() async throws -> Report {
    var report = Report(mode: "soak")
    let watchdog = Watchdog(mode: "soak", work: .seconds(options.seconds / 4))
    let temporary = try TemporaryFolder()
    defer { temporary.remove() }
    let folder = temporary.url
    let store = folder.appendingPathComponent("store.sqlite")
    let load = try await SoakLoad(store, workers: options.workers, seed: options.seed)
    let interval = Duration.seconds(options.seconds / Double(Self.samples))
    print(SoakSample.header)
    var samples: [SoakSample] = []
    for number in 1...Self.samples {
      watchdog.begin("sample \(number)", done: (number - 1).share(of: Self.samples))
      let sample = try await SoakSample(store, at: interval * number, load, during: interval)
      ProgressLine.shared.clear()
      print(sample.row)
      samples.append(sample)
    }
    await load.end()
    report.violations += try await load.violations()
    await load.stack.close()
    let measured = samples.dropFirst(Self.warmUp)
    if let first = measured.first {
      for bound in SoakBound.all {
        if let problem = bound.problem(first: first, measured),
          !bound.isOfTheMachine || options.seconds >= 600
        {
          report.violations.append(problem)
        }
        report.counts[bound.name] = measured.map(bound.value).max()
      }
    }
    report.counts["commits"] = Int(load.stack.historyToken.commit)
    report.counts["saves"] = samples.last?.saves
    report.counts["visits"] = load.visits
    report.require("saves", "visits")
    return report
  }
}

/// The bound for the growth of a figure after the warm-up.
///
/// The two largest samples do not count.
private struct SoakBound: Sendable {
  let name: String
  /// Whether the figure depends on the other work of the machine, which changes within a short run.
  var isOfTheMachine = false
  let value: @Sendable (SoakSample) -> Int
  /// The largest value that is allowed, by the first value.
  let most: @Sendable (Int) -> Int

  func problem(first: SoakSample, _ later: ArraySlice<SoakSample>) -> String? {
    // A single sample may fall on a moment at which the machine or an allocator does other work.
    let values = later.dropFirst().map(value).sorted()
    let most = most(value(first))
    guard let typical = values.dropLast(2).last, typical > most else { return nil }
    return "\(name) grew from \(value(first)) to \(typical), more than \(most)"
  }

  static let all = [
    SoakBound(name: "memoryKB", value: \.memory) { $0 + $0 / 4 + 16 * 1024 },
    // On a busy machine, commits for which the main actor has no turn make the log longer than its
    // limit.
    SoakBound(name: "logKB", value: \.log) { _ in Stack.Options().logLimit / 1024 * 3 },
    SoakBound(name: "storeKB", value: \.file) { $0 * 3 / 2 + 8 * 1024 },
    SoakBound(name: "descriptors", value: \.descriptors) { $0 + 8 },
    SoakBound(name: "threads", value: \.threads) { $0 + 16 },
    // These figures are in microseconds. The machine may have become slower, too.
    SoakBound(name: "hopP50", isOfTheMachine: true, value: \.hopP50) { $0 * 5 + 500 },
    SoakBound(name: "hopP99", isOfTheMachine: true, value: \.hopP99) { $0 * 10 + 20_000 },
    SoakBound(name: "stall", value: \.stall) { _ in 8_000 },
  ]
}

extension SoakStress {
  static let command = StressCommand(
    "soak",
    options: "[--minutes N] [--seconds N] [--workers N] [--seed N]",
    help: """
      One store under a load that never changes, for N minutes (10): memory, log, files,
      threads, the time of hops and how long the main actor is held must not grow. Long form:
      --minutes 60.
      """
  ) { given in
    var options = Options()
    options.seconds =
      given.number("--seconds").map { Double($0) }
      ?? given.number("--minutes").map { Double($0) * 60 } ?? options.seconds
    options.workers = given.count("--workers").map { max(1, $0) } ?? options.workers
    options.seed = given.seed(options.seed)
    return try await SoakStress(options).run()
  }
}
