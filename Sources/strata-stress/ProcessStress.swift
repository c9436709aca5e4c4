import Foundation
import Strata

/// Runs several processes on one store. Each commits many times and follows the other processes.
///
/// Afterwards a replay of the acknowledged commits in the order of their numbers must give exactly
/// the contents of the store. The streams and live queries of every process must give the same.
@MainActor
struct ProcessStress {
  struct Options {
    var commits = 10_000
    var processes = 2
    /// The number of further processes, which only read.
    var readers = 1
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))
    var keepsHistory = true
    /// Whether to kill the last process in the middle of its work.
    var kills = false
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  /// Returns the time for a step that may include a number of commits of every process.
  nonisolated static func work(_ commits: Int) -> Duration {
    .seconds(min(commits, 1_000_000) / 20)
  }

  func run() async throws -> Report {
    var report = Report(mode: "processes")
    // This watchdog waits longer than those of the processes, because their reports tell more about
    // a hang.
    let watchdog = Watchdog(
      mode: "processes", work: Watchdog.patience + Self.work(options.commits) * 2)
    let temporary = try TemporaryFolder()
    defer { temporary.remove() }
    let folder = temporary.url
    let store = folder.appendingPathComponent("store.sqlite")
    let (start, token) = try await makeStore(store)
    let begin = ContinuousClock.now
    watchdog.begin("the processes")
    let survivors = try await runChildren(store, &report)
    watchdog.begin("checking")
    report.counts["milliseconds"] = Int((ContinuousClock.now - begin) / .milliseconds(1))
    report.counts["processes"] = options.processes
    report.counts["commits"] = options.commits * survivors

    let stack = try await Stack.open(ChildProcess.entities, at: store)
    let stored = try await StoreContents.stored(stack)
    let last = stack.historyToken.commit
    if last < token.commit {
      report.violations.append("the store is at commit \(last), before \(token.commit)")
    }
    let commits = token.commit + 1..<max(token.commit, last) + 1
    replay(start.ledger, stored.ledger, commits, store, &report)
    if options.keepsHistory {
      report.counts["history"] = commits.count
      report.violations += try await StoreInspection.historyViolations(
        stack, start, token, stored, author: "process ")
    }
    if stored.ledger.balances.values.reduce(0, +) != Bank.total {
      report.violations.append("money was made or lost")
    }
    await stack.close()
    report.require("acknowledged")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    if files.contains(where: { $0.hasSuffix("-wal") || $0.hasSuffix("-notify") }) {
      report.violations.append("files were left beside the store: \(files)")
    }
    return report
  }

  private func makeStore(_ store: URL) async throws -> (StoreContents, HistoryToken) {
    let stack = try await Stack.open(ChildProcess.entities, at: store)
    try await stack.withScratch { scratch in
      for id in 0..<Bank.accounts {
        scratch.insert(Account(id: id, owner: "Owner \(id % 17)", balance: 1000))
      }
      for id in 0...options.processes { scratch.insert(Counter(id: id)) }
    }
    let start = try await StoreContents.stored(stack)
    let token = stack.historyToken
    await stack.close()
    return (start, token)
  }

  // MARK: - The processes

  private func startChild(
    _ number: Int, _ store: URL, isReader: Bool = false
  ) throws -> StartedProcess {
    var child = ChildProcess.Options()
    child.store = store.path
    child.number = number
    child.processes = options.processes
    // The process that is killed must not finish before.
    child.commits = isReader ? 0 : isDoomed(number) ? .max / 2 : options.commits
    child.isReader = isReader
    child.seed = options.seed
    child.keepsHistory = options.keepsHistory
    return try StartedProcess(["child"] + child.arguments)
  }

  private func isDoomed(_ number: Int) -> Bool { options.kills && number == options.processes - 1 }

  /// Runs the processes to their ends.
  ///
  /// - Returns: the number of processes that were not killed.
  private func runChildren(_ store: URL, _ report: inout Report) async throws -> Int {
    let children = try (0..<options.processes).map { try startChild($0, store) }
    let readers = try (0..<options.readers).map { number in
      try startChild(options.processes + number, store, isReader: true)
    }
    for child in children + readers where await child.output.next() != "ready" {
      report.violations.append("a process did not begin")
    }
    for child in children + readers { child.send("go") }
    if options.kills {
      try await waitForSteps(of: options.processes - 1, store)
      children[options.processes - 1].kill()
    }
    var last: Int64 = 0
    let survivors = options.kills ? children.dropLast() : children[...]
    for child in survivors { last = max(last, await commit(of: child, &report)) }
    for child in readers { _ = await commit(of: child, &report) }
    // The other processes are idle by now. No commit of their own makes them look for this commit.
    if options.commits > 0, let child = survivors.first {
      child.send("more")
      last = max(last, await commit(of: child, &report))
    }
    let log = try? FileManager.default.attributesOfItem(atPath: store.path + "-wal")
    report.counts["logBytes"] = (log?[.size] as? NSNumber)?.intValue ?? 0
    for child in survivors + readers { child.send("\(last)") }
    // Closing the store is a signal, too. So no process closes it before all of them see the last
    // commit.
    for child in survivors + readers where await child.output.next() != "there" {
      report.violations.append("a process did not see the last commit")
    }
    // A process that only reads leaves a log with commits, which the last writer removes.
    for children in [readers[...], survivors] {
      for child in children { child.send("close") }
      for child in children { await collect(child, &report) }
    }
    return survivors.count
  }

  /// Returns the last commit that a process knows after its own commits.
  private func commit(of child: StartedProcess, _ report: inout Report) async -> Int64 {
    let line = await child.output.next() ?? ""
    if line.hasPrefix("done "), let commit = Int64(line.dropFirst(5)) { return commit }
    report.violations.append("a process ended early: \(line)")
    return 0
  }

  /// Waits until a process has written down a good part of its steps.
  private func waitForSteps(of number: Int, _ store: URL) async throws {
    let path = store.path + ".steps\(number)"
    while true {
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
      if let size, size.intValue > options.commits * 15 { return }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  /// Reads the report of a process at its end.
  private func collect(_ child: StartedProcess, _ report: inout Report) async {
    while let line = await child.output.next() {
      if line == "end" { return }
      let words = line.split(separator: " ")
      if words.first == "report", words.count == 4 {
        for (name, word) in zip(["conflicts", "busy", "resets"], words.dropFirst()) {
          report.counts[name, default: 0] += Int(word) ?? 0
        }
      } else {
        report.violations.append(line)
      }
    }
    report.violations.append("a process ended early")
  }

  // MARK: - Checking

  /// Replays all acknowledged steps in the order of their commits, and compares the result with the
  /// store.
  private func replay(
    _ start: Ledger, _ stored: Ledger, _ commits: Range<Int64>, _ store: URL,
    _ report: inout Report
  ) {
    var steps: [Int64: Step] = [:]
    var unfinished: Step?
    for number in 0..<options.processes {
      guard
        let text = try? String(contentsOfFile: store.path + ".steps\(number)", encoding: .utf8)
      else {
        report.violations.append("process \(number) has not begun to commit")
        continue
      }
      for line in text.split(separator: "\n") {
        let parts = line.split(separator: " ", maxSplits: 1)
        let step = parts.count == 2 ? Step(parts[1]) : nil
        unfinished = parts[0] == "?" ? step : nil
        guard let step, let commit = Int64(parts[0]) else { continue }
        if steps.updateValue(step, forKey: commit) != nil {
          report.violations.append("two commits have the number \(commit)")
        }
      }
    }
    report.counts["acknowledged"] = steps.count
    var ledger = start
    for commit in commits {
      // A killed process may have made a commit that it could not write down any more.
      guard let step = steps.removeValue(forKey: commit) ?? unfinished.take() else {
        report.violations.append("nobody made commit \(commit)")
        continue
      }
      if !ledger.apply(step) { report.violations.append("\(commit) \(step.line) cannot be") }
    }
    if !steps.isEmpty { report.violations.append("\(steps.count) commits are not in the store") }
    if ledger != stored {
      report.violations.append("the acknowledged commits do not make the state")
    }
  }
}

extension ProcessStress {
  static let command = StressCommand(
    "processes",
    options: "[--commits N] [--processes N] [--readers N] [--history 0|1] [--kill 0|1] [--seed N]",
    help: """
      N processes (2) with N commits each (10,000) on one store, with a history (1) or
      without, and N readers (1) that only read it and follow the others; with --kill 1 the last
      writer is killed in the middle of its work. Long form: as it is, with --history 0, and with
      --kill 1.
      """
  ) { given in
    var options = Options()
    options.commits = given.count("--commits") ?? options.commits
    options.processes = given.count("--processes").map { max(1, $0) } ?? options.processes
    options.readers = given.count("--readers") ?? options.readers
    options.keepsHistory = given.flag("--history") ?? options.keepsHistory
    options.kills = given.flag("--kill") ?? options.kills
    options.seed = given.seed(options.seed)
    return try await ProcessStress(options).run()
  }
}
