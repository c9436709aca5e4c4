import Foundation
import Strata

/// One store under a load that never changes, for as long as is wished: what an app that is never
/// quit would have. Memory, files, the log and the time that hops take must stay what they are.
@MainActor
struct SoakStress {
  struct Options {
    var seconds = 600.0
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))
    var workers = 3
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  /// Samples that are taken, whatever the time.
  private static let samples = 20
  /// What is made once and kept, such as threads and statements, is there after so many.
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
      watchdog.begin("sample \(number)")
      let sample = try await SoakSample(store, at: interval * number, load, during: interval)
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

/// How far a figure may grow between the end of the warm-up and all later samples but the two
/// largest.
private struct SoakBound: Sendable {
  let name: String
  /// Whether it follows from what else the machine does, which changes within a short run.
  var isOfTheMachine = false
  let value: @Sendable (SoakSample) -> Int
  /// The most, by what it was first.
  let most: @Sendable (Int) -> Int

  func problem(first: SoakSample, _ later: ArraySlice<SoakSample>) -> String? {
    // One sample may fall on a moment when the machine, or an allocator, has done something else.
    let values = later.dropFirst().map(value).sorted()
    let most = most(value(first))
    guard let typical = values.dropLast(2).last, typical > most else { return nil }
    return "\(name) grew from \(value(first)) to \(typical), more than \(most)"
  }

  static let all = [
    SoakBound(name: "memoryKB", value: \.memory) { $0 + $0 / 4 + 16 * 1024 },
    // Commits that find no turn of the main actor on a busy machine come on top of the limit.
    SoakBound(name: "logKB", value: \.log) { _ in Stack.Options().logLimit / 1024 * 3 },
    SoakBound(name: "storeKB", value: \.file) { $0 * 3 / 2 + 8 * 1024 },
    SoakBound(name: "descriptors", value: \.descriptors) { $0 + 8 },
    SoakBound(name: "threads", value: \.threads) { $0 + 16 },
    // In microseconds. The machine may have become slower, too.
    SoakBound(name: "hopP50", isOfTheMachine: true, value: \.hopP50) { $0 * 5 + 500 },
    SoakBound(name: "hopP99", isOfTheMachine: true, value: \.hopP99) { $0 * 10 + 20_000 },
    SoakBound(name: "stall", value: \.stall) { _ in 8_000 },
  ]
}
