import Foundation
import Strata
import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A random history of an app that caches a ``VersionedServer``, which a script edits, too.
///
/// The rules are those of the article about apps that are offline first. An edit of the user is shown
/// until the server has it, or the user has given it up. No request overwrites a value that the user has not
/// seen. A note is never there twice. Each feed is read with a validator, which never hides what the store
/// lacks. At rest both sides are equal.
@MainActor
final class CacheHistory: KilledHistory {
  nonisolated static let steps = HistorySteps([30])
  /// The key of the note that was made before the store had an outbox.
  private nonisolated static let first = -9_000
  private let seed: UInt64
  let log: StepLog
  var counts: [String: Int] = [:]
  private let url: URL
  var stack: Stack
  var outbox: Outbox
  var processes: KilledProcesses
  let server: VersionedServer
  var random: SplitMix64
  /// The values that the user gave, by note and attribute; nil for a note that the user deleted.
  var mine: [UUID: [String: String]?] = [:]
  /// The notes that have the values of a server's row again, which may be older than a deletion that the server
  /// has done since. The next refresh of all notes mends their references.
  var restored: Set<UUID> = []
  private var lastValue = 0
  /// Whether every conflict and every refusal is ended.
  var isSettling = false

  static func run(seed: UInt64, _ steps: HistorySteps, _ log: StepLog) async throws -> Report {
    let history = try await CacheHistory(seed: seed, log)
    do { try await history.run(steps.numbers(of: 0)) } catch {
      await history.close()
      throw error
    }
    await history.close()
    return Report(mode: "cache", counts: history.counts)
  }

  private init(seed: UInt64, _ log: StepLog) async throws {
    (self.seed, self.log) = (seed, log)
    random = SplitMix64(seed: seed)
    server = VersionedServer(seed: seed &+ 1)
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-cache-\(UUID().uuidString).sqlite")
    StoreFiles.remove(url)
    processes = KilledProcesses(of: url)
    stack = try await Self.openStack(at: url)
    server.with { state in for _ in 0..<6 { _ = state.edit() } }
    let first = CachedNote(
      id: Self.first, localID: VersionedServer.localID(9_000), title: "first")
    try await stack.withScratch { $0.insert(first) }
    outbox = try await stack.outbox()
    if random.oneIn(2) { try await outbox.add(CachedNote.all) }
    if let localID = first.localID { mine[localID] = first.values }
  }

  private func close() async {
    await stack.close()
    processes.end()
    StoreFiles.remove(url)
  }

  // MARK: - Steps

  private func run(_ steps: [Int]) async throws {
    for number in steps {
      random = HistorySteps.random(seed: seed, step: number)
      log.begin("step \(number)", of: "the history")
      try await step()
      try await check()
    }
    log.begin("the rest", of: "the history")
    try await settle()
    log.begin(nil, of: "the history")
  }

  private func step() async throws {
    switch random.below(14) {
    case 12: try await importTwice()
    case 13: try await refreshTags()
    case 0..<3: editServer()
    case 3..<6: try await edit()
    case 6..<8: try await push()
    case 8..<10: try await refreshOrDie()
    case 10: try await endConflicts()
    default:
      note("a relaunch", "relaunches")
      await stack.close()
      try await open()
    }
  }

  func open() async throws {
    stack = try await Self.openStack(at: url)
    outbox = try await stack.outbox()
  }

  private static func openStack(at url: URL) async throws -> Stack {
    try await Stack.open(
      CachedNote.self, CachedTag.self, CachedComment.self, Folder.self, at: url)
  }

  private func editServer() { note("the script \(server.with { $0.edit() })", "scriptEdits") }

  /// Lets the user, the script or a refresh work while a request is under way.
  func workBesideRequest() async throws {
    if isSettling { return }
    switch random.below(9) {
    case 0: try await edit()
    case 1: editServer()
    case 2: try await refresh(isWhole: random.oneIn(2))
    default: return
    }
    counts["besidePushes", default: 0] += 1
  }

  private func refreshOrDie() async throws {
    let isKilled = armKill()
    do {
      if random.oneIn(3) {
        try await refreshDocument()
      } else {
        try await refresh(isWhole: random.oneIn(2))
      }
    } catch _ where kill.isDead {
      note("a refresh is killed", "killedRefreshes")
    }
    if isKilled { try await endKill() }
  }

  func rows() async throws -> [UUID: CachedNote] {
    var rows: [UUID: CachedNote] = [:]
    for row in try await stack.fetch(CachedNote.all) {
      guard let localID = row.localID else { continue }
      try require(rows.updateValue(row, forKey: localID) == nil, "\(localID) is there twice")
    }
    return rows
  }

  private func newNote(number: Int?) -> CachedNote {
    lastValue += 1
    return CachedNote(
      id: -lastValue, localID: VersionedServer.localID(lastValue),
      title: "mine \(lastValue)\(random.oneIn(6) ? "!" : "")", text: "mine", number: number)
  }

  /// Makes, edits or deletes a note.
  private func edit() async throws {
    lastValue += 1
    let (choice, part) = (random.below(5), random.below(4))
    let number = random.oneIn(3) ? nil : 1 + random.below(6)
    let all = try await rows().values.sorted { $0.id < $1.id }
    let old = all.isEmpty ? nil : all[random.below(all.count)]
    do {
      guard choice > 0, let old, let localID = old.localID else {
        var new = newNote(number: number)
        if random.oneIn(2) { new.replyTo = random.oneIn(4) ? new.id : old?.id }
        try await stack.withScratch { [new] in $0.insert(new) }
        if let localID = new.localID { mine[localID] = new.values }
        return note("the user makes \(new.id): \(new.values)", "insertions")
      }
      if choice == 1 {
        try await stack.withScratch { $0.delete(old) }
        mine[localID] = .some(nil)
        return note("the user deletes \(old.id)", "deletions")
      }
      var new = old
      switch part {
      case 0: new.title = "mine \(lastValue)\(random.oneIn(6) ? "!" : "")"
      case 1: new.text = "mine \(lastValue)"
      case 2: new.number = number
      default: new.replyTo = all.first { $0.id != old.id }?.id
      }
      let isAside = try await waiting()[localID]?.isAside == true
      try await stack.withScratch { [new] scratch in scratch.update(old) { $0 = new } }
      // An edit is made to the server's row, and gives the edits up that were set aside.
      if isAside && new.values != old.values { mine[localID] = [:] }
      for (name, value) in new.values where old.values[name] != value {
        mine[localID, default: [:]]?[name] = value
      }
      note("the user edits \(old.id): \(new.values)", "edits")
    } catch let error as StoreError where error.code == .uniquenessViolated {
      note("the number is taken here", "takenHere")
    } catch let error as StoreError where error.code == .validationFailed {
      note("the edit breaks a rule", "brokenHere")
    }
  }

  private func feed<E: Entity>(
    _ name: String, _ type: E.Type, _ mapping: JSONMapping<E>
  ) throws -> Feed {
    guard let url = URL(string: "http://server.invalid/\(name)") else { throw URLError(.badURL) }
    return Feed(name, type, from: URLRequest(url: url), mapping: mapping, absent: .delete)
  }

  func refresh(isWhole: Bool) async throws {
    var feed = try feed(isWhole ? "notes" : "parts", CachedNote.self, CachedNote.json)
    if random.oneIn(3) { feed.options.commits = .atomic }
    let result = try await Refresher(stack, transport: server.transport).refresh(feed)
    note("a refresh\(isWhole ? "" : " in part"): \(result)", "refreshes")
    try await checkRefresh(isWhole: isWhole)
  }

  /// Refreshes the notes together with their comments.
  private func refreshDocument() async throws {
    guard let url = URL(string: "http://server.invalid/all") else { throw URLError(.badURL) }
    let document = JSONDocument {
      JSONRecords(CachedNote.self, at: "notes", CachedNote.json)
      JSONRecords(CachedComment.self, at: "comments", CachedComment.json)
    }
    var feed = Feed("all", document, from: URLRequest(url: url), absent: .delete)
    if random.oneIn(3) { feed.options.commits = .atomic }
    let result = try await Refresher(stack, transport: server.transport).refresh(feed)
    note("a refresh with comments: \(result)", "commentRefreshes")
    try await checkRefresh(isWhole: true, hasComments: true)
    let comments = server.with(\.comments)
    let stored = try await stack.fetch(CachedComment.all)
    let there = try await Set(stack.fetch(CachedNote.all).map(\.id))
    for comment in stored {
      let note = comments[comment.id]
      // A comment stays where it is while the note is deleted here to which the server has moved it.
      let isHindered = note.map { !there.contains($0) } ?? false
      try require(note == comment.noteID || isHindered, "\(comment) is not the server's")
    }
    let waiting = try await Set(outbox.requests().compactMap { $0.id(of: CachedComment.self) })
    let known = Set(stored.map(\.id)).union(waiting)
    for (id, note) in comments where !known.contains(id) {
      try require(!there.contains(note), "the comment \(id) of \(note) is missing")
      counts["hinderedComments", default: 0] += 1
    }
  }

  private func refreshTags() async throws {
    let feed = try feed("tags", CachedTag.self, CachedTag.json)
    let result = try await Refresher(stack, transport: server.transport).refresh(feed)
    note("a refresh of the tags: \(result)", "tagRefreshes")
    let (tags, known) = (try await stack.fetch(CachedTag.all).map(\.id), server.with { $0.tags })
    try require(Set(tags) == known, "the store has the tags \(tags), the server \(known.sorted())")
  }

  /// Imports a document that has a note twice, with an older title first, and imports it again.
  ///
  /// The records are too far from each other for one batch.
  private func importTwice() async throws {
    let notes = server.notes.values.sorted { $0.id < $1.id }
    guard random.oneIn(4), !notes.isEmpty else { return }
    let last = notes[random.below(notes.count)]
    var first = last
    first.title = "older"
    let document = JSONDocument {
      JSONRecords(CachedNote.self, at: "first", CachedNote.json)
      JSONRecords(Folder.self, at: "folders", JSONMapping { Field(\.id, "id") })
      JSONRecords(CachedNote.self, at: "last", CachedNote.json)
    }
    let folders = (1...600).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    let text =
      #"{"first":[\#(first.record())],"folders":[\#(folders)],"last":[\#(last.record())]}"#
    var commits: [Int64] = []
    do {
      for _ in 0..<2 {
        let result = try await stack.importJSON(document, from: .data(Data(text.utf8)))
        note("\(last.id) comes twice: \(result)", "twice")
        commits.append(stack.historyToken.commit)
      }
    } catch let error as ImportError where error.storeError?.code == .uniquenessViolated {
      // The server has taken the number from a note that the next refresh deletes.
      return note("the number of \(last.id) is taken by an absent note", "absentOwner")
    }
    try require(commits[0] == commits[1], "\(last.id) is written again")
  }

  // MARK: - Checks

  /// The requests that wait, with refused requests, by note.
  func waiting() async throws -> [UUID: (request: PushRequest, isAside: Bool)] {
    var waiting: [UUID: (PushRequest, Bool)] = [:]
    for request in try await outbox.requests() {
      if let localID = localID(of: request) { waiting[localID] = (request, false) }
    }
    for refusal in try await outbox.refusals() {
      guard let localID = localID(of: refusal.request) else { continue }
      waiting[localID] = (refusal.request, refusal.isSetAside)
    }
    return waiting
  }

  func localID(of request: PushRequest) -> UUID? {
    request.value(as: CachedNote.self)?.localID ?? request.before(as: CachedNote.self)?.localID
  }

  /// Checks that the user sees the edits that no server has.
  private func check() async throws {
    let (rows, waiting) = (try await rows(), try await waiting())
    for (localID, edit) in mine {
      guard let state = waiting[localID] else {
        // The server has the edit, or has never heard of the note.
        mine[localID] = nil
        if edit == nil && rows[localID] == nil { continue }
        // A request whose answer was lost may have arrived, and the script may have edited the note since.
        let taken = server.with { $0.taken[localID] ?? [] }
        try require(
          edit?.allSatisfy { name, value in
            rows[localID]?.values[name] == value || name == "replyTo"
              || taken.contains("\(name) \(value)")
          } == true,
          "\(localID) waits no longer, is \(rows[localID] as Any), and was \(edit as Any)")
        continue
      }
      if state.isAside { continue }
      guard let edit else {
        try require(rows[localID] == nil, "\(localID) was deleted, and is \(rows[localID] as Any)")
        continue
      }
      // A reply to a note that goes, or that gets a key, changes with the note.
      let taken = server.with { $0.taken[localID] ?? [] }
      for (name, value) in edit where name != "replyTo" {
        let isDone = state.request.kind == .update && !state.request.attributes.contains(name)
        if isDone && taken.contains("\(name) \(value)") {
          mine[localID]??[name] = nil
          continue
        }
        try require(
          rows[localID]?.values[name] == value,
          "\(name) of \(localID) was \(value), and is \(rows[localID] as Any)")
        // The server has this value of the row already.
        if isDone { mine[localID]??[name] = nil }
      }
    }
    let complaints = server.with { $0.complaints }
    try require(complaints.isEmpty, "overwritten unseen: \(complaints)")
    for row in rows.values where row.replyTo != nil {
      let isThere = rows.values.contains { $0.id == row.replyTo }
      // A note that was set aside, or whose deletion the server has not done.
      let isElsewhere = waiting.values.contains { state in
        (state.isAside || state.request.kind == .delete)
          && state.request.id(of: CachedNote.self) == row.replyTo
      }
      let isOld =
        row.localID.map(restored.contains) == true && server.notes[row.replyTo ?? 0] == nil
      try require(
        isThere || isElsewhere || isOld,
        "\(row.id) replies to \(row.replyTo ?? 0), which is nowhere")
    }
  }

  /// Checks the rows after a refresh: they are the server's, except where edits wait.
  ///
  /// - Parameter hasComments: whether the refresh was one of notes and comments.
  private func checkRefresh(isWhole: Bool, hasComments: Bool = false) async throws {
    if isWhole { restored = [] }
    let (rows, waiting) = (try await rows(), try await waiting())
    // A note would take along the comments that the server has moved to a note that is deleted here.
    let moved = server.with(\.comments)
    let commented = try await hasComments ? stack.fetch(CachedComment.all) : []
    let keeping = Set(commented.filter { moved[$0.id] != nil }.map(\.noteID))
    // A reply that waits keeps a row which the server has removed, and the number that the server has
    // given to another row.
    let held = rows.values.filter { server.notes[$0.id] == nil }.compactMap(\.number)
    for note in server.notes.values {
      guard let localID = note.localID, waiting[localID] == nil else { continue }
      let row = rows[localID]
      if let number = note.number, row?.number != number, held.contains(number) { continue }
      try require(
        row?.id == note.id && (!isWhole || row?.version == note.version), "\(note) is \(row as Any)"
      )
      for (name, value) in note.values where isWhole || name != "text" {
        try require(row?.values[name] == value, "\(name) of \(note) is \(row as Any)")
      }
      try await checkTags(of: note.id)
    }
    let known = Set(server.notes.values.compactMap(\.localID))
    for (localID, row) in rows where !known.contains(localID) {
      // A rule would take away the reference of an edit that waits.
      if rows.contains(where: { waiting[$0.key] != nil && $0.value.replyTo == row.id }) { continue }
      if keeping.contains(row.id) { continue }
      // The first note may not have been added yet.
      try require(
        waiting[localID] != nil || row.id == Self.first,
        "\(row) is not the server's, and waits for nothing")
    }
  }

  /// Checks that a note is linked with those of the server's tags that the store has.
  private func checkTags(of id: Int) async throws {
    let stored = try await stack.fetch(CachedTag.all).map(\.id)
    let links = try await Set(stack.fetch(CachedNote.tags(of: id)).map(\.id))
    let tags = server.with { $0.tagged[id] ?? [] }
    // The deletion of a note takes its links along, and they may still wait when the note is back.
    let removed = try await outbox.requests().filter { $0.kind == .delete }
      .compactMap { $0.link(of: CachedNote.tags) }.filter { $0.root == id }.map(\.target)
    try require(
      links == tags.intersection(stored).subtracting(removed),
      "\(id) has the tags \(links), not \(tags) in \(stored)")
  }

  /// Makes the server reliable, and checks that both sides become equal.
  private func settle() async throws {
    isSettling = true
    server.with { $0.isReliable = true }
    try await outbox.addEverything()
    for _ in 0..<6 {
      try await refreshTags()
      try await refreshDocument()
      try await endConflicts()
      try await push()
      if try await waiting().isEmpty { break }
    }
    try await refreshDocument()
    let left = try await outbox.requests() + outbox.refusals().map(\.request)
    try require(left.isEmpty, "something waits: \(left)")
    let all = try await stack.fetch(CachedNote.all)
    let notes = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
    try require(notes == server.notes, "the store has \(notes), the server \(server.notes)")
    let comments = try await stack.fetch(CachedComment.all)
    try require(
      Dictionary(uniqueKeysWithValues: comments.map { ($0.id, $0.noteID) })
        == server.with(\.comments), "the store has the comments \(comments)")
    try await check()
  }
}
