import Foundation
import Strata
import StrataFaults
import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A random history of an app and its server.
@MainActor
final class ServerHistory {
  private let seed: UInt64
  private let log: StepLog
  /// The numbers of steps of the only part, before both sides come to rest.
  nonisolated static let steps = HistorySteps([30])
  /// The part of a seed that decides the first step.
  private static let stepsPart: UInt64 = 10
  private var counts: [String: Int] = [:]
  private let url: URL
  private var stack: Stack
  private var outbox: Outbox
  /// The notes on the screen.
  private var shown: LiveQuery<SharedNote>
  private let server: UnreliableServer
  /// The kill of the process that has the store open.
  private var kill = Kill()
  private var random: SplitMix64
  private var edits = UserEdits()
  private var lastValue = 0
  private var isRefreshing = false
  /// Whether a refresh was cancelled. Its commit may still arrive.
  private var hasCancelled = false
  /// Whether the history reverts every refused edit.
  private var isSettling = false

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
    ObservedFileSystem.observe(url.path, with: kill)
    stack = try await Stack.open(SharedNote.self, at: url)
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
    ObservedFileSystem.endObserving(url.path, with: kill)
    StoreFiles.remove(url)
    for (fault, count) in server.with({ $0.faults }) { counts["\(fault)", default: 0] += count }
  }

  private func note(_ step: String, _ kind: String) {
    log.add(step)
    counts[kind, default: 0] += 1
  }

  private func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    try Contradiction.unless(condition, text())
  }

  // MARK: - Steps

  private func run(_ steps: [Int]) async throws {
    for number in steps {
      random = SplitMix64(seed: seed, part: Self.stepsPart + UInt64(number))
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

  private func rows() async throws -> [Int: SharedNote] {
    let all = try await stack.fetch(SharedNote.all)
    return Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
  }

  private func newTitle() -> String {
    lastValue += 1
    return "local \(lastValue)\(random.oneIn(6) ? "!" : "")"
  }

  /// Returns an edit of the title, of the text or of both.
  private func newEdit() -> LocalEdit {
    let (title, part) = (newTitle(), random.below(3))
    return .written(
      title: part == 0 ? nil : title, text: part == 1 ? nil : "local \(lastValue)")
  }

  /// Edits a random note. All random choices are made before the first wait.
  ///
  /// - Returns: the note's key, and the edit if it was made.
  @discardableResult
  private func edit() async throws -> (id: Int, edit: LocalEdit?) {
    let id = random.oneIn(3) ? 100 + random.below(3) : 1 + random.below(12)
    var edit = newEdit()
    let (deletes, usesScratch) = (random.oneIn(4), random.oneIn(2))
    let old = try await rows()[id]
    if old != nil && deletes { edit = .deleted }
    if old == nil { edit = .written(title: "", text: "").followed(by: edit) }
    note("the user makes \(id) \(edit)", "edits")
    guard try await save(edit, of: old, id, usesScratch: usesScratch) else { return (id, nil) }
    if edit == .deleted, try await !waiting().contains(id) { edits.forgetDeletion(of: id) }
    return (id, edit)
  }

  /// Saves an edit, unless it comes too late for what a refresh commits.
  ///
  /// - Returns: whether it was saved.
  private func save(
    _ edit: LocalEdit, of old: SharedNote?, _ id: Int, usesScratch: Bool
  ) async throws -> Bool {
    do {
      try await write(edit, of: old, id, usesScratch: usesScratch)
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
    _ edit: LocalEdit, of old: SharedNote?, _ id: Int, usesScratch: Bool
  ) async throws {
    let change = { @Sendable (note: inout SharedNote) in
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
    case (let old?, .written):
      if usesScratch { return try await stack.withScratch { $0.update(old, change) } }
      view.update(old, change)
    case (nil, .written):
      if usesScratch { return try await stack.withScratch { [new] in $0.insert(new) } }
      view.insert(new)
    }
    try await view.save()
  }

  /// Returns the keys of the rows with requests in the outbox, including refused requests.
  private func waiting() async throws -> Set<Int> {
    let keys = try await outbox.requests().map(\.key) + outbox.refusals().map(\.request.key)
    return Set(
      keys.compactMap { key in
        if case .integer(let id) = key.cell { Int(id) } else { nil }
      })
  }

  private func push() async throws {
    let before = edits.waiting
    let isKilled = armKill()
    let verdicts = Lock<[(id: Int, verdict: PushVerdict)]>([])
    let unasked = Lock<[Int]>([])
    let wrong = Lock<[String]>([])
    // The user goes on editing while the server is asked.
    var editing: Task<(id: Int, edit: LocalEdit?), any Error>?
    if !isKilled, !isSettling, random.oneIn(3) {
      editing = Task { try await self.edit() }
      counts["editsInPushes", default: 0] += 1
    }
    do {
      let result = try await outbox.push { [server, kill] request in
        if kill.isDead { throw URLError(.networkConnectionLost) }
        guard case .integer(let key) = request.key.cell else { return .refused("no key") }
        let id = Int(key)
        // The outbox must not send an acknowledged edit again before the row is edited again.
        if before[id] == nil || verdicts.withLock({ $0.contains { $0.id == id } }) {
          unasked.withLock { $0.append(id) }
        }
        // A row that is edited meanwhile is compared at the end, with the server's.
        if let edit = before[id], !edit.isSent(by: request) {
          wrong.withLock { $0.append("\(id) as \(request), not \(edit)") }
        }
        let (kind, names) = (request.kind, request.attributes)
        let note = kind == .delete ? nil : request.value(as: SharedNote.self)?.shared
        try await server.pause()
        guard let verdict = server.with({ $0.apply(kind, id, note, names) }) else {
          throw URLError(.networkConnectionLost)
        }
        try await server.pause()
        verdicts.withLock { $0.append((id, verdict)) }
        return verdict
      }
      note("a push: \(result)", "pushes")
    } catch is URLError {
      note("a push is lost", "lostPushes")
    } catch let error as StoreError where kill.isDead {
      note("a push is killed: \(error.code)", "killedPushes")
    }
    let meanwhile = try await editing?.value
    if isKilled { try await endKill() }
    let seen = verdicts.withLock { $0 }
    log.add("verdicts \(seen)")
    let waiting = try await waiting()
    // A killed process may not have stored the last answers.
    for (id, verdict) in seen where verdict == .done && id != meanwhile?.id {
      if !isKilled || !waiting.contains(id) { edits.acknowledge(id) }
    }
    if let (id, edit) = meanwhile, let all = edits.waiting[id] {
      if waiting.contains(id) {
        // The server has the edits from before the push.
        if seen.contains(where: { $0 == (id, .done) }), let edit {
          edits.acknowledge(id, before[id], butNot: edit)
        }
      } else {
        let found = server.notes[id]
        // An insertion that the server has not made, and its deletion, leave nothing to push. The
        // server may have a note of its own with the same key.
        let isUnmade = edit == .deleted && seen.contains { $0.id == id && $0.verdict != .done }
        // Beside a refresh the server may have edited the note itself since.
        let isChanged = isRefreshing && server.with { $0.ownEdits.contains(id) }
        try require(
          isUnmade || isChanged || all.isContained(in: found),
          "\(id) does not wait, and the server has \(found as Any)")
        if isUnmade { edits.giveUp(id) } else { edits.acknowledge(id) }
      }
    }
    let ids = Set(edits.waiting.keys)
    try require(waiting == ids, "\(waiting.sorted()) wait, not \(ids.sorted())")
    let unaskedIDs = unasked.withLock { $0 }.filter { $0 != meanwhile?.id }
    try require(unaskedIDs.isEmpty, "sent unasked: \(unaskedIDs)")
    let wrongs = wrong.withLock { $0 }.filter { text in
      meanwhile.map { !text.hasPrefix("\($0.id) ") } ?? true
    }
    try require(wrongs.isEmpty, "sent otherwise than edited: \(wrongs)")
    for refusal in try await outbox.refusals() { try await end(refusal) }
  }

  /// Reverts a refused edit, replaces it, or leaves it.
  private func end(_ refusal: PushRefusal) async throws {
    guard case .integer(let key) = refusal.request.key.cell else { return }
    let id = Int(key)
    counts["refusals", default: 0] += 1
    edits.refuse(id)
    switch isSettling ? 0 : random.below(3) {
    case 0:
      try require(try await outbox.revert(refusal), "the refusal of \(id) is not given up")
      note("the edit of \(id) is given up", "reverts")
      edits.giveUp(id)
    case 1:
      guard let row = try await rows()[id] else { return }
      let edit = newEdit()
      note("the user makes \(id) \(edit) instead", "edits")
      _ = try await save(edit, of: row, id, usesScratch: true)
    default: return
    }
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
    if isCancelled {
      for _ in 0..<random.below(20) { await Task.yield() }
      task.cancel()
    }
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
    try check(try await rows(), after: before)
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
    let report = try await stack.evict(.beyond(newest: random.below(6), by: \SharedNote.id))
    note("an eviction: \(report)", "noteEvictions")
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

  /// Arms the kill for the work that follows, at random.
  ///
  /// - Returns: whether the kill is armed.
  private func armKill() -> Bool {
    guard !isSettling, random.oneIn(4) else { return false }
    kill.arm(after: random.below(30))
    return true
  }

  /// Replaces a killed process by a new process, which opens the store again.
  private func endKill() async throws {
    guard kill.disarm() else { return }
    note("the process was killed", "kills")
    await stack.close()
    ObservedFileSystem.endObserving(url.path, with: kill)
    kill = Kill()
    ObservedFileSystem.observe(url.path, with: kill)
    try await open()
  }

  private func open() async throws {
    stack = try await Stack.open(SharedNote.self, at: url)
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
    try await refresh(isReliable: true)
    try require(try await outbox.requests().isEmpty, "something waits: \(edits.waiting)")
    let notes = try await rows().mapValues(\.shared)
    // An empty answer in lines does not prove that the server has no notes, so no row is deleted.
    if server.notes.isEmpty && server.with({ $0.isLines }) { return }
    try require(notes == server.notes, "the store has \(notes), the server \(server.notes)")
    await Pause.until { shownNotes == notes }
    try require(shownNotes == notes, "the screen shows \(shownNotes), the store has \(notes)")
  }
}
