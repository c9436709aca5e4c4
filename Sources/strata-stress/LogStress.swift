import Foundation
import Strata

/// Makes many small commits under a view context that keeps merging, and under an idle view
/// context.
///
/// The write-ahead log must stay near its limit, although the view context always pins a snapshot.
struct LogStress {
  struct Options {
    var commits = 200_000
    var seed: UInt64 = 1
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  @MainActor
  func run() async throws -> Report {
    var report = Report(mode: "log")
    let watchdog = Watchdog(mode: "log")
    for isIdle in [false, true] {
      let largest = try await largestLog(isIdle: isIdle, watchdog)
      let limit = Stack.Options().logLimit
      report.counts[isIdle ? "largestLogIdle" : "largestLogMerging"] = largest
      // On a busy machine the view context often has no turn while a checkpoint waits for it.
      // Commits go on meanwhile.
      if largest > 2 * limit {
        report.violations.append("the log grew to \(largest) bytes, limit \(limit)")
      }
    }
    report.counts["commits"] = options.commits * 2
    // Without a log there is no bound to keep.
    report.require("commits", "largestLogMerging", "largestLogIdle")
    return report
  }

  /// Returns the largest size of the log file in bytes, over many one-row commits.
  @MainActor
  private func largestLog(isIdle: Bool, _ watchdog: Watchdog) async throws -> Int {
    let temporary = try TemporaryFolder()
    defer { temporary.remove() }
    let folder = temporary.url
    let file = folder.appendingPathComponent("store.sqlite")
    let stack = try await Stack.open(Account.self, Branch.self, at: file)
    let live = isIdle ? nil : stack.viewContext.live(Account.sorted(by: \.balance).limit(20))
    try await live?.waitUntilLoaded()
    let writer = LogWriter(stack, log: file.path + "-wal", commits: options.commits, watchdog)
    watchdog.begin("the first commit")
    try await writer.run(seed: options.seed)
    await stack.close()
    return await writer.largest
  }
}

/// Commits one row at a time and measures the log now and then.
private actor LogWriter {
  private let stack: Stack
  private let log: String
  private let commits: Int
  private let watchdog: Watchdog
  private(set) var largest = 0

  init(_ stack: Stack, log: String, commits: Int, _ watchdog: Watchdog) {
    self.watchdog = watchdog
    self.stack = stack
    self.log = log
    self.commits = commits
  }

  func run(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let scratch = stack.makeScratch()
    for commit in 0..<commits {
      let id = Int.random(in: 0..<1000, using: &random)
      scratch.upsert(Account(id: id, owner: "Owner", balance: commit, transfer: random.next()))
      try await scratch.save()
      if commit % 256 == 0 {
        watchdog.begin("commit \(commit)", done: commit.share(of: commits))
        let attributes = try? FileManager.default.attributesOfItem(atPath: log)
        largest = max(largest, (attributes?[.size] as? NSNumber)?.intValue ?? 0)
      }
    }
  }
}

extension LogStress {
  static let command = StressCommand(
    "log",
    options: "[--commits N] [--seed N]",
    help: """
      N one-row commits (200,000) under a merging and an idle view context: the size of the
      write-ahead log. Long form: as it is.
      """
  ) { given in
    var options = Options()
    options.commits = given.count("--commits") ?? options.commits
    options.seed = given.seed(options.seed)
    return try await LogStress(options).run()
  }
}
