import Foundation
import Strata
import StrataFaults
import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A random history of an app and its server.
@MainActor
final class ServerHistory: KilledHistory {
  private let seed: UInt64
  let log: StepLog
  /// The numbers of steps of the only part, before both sides come to rest.
  nonisolated static let steps = HistorySteps([30])
  var counts: [String: Int] = [:]
  private let url: URL
  var stack: Stack
  var outbox: Outbox
  /// The notes on the screen.
  private var shown: LiveQuery<SharedNote>
  let server: UnreliableServer
  var processes: KilledProcesses
  var random: SplitMix64
  var edits = UserEdits()
  /// The deletions that were sent and whose verdict is not known to be noted.
  let openDeletions = Lock(OpenDeletions())
  private var lastValue = 0
  var isRefreshing = false
  /// Whether a refresh was cancelled. Its commit may still arrive.
  private var hasCancelled = false
  /// Whether the history reverts every refused edit.
  var isSettling = false

  /// Runs the history of a seed, and returns its counts.
  ///
  /// - Throws: ``Contradiction`` or an error of the store.
  static func run(seed: UInt64, _ steps: HistorySteps, _ log: StepLog) async throws -> Report {
    let history = try await ServerHistory(seed: seed, log)
    do { try await history.run(steps.numbers(of: 0)) } catch {
      await history.close()
      throw error
    }
    await history.close()
    return Report(mode: "server", counts: history.counts)
  }

  private init(seed: UInt64, _ log: StepLog) async throws {
    (self.seed, self.log) = (seed, log)
    random = SplitMix64(seed: seed)
    server = UnreliableServer(seed: seed &+ 1)
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-server-\(UUID().uuidString).sqlite")
    StoreFiles.remove(url)
    processes = KilledProcesses(of: url)
    stack = try await Stack.open(SharedNote.self, Folder.self, at: url)
    outbox = try await stack.outbox()
    shown = stack.viewContext.live(SharedNote.all)
    let (isLines, pageSize) = (random.oneIn(2), random.oneIn(2) ? 2 + random.below(4) : nil)
    let hasValidators = random.oneIn(2)
    server.with { state in
      for _ in 0..<12 { state.edit() }
      (state.isLines, state.pageSize, state.hasValidators) = (isLines, pageSize, hasValidators)
    }
  }

  private func begin(_ part: String?) { log.begin(part, of: "the history") }

  private func close() async {
    begin("closing")
    await stack.close()
    begin(nil)
    processes.end()
    StoreFiles.remove(url)
    for (fault, count) in server.with({ $0.faults }) { counts["\(fault)", default: 0] += count }
  }

  // MARK: - Steps

  private func run(_ steps: [Int]) async throws {
    for number in steps {
      random = HistorySteps.random(seed: seed, step: number)
      begin("step \(number)")
      try await step()
    }
    begin("the rest")
    try await settle()
  }

  private func step() async throws {
    switch random.below(14) {
    case 12: try await suspend()
    case 13: try await evict()
    case 0..<2:
      server.with { $0.edit() }
      note("the server edits: \(server.notes)", "serverEdits")
    case 2..<6: try await edit()
    case 6..<8: try await push()
    case 8..<11: try await refresh()
    default: try await relaunch()
    }
  }

  func rows() async throws -> [Int: SharedNote] {
    let all = try await stack.fetch(SharedNote.all)
    return Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
  }

  private func newTitle() -> String {
    lastValue += 1
    return "local \(lastValue)\(random.oneIn(6) ? "!" : "")"
  }

  /// Returns an edit of the title, of the text or of both.
  func newEdit() -> LocalEdit {
    let (title, part) = (newTitle(), random.below(3))
    return .written(
      title: part == 0 ? nil : title, text: part == 1 ? nil : "local \(lastValue)")
  }

  /// Edits a random note. All random choices are made before the first wait.
  ///
  /// - Returns: the note's key, and the edit if it was made.
  @discardableResult
  func edit() async throws -> (id: Int, edit: LocalEdit?) {
    let id = random.oneIn(3) ? 100 + random.below(3) : 1 + random.below(12)
    var edit = newEdit()
    let (deletes, usesScratch) = (random.oneIn(4), random.oneIn(2))
    let folder = random.oneIn(3) ? Folder(id: lastValue) : nil
    let old = try await rows()[id]
    if old != nil && deletes { edit = .deleted }
    if old == nil { edit = .written(title: "", text: "").followed(by: edit) }
    note("the user makes \(id) \(edit)", "edits")
    guard try await save(edit, of: old, id, in: folder, usesScratch: usesScratch) else {
      return (id, nil)
    }
    if edit == .deleted, try await !waiting().contains(id) { edits.forgetDeletion(of: id) }
    return (id, edit)
  }

  /// Saves an edit, unless it comes too late for what a refresh commits.
  ///
  /// - Parameter folder: a new folder for the note.
  /// - Returns: whether it was saved.
  func save(
    _ edit: LocalEdit, of old: SharedNote?, _ id: Int, in folder: Folder? = nil, usesScratch: Bool
  ) async throws -> Bool {
    do {
      try await write(edit, of: old, id, in: folder, usesScratch: usesScratch)
    } catch let error as StoreError {
      guard error.code == .conflict, isRefreshing || hasCancelled else { throw error }
      stack.viewContext.rollback()
      note("the edit comes too late for what a refresh commits", "lateEdits")
      return false
    }
    edits.add(edit, to: id)
    return true
  }

  /// Writes or deletes a note through a scratch context or the view context.
  private func write(
    _ edit: LocalEdit, of old: SharedNote?, _ id: Int, in folder: Folder?, usesScratch: Bool
  ) async throws {
    let change = { @Sendable (note: inout SharedNote) in
      note.folderID = folder?.id ?? note.folderID
      if case .written(let title, let text) = edit {
        (note.title, note.text) = (title ?? note.title, text ?? note.text)
      }
      note.isRead = true
    }
    var new = SharedNote(id: id)
    change(&new)
    let view = stack.viewContext
    switch (old, edit) {
    case (let old?, .deleted):
      if usesScratch { return try await stack.withScratch { $0.delete(old) } }
      view.delete(old)
    case (nil, .deleted): return
    case (_, .written) where usesScratch:
      return try await stack.withScratch { [new] scratch in
        // The order of the edits is not that of the requests.
        if let old { scratch.update(old, change) } else { scratch.insert(new) }
        if let folder { scratch.insert(folder) }
      }
    case (_, .written):
      if let old { view.update(old, change) } else { view.insert(new) }
      if let folder { view.insert(folder) }
    }
    try await view.save()
  }

  /// Cancels work after some choices of the scheduler.
  func cancel<Value: Sendable>(_ work: Task<Value, any Error>) async {
    for _ in 0..<random.below(20) { await Task.yield() }
    work.cancel()
  }

  static func isCancellation(_ error: any Error) -> Bool {
    error is CancellationError || (error as? StoreError)?.code == .cancelled
  }

  private func feed() throws -> Feed {
    guard let url = URL(string: "http://server.invalid/notes") else { throw URLError(.badURL) }
    let isLines = server.with { $0.isLines }
    var feed = Feed(
      "notes", SharedNote.self, from: URLRequest(url: url), as: isLines ? .lines : .array,
      mapping: SharedNote.json, absent: .delete)
    feed.paging = .linkHeader
    return feed
  }

  private func refresh(isReliable: Bool = false) async throws {
    let before = try await rows()
    server.with { ($0.lasting, $0.ownEdits) = (Set($0.notes.keys), []) }
    edits.beginRefresh()
    let retries = RetryPolicy(limit: random.below(3), firstDelay: .zero)
    let refresher = Refresher(stack, transport: server.transport, retries: retries)
    let feed = try feed()
    let isCancelled = !isReliable && random.oneIn(6)
    let isKilled = armKill()
    let isBeside = !isKilled && !isReliable && random.oneIn(2)
    let faults = server.with { $0.faults }
    let task = Task { try await refresher.refresh(feed) }
    if isCancelled { await cancel(task) }
    hasCancelled = hasCancelled || isCancelled
    if isBeside { try await goOn(beside: feed, refresher) }
    let result = await task.result
    note("a refresh\(isCancelled ? ", cancelled" : ""): \(result)", "refreshes")
    if case .success = result {
      counts["successfulRefreshes", default: 0] += 1
    } else if !isKilled && !hasCancelled && !isBeside {
      let passing = server.with { $0.faults(since: faults) }
      try require(
        passing.map { $0 > retries.limit } ?? true, "a refresh survives no failure: \(result)")
    }
    if isKilled { try await endKill() }
    let (after, waiting) = (try await rows(), try await waiting())
    // The server's row has told that an earlier request has arrived.
    for (id, edit) in edits.waiting
    where !waiting.contains(id) && edit.isContained(in: after[id]?.shared) {
      edits.acknowledge(id)
    }
    for request in try await outbox.requests() + outbox.refusals().map(\.request)
    where request.kind == .update {
      if let id = request.id(of: SharedNote.self) { edits.narrow(id, to: request.attributes) }
    }
    try check(after, after: before)
  }

  /// Edits, pushes and asks for a refresh once more while a refresh is under way.
  private func goOn(beside feed: Feed, _ refresher: Refresher) async throws {
    isRefreshing = true
    defer { isRefreshing = false }
    for _ in 0..<1 + random.below(3) {
      try await server.pause()
      switch random.below(6) {
      case 0..<2: try await edit()
      case 2..<4: try await push()
      case 4: try await suspend()
      default:
        let result = try? await refresher.refresh(feed)
        note("another caller of the refresh: \(result.map { "\($0)" } ?? "failed")", "callers")
      }
    }
    counts["besideRefreshes", default: 0] += 1
  }

  /// Checks the rows after a refresh.
  private func check(_ after: [Int: SharedNote], after before: [Int: SharedNote]) throws {
    let (lasting, ownEdits) = server.with { ($0.lasting, $0.ownEdits) }
    // An insertion that is given up leaves no row, and the answer may have one.
    let kept = before.filter { !edits.touched.contains($0.key) }
    for (id, row) in kept where after[id] == nil && lasting.contains(id) {
      try require(
        edits.waiting[id] != nil, "\(id) is deleted, and the server has it: \(row)")
    }
    try edits.check(after, ownEdits: ownEdits)
    for (id, row) in after where kept[id]?.isRead == true {
      try require(row.isRead, "\(id) was read: the server's answer says nothing of that")
    }
  }

  /// Suspends the app for a while.
  private func suspend() async throws {
    note("the app is suspended", "appSuspensions")
    await stack.suspend()
    try await server.pause()
    try await stack.resume()
  }

  /// Evicts most notes. Notes whose edits wait stay.
  private func evict() async throws {
    let left = random.below(6)
    let evicting = Task { [stack] in
      try await stack.evict(.beyond(newest: left, by: \SharedNote.id))
    }
    let isCancelled = random.oneIn(4)
    if isCancelled { await cancel(evicting) }
    do {
      note("an eviction: \(try await evicting.value)", "noteEvictions")
    } catch  where isCancelled && Self.isCancellation(error) {
      note("an eviction is cancelled", "cancelledEvictions")
    }
    let rows = try await rows()
    for (id, edit) in edits.waiting {
      try require(
        edit.isContained(in: rows[id]?.shared), "\(id) was \(edit), and is \(rows[id] as Any)")
    }
  }

  private func relaunch() async throws {
    note("a relaunch", "relaunches")
    await stack.close()
    try await open()
  }

  func open() async throws {
    stack = try await Stack.open(SharedNote.self, Folder.self, at: url)
    outbox = try await stack.outbox()
    shown = stack.viewContext.live(SharedNote.all)
    hasCancelled = false
  }

  private var shownNotes: [Int: UnreliableServer.Note] {
    Dictionary(uniqueKeysWithValues: shown.elements.map { ($0.id, $0.shared) })
  }

  /// Makes the server reliable and checks that both sides become equal.
  private func settle() async throws {
    isSettling = true
    server.with { state in
      state.isReliable = true
      // Without validators, a refresh cannot verify several pages and deletes no absent rows.
      if !state.hasValidators { state.pageSize = nil }
    }
    try await push()
    for refusal in try await outbox.refusals() { try await end(refusal) }
    // A refresh brings evicted rows back.
    if random.oneIn(2) { try await evict() }
    try await refresh(isReliable: true)
    try require(try await outbox.requests().isEmpty, "something waits: \(edits.waiting)")
    let folders = Set(try await stack.fetch(Folder.all).map(\.id))
    try require(folders == server.folders, "the server has \(server.folders), not \(folders)")
    let notes = try await rows().mapValues(\.shared)
    // An empty answer in lines does not prove that the server has no notes, so no row is deleted.
    if server.notes.isEmpty && server.with({ $0.isLines }) { return }
    try require(notes == server.notes, "the store has \(notes), the server \(server.notes)")
    await Pause.until { shownNotes == notes }
    try require(shownNotes == notes, "the screen shows \(shownNotes), the store has \(notes)")
  }
}
