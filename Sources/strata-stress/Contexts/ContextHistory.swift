import Foundation
import Strata
import StrataImport
import StrataSQLite

/// A random history of contexts, and its model.
@MainActor
final class ContextHistory: RandomHistory {
  private let seed: UInt64
  let log: StepLog
  /// The numbers of steps of the only part.
  nonisolated static let steps = HistorySteps([60])
  var counts: [String: Int] = [:]

  let stack: Stack
  private let url: URL
  let second: Stack
  let view: ViewContext
  var random: SplitMix64
  /// The rows after each commit, by commit number.
  private(set) var states: [Int64: PlainRows] = [:]
  private(set) var newest: Int64
  /// The view context's edits that are not part of a save under way.
  var pending = PlainLayer()
  /// The save of the view context that is under way.
  private(set) var saving: Saving?
  /// Whether the task of the newest save has ended.
  private var hasEnded = false
  /// Whether the newest save of the view context failed, and no rollback followed.
  var hasFailed = false
  var workers: [ContextWorker] = []
  let screen: ContextScreen
  private let streams: ContextStreams

  /// A save of the view context that is under way.
  struct Saving {
    var layer: PlainLayer
    let outcome: PlainRows.Outcome
    let task: Task<StoreError.Code?, any Error>
  }

  private init(seed: UInt64, _ log: StepLog) async throws {
    (self.seed, self.log) = (seed, log)
    random = SplitMix64(seed: seed)
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-contexts-\(UUID().uuidString).sqlite")
    StoreFiles.remove(url)
    var options = Stack.Options()
    if random.oneIn(2) { options.history = .keep(for: .seconds(3600)) }
    if random.oneIn(2) { options.bounds.changedAtOnce = 0 }
    stack = try await Stack.open(PlainSchema.entities, at: url, options: options)
    second = try await Stack.open(PlainSchema.entities, at: url, options: options)
    view = stack.viewContext
    // Few groups, so that old groups go.
    if random.oneIn(3) { view.undoLimit = 1 + random.below(3) }
    newest = view.commit
    states[newest] = PlainRows()
    screen = try await ContextScreen(view, random.query(isRelated: false))
    streams = ContextStreams(stack)
  }

  /// The part of a seed that decides the schema.
  private static let schemaPart: UInt64 = 1

  /// Runs the history of a seed, and returns its counts.
  ///
  /// - Throws: ``Contradiction`` or a store's error.
  static func run(seed: UInt64, _ steps: HistorySteps, _ log: StepLog) async throws -> Report {
    var random = SplitMix64(seed: seed, part: schemaPart)
    let schema = PlainSchema(&random)
    log.add("the schema: \(schema)")
    return try await PlainSchema.$current.withValue(schema) {
      let history = try await ContextHistory(seed: seed, log)
      do { try await history.run(steps.numbers(of: 0)) } catch {
        await history.close()
        throw error
      }
      await history.close()
      return Report(mode: "contexts", counts: history.counts)
    }
  }

  private func begin(_ part: String?) { log.begin(part, of: "the history") }

  private func close() async {
    begin("the last save")
    _ = try? await saving?.task.value
    begin("closing")
    await second.close()
    await stack.close()
    begin(nil)
    StoreFiles.remove(url)
  }

  // MARK: - The model

  var current: PlainRows { states[newest] ?? PlainRows() }

  /// The layers of the view context at this moment, the lowest first.
  var viewLayers: [PlainLayer] {
    guard let saving else { return [pending] }
    if view.isSaving { return [saving.layer, pending] }
    if case .saved = saving.outcome { return [pending] }
    return [saving.layer.joined(with: pending)]
  }

  /// Returns the rows that the view context must show at this moment.
  func shown() throws -> PlainRows {
    guard let base = states[view.commit] else {
      throw Contradiction(
        description: "the view context shows the commit \(view.commit) of \(newest)")
    }
    return base.under(viewLayers)
  }

  /// Compares the result of a save with the expected outcome, and takes over the rows that it
  /// wrote.
  func didSave(
    _ layer: PlainLayer, _ policy: PlainPolicy, _ outcome: PlainRows.Outcome,
    commit: Int64?, _ code: StoreError.Code?
  ) throws {
    switch outcome {
    case .saved(let rows):
      try require(code == nil, "a save failed with \(code.map { "\($0)" } ?? ""): \(layer)")
      advance(to: rows)
      if let commit { try require(commit == newest, "commit \(commit), not \(newest)") }
    case .conflict: try refused(.conflict, code, layer)
    case .deleteDenied: try refused(.deleteDenied, code, layer)
    case .missingReference: try refused(.missingReference, code, layer)
    case .uniquenessViolated: try refused(.uniquenessViolated, code, layer)
    }
  }

  private func refused(
    _ expected: StoreError.Code, _ code: StoreError.Code?, _ layer: PlainLayer
  ) throws {
    counts[expected == .conflict ? "conflicts" : "refusals", default: 0] += 1
    try require(code == expected, "\(expected) expected, not \(code.map { "\($0)" } ?? "a commit")")
  }

  /// Records the rows of a new commit. Equal rows mean that there was no commit.
  ///
  /// - Parameter isCommitted: whether there was a commit even if the rows are equal.
  func advance(to rows: PlainRows, isCommitted: Bool = false) {
    if rows == current && !isCommitted { return }
    streams.willHear(rows, current)
    newest += 1
    states[newest] = rows
    counts["saves", default: 0] += 1
  }

  // MARK: - Steps

  private func run(_ steps: [Int]) async throws {
    for number in steps {
      random = HistorySteps.random(seed: seed, step: number)
      begin("step \(number)")
      try await step()
      try screen.check(self)
    }
    begin("the rest")
    try await finishSave()
    try await view.waitUntilMerged(newest)
    try screen.check(self, isAtRest: true)
    for worker in workers { try await worker.check(self) }
    begin("draining the streams")
    try await streams.drain(self)
    if random.oneIn(2) { try await saveView(.overwrite) }
    rollback()
    try screen.check(self, isAtRest: true)
    workers = []
    await second.close()
    await stack.close()
    let stored = try StoredRows(url).rows
    try require(stored == current, "the file has \(stored), not \(current)")
  }

  private func step() async throws {
    switch random.below(23) {
    case 0..<5: try editView()
    case 5: try await saveView(random.pick(PlainPolicy.allCases))
    case 6: try await beginSave(random.pick(PlainPolicy.allCases))
    case 7: try await finishSave()
    case 8:
      if saving != nil { return }
      rollback()
      note("view rolls back", "rollbacks")
    case 9: try await undo()
    case 20:
      switch random.below(3) {
      case 0: try await undoSeveral()
      case 1: try await undoSaved()
      default: try await undoDuringSave()
      }
    case 21: try await resolve()
    case 22:
      let query = random.query(isRelated: false)
      note("view shows \(query)", "queries")
      try await screen.generated.change(to: query)
    case 10:
      try await view.waitUntilMerged(newest)
      note("view merges \(newest)", "merges")
    case 11: try await beginWorker()
    case 12..<17:
      guard !workers.isEmpty else { return }
      let index = random.below(workers.count)
      if try await workers[index].step(self) { workers.remove(at: index) }
    case 17: try await actElsewhere()
    case 18: try await streams.step(self)
    default: for _ in 0..<random.below(4) { await Task.yield() }
    }
  }

  // MARK: The view context

  func editView() throws {
    joinFailedSave()
    switch random.below(8) {
    case 0..<4: try edit(screen.tables.books)
    case 4: try edit(screen.tables.shelves)
    case 5: try edit(screen.tables.pages)
    case 6: try edit(random.oneIn(2) ? nil : screen.tables.loans, screen.tables.topics)
    default:
      let link = random.link()
      let isThere = random.oneIn(2)
      link.set(isThere, in: view, fromBook: random.oneIn(2))
      pending.links[link] = isThere
      note("view links \(link): \(isThere)", "edits")
    }
  }

  private func edit(_ loans: LiveQuery<Loan>?, _ topics: LiveQuery<Topic>) throws {
    if let loans { try edit(loans) } else { try edit(topics) }
  }

  private func edit<E: PlainEntity>(_ live: LiveQuery<E>) throws {
    let key = random.key(of: E.table)
    let before = try shown()[E.table, key]
    guard let entity = live[id: key] else {
      let row = random.row(of: E.table)
      view.insert(E(key: key, row))
      note("view inserts \(E.table) \(key) \(words(row))", "edits")
      return pending.edit(E.table, key, from: before, to: row)
    }
    if random.oneIn(5) { return delete(entity, from: before) }
    let row = random.changed(entity.row, of: E.table)
    let result = view.update(entity) { $0 = E(key: key, row) }
    note("view updates \(E.table) \(key) \(words(entity.row)) to \(words(row))", "edits")
    if row != before { pending.edit(E.table, key, from: before, to: row) }
    let after = try shown()[E.table, key]
    try require(result.row == after ?? row, "the update returned \(words(result.row))")
  }

  private func delete<E: PlainEntity>(_ entity: E, from row: PlainRow?) {
    view.delete(entity)
    note("view deletes \(E.table) \(entity.id)", "edits")
    pending.edit(E.table, entity.id, from: row, to: nil)
  }

  /// Deletes a shown row that other rows may refer to.
  func deleteParent() throws {
    let rows = try shown()
    if random.oneIn(2), let shelf = screen.tables.shelves.elements.randomElement(using: &random) {
      delete(shelf, from: rows[.shelves, shelf.id])
    } else if let book = screen.tables.books.elements.randomElement(using: &random) {
      delete(book, from: rows[.books, book.id])
    }
  }

  /// Drops the view context's edits.
  func rollback() {
    view.rollback()
    pending = PlainLayer()
    hasFailed = false
  }

  func saveView(_ policy: PlainPolicy) async throws {
    try await finishSave()
    if pending.isEmpty { return }
    let (layer, outcome) = (pending, current.saving(pending, policy))
    note("view saves: \(policy)", "viewSaves")
    var commit: Int64?
    let code = try await code { commit = try await self.view.save(policy.strata) }
    hasFailed = code != nil
    try didSave(layer, policy, outcome, commit: commit, code)
    if code == nil { pending = PlainLayer() }
  }

  private func beginSave(_ policy: PlainPolicy) async throws {
    if saving != nil || pending.isEmpty { return }
    let layer = pending
    let isCancelled = random.oneIn(4)
    note("view begins to save: \(policy)\(isCancelled ? ", cancelled" : "")", "viewSaves")
    hasEnded = false
    let task = Task {
      defer { hasEnded = true }
      return try await code { try await self.view.save(policy.strata) }
    }
    if isCancelled {
      for _ in 0..<random.below(3) { await Task.yield() }
      task.cancel()
      let code = try await task.value
      hasFailed = code != nil && code != .cancelled
      if code == .cancelled { return }
      try didSave(layer, policy, current.saving(layer, policy), commit: nil, code)
      if code == nil { pending = PlainLayer() }
      return
    }
    while !view.isSaving && !hasEnded { await Task.yield() }
    let outcome = current.saving(layer, policy)
    saving = Saving(layer: layer, outcome: outcome, task: task)
    pending = PlainLayer()
    if case .saved(let rows) = outcome { advance(to: rows) }
  }

  /// Puts the edits of a failed save back under the edits that were made meanwhile.
  private func joinFailedSave() {
    guard let failed = saving, !view.isSaving else { return }
    if case .saved = failed.outcome { return }
    pending = failed.layer.joined(with: pending)
    saving?.layer = PlainLayer()
  }

  /// Waits for the save that is under way, and checks its result.
  func finishSave() async throws {
    guard let saving else { return }
    let code = try await saving.task.value
    hasFailed = code != nil
    if case .saved = saving.outcome {
      try require(code == nil, "a save failed with \(code.map { "\($0)" } ?? "")")
    } else {
      // The expected outcome still holds, because every other save of the model waits for this save
      // first.
      try didSave(saving.layer, .error, saving.outcome, commit: nil, code)
      pending = saving.layer.joined(with: pending)
    }
    self.saving = nil
    log.add("the save has ended")
  }

  func words(_ row: PlainRow?) -> String { PlainEdit.words(row) }

  /// Returns the error code of `body`; nil if it throws no error.
  func code(_ body: () async throws -> Void) async throws -> StoreError.Code? {
    do { try await body() } catch let error as StoreError { return error.code }
    return nil
  }
}

extension PlainPolicy {
  var strata: SavePolicy {
    switch self {
    case .error: .error
    case .mergeMine: .mergeMine
    case .mergeTheirs: .mergeTheirs
    case .overwrite: .overwrite
    case .discard: .discard
    }
  }
}
