import Foundation
import Strata

/// Runs worker actors and the view context against one store.
///
/// Now and then all of them stop. The state that each of them sees is then compared with the
/// acknowledged saves.
@MainActor
struct WorkerStress {
  enum Mode: Int, CaseIterable {
    case usual
    /// Few accounts and many workers, so that nearly every save meets another save.
    case contention
    /// Slow consumers, whose unread changes are composed.
    case slow
    /// Workers whose calls are cancelled at random moments.
    case cancellation
    /// Tiny bounds for unread changes, idle readers and backlogs.
    case tiny

    var accounts: Int { self == .contention ? 4 : Bank.accounts }

    /// The pause of the consumers after each element; nil for none.
    var pace: Duration? {
      switch self {
      case .slow: .milliseconds(20)
      case .tiny: .milliseconds(1)
      case .usual, .contention, .cancellation: nil
      }
    }

    var options: Stack.Options {
      var options = Stack.Options()
      if self == .tiny {
        (options.bounds.unread, options.bounds.idleReaders, options.bounds.backlog) = (1, 0, 1)
        (options.bounds.indexedRows, options.bounds.changedAtOnce) = (20, 0)
      }
      return options
    }
  }

  struct Options {
    /// The duration of each mode in seconds.
    var seconds = 5.0
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))
    /// The numbers of the workers.
    var workers = Array(0..<4)
    /// The modes that run one after the other.
    var modes = Mode.allCases
    var mode = Mode.usual
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  /// The numbers of steps of a simulated run's parts: a step for each worker, and one for each tenth
  /// of the time.
  nonisolated static let steps = HistorySteps([4, 10])

  /// Runs the history of a seed, and returns its counts and violations.
  static func run(
    seed: UInt64, _ mode: Mode, _ steps: HistorySteps, _ log: StepLog
  ) async throws -> Report {
    var options = Options()
    options.seconds = 0.0005 * Double(steps.numbers(of: 1).count)
    (options.seed, options.modes, options.workers) = (seed, [mode], steps.numbers(of: 0))
    return try await WorkerStress(options).run(log)
  }

  func run(_ log: StepLog = StepLog()) async throws -> Report {
    var report = Report(mode: "workers")
    let watchdog = Watchdog(mode: "workers", work: .seconds(options.seconds))
    defer { watchdog.end() }
    for (position, mode) in options.modes.enumerated() {
      let modes = Double(options.modes.count)
      let done = { (share: Double) in (Double(position) + share) / modes }
      watchdog.begin("\(mode)", done: done(0))
      var options = options
      options.mode = mode
      if mode == .contention {
        let next = (options.workers.max() ?? 0) + 1
        options.workers += options.workers.map { $0 + next }
      }
      var run = try await WorkerRun(options, watchdog, log, done: done)
      try await run.run()
      var part = Report(mode: "\(mode)", counts: run.counts)
      part.require("saves")
      // A short run on a busy machine need not do every kind of work.
      if options.seconds >= 30 {
        part.require("imports", "checkpoints")
        if mode == .contention { part.require("conflicts") }
        if mode == .cancellation { part.require("cancelled") }
      }
      report.violations += (run.violations + part.violations).map { "\(mode): \($0)" }
      report.counts.merge(run.counts) { $0 + $1 }
    }
    if options.seconds * Double(options.modes.count) >= 15 {
      report.require("viewSaves", "viewNotes", "visits")
    }
    return report
  }
}

/// A run over one store in one mode.
@MainActor
private struct WorkerRun {
  private let options: WorkerStress.Options
  private let watchdog: Watchdog
  private let steps: StepLog
  /// The part of all modes that is done, by the part of this mode.
  private let done: (Double) -> Double
  private let stack: Stack
  private let start: StoreContents
  private let observers: WorkerObservers
  private let log = WorkLog()
  private var owners: [Int: String] = [:]
  private var random: SplitMix64
  private(set) var counts: [String: Int] = [:]
  private(set) var violations: [String] = []

  private static let checkpoints = 4

  init(
    _ options: WorkerStress.Options, _ watchdog: Watchdog, _ steps: StepLog,
    done: @escaping (Double) -> Double
  ) async throws {
    (self.options, self.steps) = (options, steps)
    self.done = done
    self.watchdog = watchdog
    random = SplitMix64(seed: options.seed &- 1)
    stack = try await Stack.temporary(ChildProcess.entities, options: options.mode.options)
    try await stack.withScratch { scratch in
      for id in 0..<options.mode.accounts {
        scratch.insert(Account(id: id, owner: "Owner \(id % 17)", balance: 1000))
      }
    }
    start = try await StoreContents.stored(stack)
    observers = try await WorkerObservers(stack, start, pace: options.mode.pace)
  }

  mutating func run() async throws {
    let workers = options.workers.map { Worker(stack, log, steps, number: $0, options) }
    for checkpoint in 1...Self.checkpoints {
      let done = done((checkpoint - 1).share(of: Self.checkpoints))
      begin("work before check \(checkpoint)", done: done)
      let deadline = ContinuousClock.now + .seconds(options.seconds / Double(Self.checkpoints))
      let working = Task {
        await withTaskGroup { group in
          for worker in workers { group.addTask { await worker.run(until: deadline) } }
        }
      }
      while ContinuousClock.now < deadline { try await actOnView() }
      begin("the workers at check \(checkpoint)", done: done)
      await working.value
      begin("check \(checkpoint)", done: done)
      try await check(done: done)
    }
    for worker in workers {
      counts.merge(await worker.counts) { $0 + $1 }
      violations += await worker.violations
    }
    await stack.close()
    steps.begin(nil, of: "the view")
  }

  private func begin(_ part: String, done: Double) {
    watchdog.begin("\(options.mode), \(part)", done: done)
    steps.begin(part, of: "the view")
  }

  /// Edits through the view context.
  ///
  /// Only the view context changes owners, and only it writes notes with numbers this low.
  private mutating func actOnView() async throws {
    let view = stack.viewContext
    let id = Int.random(in: 0..<options.mode.accounts, using: &random)
    guard let account = try await view.fetch(Account.where { $0.id == id }).first else {
      return violations.append("account \(id) is gone")
    }
    let owner = "Owner \(Int.random(in: 0..<1000, using: &random))"
    switch Int.random(in: 0..<8, using: &random) {
    case 0: view.update(account) { $0.owner = owner }
    case 1:
      let child = view.makeScratch()
      child.update(account) { $0.owner = owner }
      try await child.save()
    case 2:
      view.undoGroup("kept") { _ = view.update(account) { $0.owner = owner } }
      view.undoGroup("undone") { _ = view.update(account) { $0.owner = "nobody" } }
      view.undo()
    case 3:
      view.delete(account)
      view.rollback()
      view.update(account) { $0.owner = owner }
    case 4:
      view.undoGroup("kept") { _ = view.update(account) { $0.owner = owner } }
      view.undoGroup("undone later") { _ = view.update(account) { $0.owner = "nobody" } }
      try await view.save()
      // Workers have moved the account's money since the save.
      view.undo()
    case 5:
      let total = options.mode.accounts * 1000
      violations += try await ScreenVisit(view, total: total).violations(&random)
      counts["visits", default: 0] += 1
      return
    default: return try await writeNote()
    }
    try await view.save()
    counts["viewSaves", default: 0] += 1
    owners[id] = owner
    if account.owner == owner { return }
    if try await view.fetch(Account.where { $0.id == id }).first?.owner != owner {
      violations.append("the view does not see its own save")
    }
  }

  private mutating func writeNote() async throws {
    let note = counts["viewNotes", default: 0]
    counts["viewNotes"] = note + 1
    stack.viewContext.insert(Note(id: note, text: "\(random.next())"))
    log.add(try await stack.viewContext.save(), [.insert(notes: note..<(note + 1))])
  }

  private mutating func check(done: Double) async throws {
    // Commits that cancel each other out give a slow consumer no element, not even the number of
    // the last commit. So the check waits for a commit that changes a row.
    try await writeNote()
    let stored = try await StoreContents.stored(stack)
    let replayed = log.replay(from: start.ledger)
    violations += replayed.violations
    if replayed.ledger != stored.ledger {
      violations.append("the acknowledged saves do not make the store")
    }
    if stored.ledger.balances.values.reduce(0, +) != options.mode.accounts * 1000 {
      violations.append("money was made or lost")
    }
    let branches = Set(try await stack.fetch(Branch.all).map(\.id))
    for account in try await stack.fetch(Account.all) {
      if let branch = account.branchID, !branches.contains(branch) {
        violations.append("account \(account.id) refers to a branch that was deleted")
      }
      if let owner = owners[account.id], owner != account.owner {
        violations.append("account \(account.id) belongs to \(account.owner), not \(owner)")
      }
    }
    if try await Ledger.names(stack) != replayed.names {
      violations.append("the acknowledged saves do not make the branches")
    }
    violations += try await observers.violations(stored) { part in
      begin(part, done: done)
    }
    counts["checkpoints", default: 0] += 1
  }
}

extension WorkerStress {
  static let command = StressCommand(
    "workers",
    options: "[--seconds N] [--workers N] [--mode N] [--seed N]",
    help: """
      Worker actors and the view context against one store for N seconds (5) in each mode, or
      in one: 0 usual, 1 contention, 2 slow observers, 3 cancellation, 4 tiny mailboxes. Long
      form: --seconds 600.
      """
  ) { given in
    var options = Options()
    options.seconds = given.number("--seconds").map { Double($0) } ?? options.seconds
    if let count = given.count("--workers") { options.workers = Array(0..<max(1, count)) }
    if let mode = given.choice(of: Mode.self, "--mode") { options.modes = [mode] }
    options.seed = given.seed(options.seed)
    return try await WorkerStress(options).run()
  }
}
