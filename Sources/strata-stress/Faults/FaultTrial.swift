import Foundation
import Strata
import StrataFaults
import StrataImport

/// A scenario in which one call fails, or a few calls in a row.
///
/// All calls before and after them work.
@MainActor
final class FaultTrial {
  private let scenario: FaultScenario
  private let fault: FaultPlan.Fault
  private let plan = FaultPlan()
  private let folder: URL
  private let store: URL
  /// The contents of the store before the scenario.
  private let start: StoreContents
  private let token: HistoryToken?
  /// The state that the store must have: all acknowledged changes, and nothing else.
  private var ledger: Ledger
  /// The stack of another process; nil if the scenario has none.
  private var other: Stack?
  private var random: SplitMix64
  private var lastNote = 0
  private var hasFailed = false
  private(set) var violations: [String] = []
  /// The number of calls that failed.
  private(set) var failures = 0
  /// The number of errors that the stack threw.
  private(set) var errors = 0

  init(
    _ scenario: FaultScenario, _ fault: FaultPlan.Fault, _ template: FaultTemplate, in folder: URL,
    seed: UInt64
  ) throws {
    self.scenario = scenario
    self.fault = fault
    self.folder = folder
    store = folder.appendingPathComponent("store.sqlite")
    random = SplitMix64(seed: seed)
    start = scenario == .create ? StoreContents() : template.contents
    token = scenario == .create ? nil : template.token
    ledger = start.ledger
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if scenario != .create { try FileManager.default.copyItem(at: template.store, to: store) }
  }

  func run() async {
    ObservedFileSystem.observe(store.path, with: plan)
    defer { ObservedFileSystem.endObserving(store.path, with: plan) }
    do {
      if scenario.opensUnderFaults { plan.arm(fault) }
      let stack = try await open()
      let live = stack.viewContext.live(Note.sorted(by: \.id))
      try await load(live)
      if scenario == .share { other = try await open() }
      if !scenario.opensUnderFaults { plan.arm(fault) }
      for action in scenario.actions { await run(action, stack, live) }
      failures = max(failures, plan.disarm())
      if scenario != .migrate && scenario != .close {
        await check(stack, live)
        await attempt("a save after all") { try await self.saveView(stack, live) }
        await check(stack, live)
      }
      await other?.close()
      await stack.close()
    } catch {
      violations.append("without a fault: \(error)")
    }
    failures = max(failures, plan.disarm())
    await inspect()
  }

  private func open() async throws -> Stack {
    var options = Stack.Options()
    options.history = .keep(for: .seconds(86_400))
    options.busyTimeout = .milliseconds(50)
    options.logLimit = scenario.logLimit
    let entities = scenario == .migrate ? Next.entities : ChildProcess.entities
    if scenario == .migrate { options.schemaVersion = Next.version }
    do {
      return try await Stack.open(entities, at: store, options: options)
    } catch {
      await note(error, maybe: [])
      return try await Stack.open(entities, at: store, options: options)
    }
  }

  // MARK: - Failing

  /// Records the error of an action and checks the files that a kill would leave behind.
  ///
  /// All later calls work again.
  ///
  /// - Parameter maybe: the states that the failed action may have left, besides the state before
  ///   it.
  private func note(_ error: any Error, maybe: [Ledger]) async {
    failures = max(failures, plan.disarm())
    errors += 1
    if failures == 0 || hasFailed { violations.append("fails without a fault: \(error)") }
    hasFailed = true
    guard let code = (error as? StoreError)?.code ?? (error as? ImportError)?.storeError?.code
    else {
      violations.append("an error without a type: \(error)")
      return
    }
    let typed: [StoreError.Code] = [
      .cannotOpen, .busy, .diskFull, .inputOutput, .outOfMemory, .notADatabase,
    ]
    if !typed.contains(code) { violations.append("says \(error)") }
    if scenario == .create { return }
    do {
      let copy = try StoreInspection.copyFiles(of: store, to: folder.appendingPathComponent("copy"))
      let found = await StoreInspection(copy, start: start, token: token)
      violations += found.violations.map { "after a kill: \($0)" }
      if let now = found.ledger, !([ledger] + maybe).contains(now) {
        violations.append("after a kill, what failed is there in part or something is lost")
      }
    } catch {
      violations.append("the files cannot be copied: \(error)")
    }
  }

  /// Runs `body`. An error is a violation.
  private func attempt(_ what: String, _ body: () async throws -> Void) async {
    do { try await body() } catch { violations.append("\(what): \(error)") }
  }

  // MARK: - Actions

  private func run(
    _ action: FaultScenario.Action, _ stack: Stack, _ live: LiveQuery<Note>
  ) async {
    switch action {
    case .saveView:
      await attempt("a second save of the view") { try await self.saveView(stack, live) }
    case .saveScratch:
      await attempt("a second save") { try await self.saveScratch(stack) }
    case .saveRemoval:
      await attempt("a second deletion") { try await self.saveRemoval(stack, live) }
    case .saveElsewhere:
      guard let other else { return }
      await attempt("a second save of another process") { try await self.saveScratch(other) }
    case .saveRefused:
      await attempt("a second refusal") { try await self.saveRefused(stack) }
    case .fetch:
      await attempt("a second fetch") { try await self.fetch(stack) }
    case .load:
      await attempt("a second live query") { try await self.load(stack) }
    case .importBatches(let count):
      await attempt("a second import") { try await self.importNotes(count, .batched, stack) }
    case .importAtOnce(let count):
      await attempt("a second import at once") { try await self.importNotes(count, .atomic, stack) }
    case .suspend:
      await attempt("a second resumption") { try await self.suspend(stack) }
    case .close: await stack.close()
    }
  }

  private func saveView(_ stack: Stack, _ live: LiveQuery<Note>) async throws {
    lastNote += 1
    let note = Note(id: 1_000_000 + lastNote, text: "note \(random.next())", deleter: 1)
    stack.viewContext.insert(note)
    var after = ledger
    _ = after.apply(.insert(note: note.id))
    do { try await stack.viewContext.save() } catch let error
      where !(StoreError.Code.closed ~= error)
    {
      await self.note(error, maybe: [after])
      if !stack.viewContext.hasChanges { violations.append("the view's edits are gone") }
      if !live.elements.contains(note) { violations.append("the view does not show its edits") }
      try await stack.viewContext.save()
    }
    ledger = after
  }

  private func saveRemoval(_ stack: Stack, _ live: LiveQuery<Note>) async throws {
    guard let note = live.elements.first else { return }
    stack.viewContext.delete(note)
    var after = ledger
    _ = after.apply(.delete(note: note.id))
    do { try await stack.viewContext.save() } catch {
      await self.note(error, maybe: [after])
      if live.elements.contains(note) { violations.append("the view shows what it deleted") }
      try await stack.viewContext.save()
    }
    ledger = after
  }

  private func saveScratch(_ stack: Stack) async throws {
    let scratch = stack.makeScratch()
    let from = Int.random(in: 0..<FaultTemplate.accounts, using: &random)
    let to = (from + 1) % FaultTemplate.accounts
    let transfer = random.next()
    let accounts: [Account]
    do { accounts = try await scratch.find(Account.self, [from, to]) } catch {
      await note(error, maybe: [])
      accounts = try await scratch.find(Account.self, [from, to])
    }
    scratch.update(accounts[0]) { ($0.balance, $0.transfer) = ($0.balance - 7, transfer) }
    scratch.update(accounts[1]) { ($0.balance, $0.transfer) = ($0.balance + 7, transfer) }
    var after = ledger
    _ = after.apply(.transfer(from: from, to: to, amount: 7))
    do { try await scratch.save() } catch {
      await note(error, maybe: [after])
      if !scratch.hasChanges { violations.append("the scratch context's edits are gone") }
      try await scratch.save()
    }
    ledger = after
  }

  /// Makes a save that is rolled back after it has written some of its rows.
  ///
  /// The rollback may fail, too.
  private func saveRefused(_ stack: Stack) async throws {
    let scratch = stack.makeScratch()
    for id in 1...2 { scratch.insert(Branch(id: id, name: "the same")) }
    var isRefused = false
    while !isRefused {
      do {
        try await scratch.save()
        violations.append("two branches have the same name")
        return
      } catch {
        isRefused = StoreError.Code.uniquenessViolated ~= error
        if !isRefused && hasFailed { throw error }
        if !isRefused { await note(error, maybe: []) }
        if !scratch.hasChanges { violations.append("the refused edits are gone") }
      }
    }
  }

  private func fetch(_ stack: Stack) async throws {
    let notes: [Note]
    do { notes = try await stack.viewContext.fetch(Note.all) } catch {
      await note(error, maybe: [])
      notes = try await stack.viewContext.fetch(Note.all)
    }
    if Set(notes.map(\.id)) != ledger.notes { violations.append("a fetch finds other notes") }
  }

  private func load(_ stack: Stack) async throws {
    let accounts = stack.viewContext.live(Account.sorted(by: \.balance, order: .reverse).limit(5))
    try await load(accounts)
    if accounts.elements.count != 5 { violations.append("a live query is not whole") }
  }

  /// Waits for a live query, again after an error.
  private func load<E: Entity>(_ live: LiveQuery<E>) async throws {
    do { try await live.waitUntilLoaded() } catch {
      await note(error, maybe: [])
      try await live.waitUntilLoaded()
    }
  }

  private func importNotes(
    _ count: Int, _ commits: ImportOptions.Commits, _ stack: Stack
  ) async throws {
    let first = (ledger.notes.filter { $0 < 1_000_000 }.max() ?? 0) + 1
    let lines = (first..<(first + count)).map { #"{"id":\#($0),"text":"note \#($0)","deleter":1}"# }
    let json = Data("[\(lines.joined(separator: ","))]".utf8)
    var options = ImportOptions()
    options.commits = commits
    options.longestTransaction = .milliseconds(1)
    var after = ledger
    after.notes.formUnion(first..<(first + count))
    do {
      try await stack.importJSON(Note.self, from: .data(json), options: options)
    } catch let error as ImportError {
      // Batches are committed in order, each of them as a whole.
      let parts = (0..<count).map { part in
        var ledger = ledger
        ledger.notes.formUnion(first..<(first + part))
        return ledger
      }
      let committed = error.result.inserted
      await note(error, maybe: (commits == .batched ? Array(parts[committed...]) : []) + [after])
      try await stack.importJSON(Note.self, from: .data(json), options: options)
    }
    ledger = after
  }

  private func suspend(_ stack: Stack) async throws {
    await stack.suspend()
    do { try await stack.resume() } catch {
      await note(error, maybe: [])
      if !stack.isSuspended { violations.append("resumed, and says it is not") }
      try await stack.resume()
    }
  }

  // MARK: - Checking

  /// Checks that the store and the live query have the acknowledged state.
  private func check(_ stack: Stack, _ live: LiveQuery<Note>) async {
    await attempt("checking") {
      try await stack.viewContext.waitUntilMerged(stack.historyToken.commit)
      let stored = try await StoreContents.stored(stack)
      if stored.ledger != ledger {
        violations.append("the stack does not have what was acknowledged")
      }
      let fetched = try await stack.viewContext.fetch(Note.sorted(by: \.id))
      if Array(live.elements) != fetched { violations.append("a live query differs from a fetch") }
    }
  }

  /// Checks that the next start of the program finds the acknowledged state.
  private func inspect() async {
    let found = await StoreInspection(store, start: token == nil ? nil : start, token: token)
    violations += found.violations.map { "afterwards: \($0)" }
    if let now = found.ledger, now != ledger, found.violations.isEmpty {
      violations.append("afterwards, something is lost or was never said to be there")
    }
  }
}

/// The store that every trial copies.
@MainActor
struct FaultTemplate {
  nonisolated static let accounts = 20
  let store: URL
  let contents: StoreContents
  let token: HistoryToken

  init(in folder: URL) async throws {
    store = folder.appendingPathComponent("template.sqlite")
    var options = Stack.Options()
    options.history = .keep(for: .seconds(86_400))
    let stack = try await Stack.open(ChildProcess.entities, at: store, options: options)
    try await stack.withScratch { scratch in
      for id in 0..<Self.accounts {
        scratch.insert(Account(id: id, owner: "Owner \(id % 7)", balance: 1000))
      }
      scratch.insert(Counter(id: 0))
    }
    contents = try await StoreContents.stored(stack)
    token = stack.historyToken
    await stack.close()
  }
}
