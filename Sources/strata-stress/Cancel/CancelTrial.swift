import Foundation
import Strata
import StrataFaults
import StrataImport

/// A call that is cancelled at a given moment and then repeated.
@MainActor
final class CancelTrial {
  private let operation: CancelOperation
  private let store: URL
  private let stamp: Int
  private let token: HistoryToken
  private let start: StoreContents
  private let before: Ledger
  private let after: Ledger
  private(set) var violations: [String] = []
  /// Whether the call has thrown an error.
  private(set) var hasFailed = false

  /// The key of the note that a later save writes.
  private static let laterNote = 9_000_000

  init(
    _ operation: CancelOperation, _ template: FaultTemplate, in folder: URL, stamp: Int
  ) throws {
    self.operation = operation
    self.stamp = stamp
    store = folder.appendingPathComponent("store.sqlite")
    token = template.token
    start = template.contents
    before = start.ledger
    var ledger = before
    operation.effect(&ledger)
    after = ledger
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: template.store, to: store)
  }

  /// Cancels the call, checks the store, repeats the call and checks the store again.
  ///
  /// - Returns: whether the call was cancelled before it ended.
  func run(cancellingAt number: Int, _ moment: CancelMoment) async throws -> Bool {
    let canceller = Canceller()
    ObservedFileSystem.observe(store.path, with: canceller)
    defer { ObservedFileSystem.endObserving(store.path, with: canceller) }
    var options = Stack.Options()
    options.history = .keep(for: .seconds(86_400))
    let stack = try await Stack.open(ChildProcess.entities, at: store, options: options)
    let live = stack.viewContext.live(Note.sorted(by: \.id))
    try await live.waitUntilLoaded()
    let site = CancelSite(stack: stack, store: store, stamp: stamp)
    let end = await canceller.run(cancellingAt: number, moment) { [operation] in
      try await operation.run(site)
    }
    if let error = end.error { note(error, end.wasCancelled) }
    // This save runs behind all work that is still under way.
    try await stack.withScratch { $0.upsert(Note(id: Self.laterNote, text: "later")) }
    try await check(stack, live, isDone: end.error == nil)
    do { try await operation.run(site) } catch { violations.append("a second time: \(error)") }
    try await check(stack, live, isDone: true)
    await stack.close()
    await inspect()
    return end.wasCancelled
  }

  private func note(_ error: any Error, _ wasCancelled: Bool) {
    hasFailed = true
    let isTyped =
      error is CancellationError || (error as? StoreError)?.code == .cancelled
      || (error as? ImportError)?.code == .cancelled
      || (error as? ImportError)?.storeError?.code == .cancelled
    if !isTyped { violations.append("says \(error)") }
    if !wasCancelled { violations.append("fails without being cancelled: \(error)") }
  }

  /// Checks the store and the view after a call.
  ///
  /// A call that returned has its whole effect. A call that failed has its whole effect, none, or a
  /// part that the operation allows. A live query equals a fetch.
  private func check(_ stack: Stack, _ live: LiveQuery<Note>, isDone: Bool) async throws {
    var stored = try await StoreContents.stored(stack).ledger
    if stored.notes.remove(Self.laterNote) == nil { violations.append("a later save is lost") }
    let isPart = operation.part == .someNotes && hasNotesBetween(stored)
    if stored != after && (isDone || (stored != before && !isPart)) {
      violations.append(isDone ? "what was acknowledged is not there" : "a part of it is there")
    }
    try await stack.viewContext.waitUntilMerged(stack.historyToken.commit)
    let fetched = try await stack.viewContext.fetch(Note.sorted(by: \.id))
    if Array(live.elements) != fetched { violations.append("a live query differs from a fetch") }
  }

  /// Returns whether the notes lie between the state before the call and the state after it.
  private func hasNotesBetween(_ ledger: Ledger) -> Bool {
    let all = before.notes.union(after.notes)
    let kept = before.notes.intersection(after.notes)
    return ledger.notes.isSubset(of: all) && ledger.notes.isSuperset(of: kept)
      && ledger.balances == after.balances && ledger.counters == after.counters
  }

  /// Checks that the next start of the program finds the same state, and that the history leads
  /// there.
  private func inspect() async {
    let found = await StoreInspection(store, start: start, token: token)
    violations += found.violations.map { "afterwards: \($0)" }
    var wanted = after
    wanted.notes.insert(Self.laterNote)
    if let ledger = found.ledger, ledger != wanted {
      violations.append("afterwards, it is not there")
    }
  }
}
