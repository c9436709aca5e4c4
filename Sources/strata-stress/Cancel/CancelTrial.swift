import Foundation
import Strata
import StrataFaults
import StrataImport

/// One call that is cancelled at one moment, then made again.
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

  /// A note that a later save writes.
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

  /// - Returns: whether the call was cancelled before it ended.
  func run(cancellingAt number: Int, _ moment: CancelMoment) async throws -> Bool {
    let canceller = Canceller()
    ObservedFileSystem.observe(store.path, with: canceller)
    defer { ObservedFileSystem.endObserving(store.path, with: canceller) }
    var options = Stack.Options()
    options.history = .keep(for: .seconds(86_400))
    let stack = try await Stack.open(ChildProcess.entities, at: store, options: options)
    let live = stack.view.live(Note.sorted(by: \.id))
    try await live.load()
    let site = CancelSite(stack: stack, store: store, stamp: stamp)
    let end = await canceller.run(cancellingAt: number, moment) { [operation] in
      try await operation.run(site)
    }
    if let error = end.error { note(error, end.wasCancelled) }
    // Behind whatever is still under way.
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

  /// The store has all that was acknowledged, or nothing of it, and everybody sees the same.
  private func check(_ stack: Stack, _ live: LiveQuery<Note>, isDone: Bool) async throws {
    var stored = try await StoreContents.stored(stack).ledger
    if stored.notes.remove(Self.laterNote) == nil { violations.append("a later save is lost") }
    let isPart = operation.part == .someNotes && hasNotesBetween(stored)
    if stored != after && (isDone || (stored != before && !isPart)) {
      violations.append(isDone ? "what was acknowledged is not there" : "a part of it is there")
    }
    try await stack.view.merged(stack.historyToken.commit)
    let fetched = try await stack.view.fetch(Note.sorted(by: \.id))
    if Array(live.elements) != fetched { violations.append("a live query differs from a fetch") }
  }

  /// Whether the notes are on the way from what was before to what is after.
  private func hasNotesBetween(_ ledger: Ledger) -> Bool {
    let all = before.notes.union(after.notes)
    let kept = before.notes.intersection(after.notes)
    return ledger.notes.isSubset(of: all) && ledger.notes.isSuperset(of: kept)
      && ledger.balances == after.balances && ledger.counters == after.counters
  }

  /// The next start of the program finds the same, and the history leads there.
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
