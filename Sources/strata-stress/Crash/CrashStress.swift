import Foundation
import Strata

/// Kills a process that works with a store, again and again.
///
/// The process opens, saves, imports, migrates, checkpoints and resumes. Kills come in turn at a
/// random moment and at the n-th call of a kind to the file system. So even a few kills hit a
/// commit, a checkpoint and a migration.
///
/// After every kill the store has all acknowledged work. Each commit that was not acknowledged is
/// there as a whole or not at all. The history leads from the state before to the state after.
@MainActor
struct CrashStress {
  struct Options {
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))
    var kills = 1000
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  func run() async throws -> Report {
    var report = Report(mode: "crash")
    let watchdog = Watchdog(mode: "crash")
    let temporary = try TemporaryFolder()
    defer { temporary.remove() }
    let folder = temporary.url
    let template = try await FaultTemplate(in: folder)
    var random = SplitMix64(seed: options.seed)
    var state = State(store: template.store, contents: template.contents, token: template.token)
    let labels = try await LabelKill(in: folder)
    for kill in 0..<options.kills where report.violations.count < 20 {
      watchdog.begin("kill \(kill)", done: kill.share(of: options.kills))
      if kill % 20 == 10 {
        try await labels.run(&report)
      } else if kill % 5 == 4 {
        try await killMigration(kill / 5, state, in: folder, &random, &report)
      } else {
        try await killWork(kill, &state, &random, &report)
      }
      report.counts["kills", default: 0] += 1
    }
    report.counts["commits"] = Int(state.token.commit)
    report.require("kills", "acknowledged")
    if options.kills >= 30 {
      report.require("inCommits", "inCheckpoints", "atSyncs", "inMigrations", "caughtErrors")
    }
    // Fewer kills show nothing on a machine that starts processes slowly.
    if options.kills >= 300 {
      report.require("interrupted", "inBulkLoads", "migrated", "notMigrated", "leftLogs")
    }
    return report
  }

  /// The known state of the store between two kills.
  private struct State {
    let store: URL
    var contents: StoreContents
    var token: HistoryToken
    var firstNote = 1
  }

  private func killWork(
    _ number: Int, _ state: inout State, _ random: inout SplitMix64, _ report: inout Report
  ) async throws {
    var child = CrashChild.Options()
    child.store = state.store.path
    child.seed = random.next()
    child.firstNote = state.firstNote
    if number % 2 == 0 {
      let kind = FatalCall.Kind.allCases[number / 2 % FatalCall.Kind.allCases.count]
      let most = kind == .sync ? 20 : 400
      child.fatalCall = FatalCall(kind: kind, number: Int.random(in: 1...most, using: &random))
    }
    let process = try StartedProcess(["crash-child"] + child.arguments)
    if await process.output.next() != "opening" {
      report.violations.append("a process did not begin")
    }
    if child.fatalCall == nil {
      // A quarter of the kills comes while the store opens. All other kills wait until it is open,
      // because a slow machine opens slowly.
      if Int.random(in: 0..<4, using: &random) > 0 { _ = await process.output.next() }
      try await Task.sleep(for: .microseconds(Int.random(in: 0...120_000, using: &random)))
      process.kill()
    }

    var ledger = state.contents.ledger
    var commit = state.token.commit
    var unfinished: CrashWork?
    while let line = await process.output.next() {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let work = CrashWork(parts[1]) else {
        if line != "ready" { report.violations.append("a process said: \(line)") }
        continue
      }
      if case .imported(let first, let count, _, _) = work { state.firstNote = first + count }
      if case .step(.insert(let note)) = work { state.firstNote = note + 1 }
      guard let acknowledged = Int64(parts[0]) else {
        unfinished = work
        continue
      }
      unfinished = nil
      ledger = work.applied(to: ledger)
      commit = max(commit, acknowledged)
      report.counts["acknowledged", default: 0] += 1
    }
    if unfinished != nil { report.counts["interrupted", default: 0] += 1 }
    // An import into an empty table puts its indexes off and makes them at the end.
    if case .imported? = unfinished, ledger.notes.isEmpty {
      report.counts["inBulkLoads", default: 0] += 1
    }
    switch child.fatalCall?.kind {
    case .logWrite: report.counts["inCommits", default: 0] += 1
    case .checkpointWrite: report.counts["inCheckpoints", default: 0] += 1
    case .sync: report.counts["atSyncs", default: 0] += 1
    case nil: break
    }
    let log = try? FileManager.default.attributesOfItem(atPath: state.store.path + "-wal")
    if let log, (log[.size] as? NSNumber)?.intValue ?? 0 > 0 {
      report.counts["leftLogs", default: 0] += 1
    }
    let found = await StoreInspection(state.store, start: state.contents, token: state.token)
    report.violations += found.violations
    guard let contents = found.contents, let token = found.token else { return }
    let stored = contents.ledger
    if token.commit < commit {
      report.violations.append("commit \(commit) is lost: only \(token.commit) is there")
    }
    if stored != ledger {
      if let unfinished, unfinished.mayLeave(stored, from: ledger) {
        report.counts["unacknowledged", default: 0] += 1
      } else {
        report.violations.append(
          "the store is not what was acknowledged: \(unfinished?.line ?? "nothing was under way")")
      }
    }
    (state.contents, state.token) = (contents, token)
  }

  /// Kills a migration of a copy of the store, which has more rows.
  ///
  /// The kill comes in turn in the middle of the migration's transaction, after its end, at any
  /// time, and after the process says that it has begun.
  private func killMigration(
    _ number: Int, _ state: State, in folder: URL, _ random: inout SplitMix64,
    _ report: inout Report
  ) async throws {
    let copy = folder.appendingPathComponent("migrating.sqlite")
    StoreFiles.remove(copy)
    try FileManager.default.copyItem(at: state.store, to: copy)
    let stack = try await Stack.open(ChildProcess.entities, at: copy)
    try await stack.withScratch { scratch in
      for id in 1000..<6000 { scratch.insert(Account(id: id, owner: "\(id)", balance: 1000)) }
    }
    let before = try await StoreContents.stored(stack)
    await stack.close()
    var child = CrashChild.Options()
    child.store = copy.path
    child.task = .migrates
    if number % 4 == 0 {
      child.fatalCall = FatalCall(kind: .logWrite, number: Int.random(in: 1...40, using: &random))
    }
    let process = try StartedProcess(["crash-child"] + child.arguments)
    _ = await process.output.next()
    var wasDone = false
    if number % 4 == 1 {
      while !wasDone, let line = await process.output.next() { wasDone = line == "ready" }
    }
    // The work before the migration may take long.
    if number % 4 == 3 { wasDone = await process.output.next() == "ready" }
    if number % 4 > 1 {
      try await Task.sleep(for: .microseconds(Int.random(in: 0...60_000, using: &random)))
    }
    if child.fatalCall == nil { process.kill() }
    while let line = await process.output.next() { wasDone = wasDone || line == "ready" }
    if child.fatalCall != nil && !wasDone { report.counts["inMigrations", default: 0] += 1 }
    let found = await StoreInspection(copy)
    report.violations += found.violations.map { "a migration: \($0)" }
    if found.contents != before { report.violations.append("a migration changed what it must not") }
    if wasDone && !found.isMigrated { report.violations.append("a migration is gone again") }
    report.counts[found.isMigrated ? "migrated" : "notMigrated", default: 0] += 1
  }
}

extension CrashStress {
  static let command = StressCommand(
    "crash",
    options: "[--kills N] [--seed N]",
    help: """
      Kills a process N times (1,000) while it opens, saves, imports, migrates or checkpoints.
      Long form: as it is.
      """
  ) { given in
    var options = Options()
    options.kills = given.count("--kills") ?? options.kills
    options.seed = given.seed(options.seed)
    return try await CrashStress(options).run()
  }
}
