import Foundation
import StrataTesting

@testable import Strata
@testable import StrataReplica

struct Note: Entity, Hashable {
  var id = 0
  var title = ""
  var count = 0

  static let schema = Schema<Note>("notes", key: \.id) {
    Attribute(\.title)
    Attribute(\.count).merged(by: .sum)
  }
}

/// The parts of PostgreSQL that matter to a replica: transactions that run for any time and end in any order,
/// snapshots, a log of keys, commits that are not on the disk yet, crashes, restored backups,
/// connections that break before or after a statement, and rows that a constraint refuses.
final class ModelServer: Sendable {
  /// The contents that a crash takes back to the last flush.
  struct Contents: Sendable {
    var rows: [Int: Note] = [:]
    var log: [(transaction: UInt64, key: Int)] = []
    var replaced: [(transaction: UInt64, key: Int)] = []
    var clients: [UUID: ServerClient] = [:]
    var next: UInt64 = 10
    var horizon = "1:1:"
    /// The amount by which the server's own transactions have raised the counters.
    var raised = 0
  }

  struct State: Sendable {
    var contents = Contents()
    var flushed = Contents()
    var backup = Contents()
    var open: [UInt64: [Int: Note?]] = [:]
    var (written, onDisk): (UInt64, UInt64) = (0, 0)
    var (epoch, system, generation) = (UUID(), 1, 0)
    var database = UUID()
    var random = SeededRandom(seed: 0)
    /// How seldom a call fails; 0 for never.
    var failures = 0
    /// Whether no replica can connect.
    var isDown = false
    /// A commit that the server has received and not made yet, although its connection is gone.
    var inFlight: Step?
    /// Whether the next commit stays in flight until a page is read, and claims do not wait for it.
    var isSlow = false
    /// The number of pages that were read.
    var pages = 0
    /// The fingerprint of the table.
    var shape = ""
    /// The most rows that one answer had.
    var largestAnswer = 0
    /// The error with which the server refuses every push; nil if it takes them.
    var pushError: ReplicaError?
    /// The keys of rows that another transaction holds.
    var held: Set<Int> = []
    /// Whether the server says nothing any more.
    var isSilent = false
    /// The number of calls to which the server said nothing.
    var silences = 0
    /// The event before the next call of a method.
    var hooks: [String: Step] = [:]

    typealias Step = @Sendable (inout State) -> Void

    var running: [UInt64] { open.keys.sorted() }
    var snapshot: String {
      "\(running.first ?? contents.next):\(contents.next):\(running.map(String.init).joined(separator: ","))"
    }

    /// Writes to the write-ahead log, as every transaction with a number does also when it ends.
    mutating func write(isFlushed: Bool) {
      written += 1
      if isFlushed { (flushed, onDisk) = (contents, written) }
    }

    /// Makes the commit that is in flight.
    mutating func land() {
      let step = inFlight
      inFlight = nil
      step?(&self)
    }

    /// A transaction that writes a row, and whose commit may not be on the disk yet.
    mutating func set(_ row: Note, isFlushed: Bool) {
      set(row, at: row.id, isFlushed: isFlushed)
    }

    /// A transaction that writes or deletes a row.
    mutating func set(_ row: Note?, at id: Int, isFlushed: Bool = true) {
      contents.rows[id] = row
      contents.log.append((contents.next, id))
      contents.next += 1
      write(isFlushed: isFlushed)
    }

    /// Forgets which rows have changed so far, so that old replicas read all rows.
    mutating func prune() {
      contents.horizon = snapshot
      let end = running.first ?? contents.next
      contents.log.removeAll { $0.transaction < end }
      write(isFlushed: true)
    }

    /// Breaks all connections and transactions.
    mutating func restart(with contents: Contents) {
      self.contents = contents
      flushed = contents
      (open, inFlight) = ([:], nil)
      onDisk = written
      generation += 1
    }
  }

  /// The title that a constraint refuses.
  static let refusedTitle = "bad"
  /// The title that no store can have.
  static let unreadableTitle = "unreadable"

  let state: Lock<State>
  private let sleepers = Lock<[Promise<Void>]>([])

  init(seed: UInt64) {
    var first = State()
    first.random = SeededRandom(seed: seed)
    state = Lock(first)
  }

  /// Does something at random, as a writer or an operator does.
  func disturb(restores: Bool) {
    state.withLock { state in
      if state.random.oneIn(4) { state.land() }
      let key = state.random.below(6)
      switch state.random.below(restores ? 14 : 12) {
      case 0..<4:
        // A row that another open transaction has written is locked.
        guard !state.open.values.contains(where: { $0[key] != nil }) else { return }
        let isNew = state.open.isEmpty || state.random.oneIn(3)
        let number = isNew ? state.contents.next : state.random.pick(state.running)
        if isNew { state.contents.next += 1 }
        state.write(isFlushed: false)
        var row = state.contents.rows[key] ?? Note(id: key)
        if key < 4 { row.count += 1 }
        row.title = "server \(number)"
        // Edits of a deleted row go, so the rows that are counted stay.
        state.open[number, default: [:]][key] =
          key >= 4 && state.random.oneIn(3) ? .some(nil) : row
      case 4..<8:
        guard !state.open.isEmpty else { return }
        let number = state.random.pick(state.running)
        let writes = state.open.removeValue(forKey: number) ?? [:]
        if state.random.oneIn(4) { return state.write(isFlushed: false) }
        for (key, row) in writes.sorted(by: { $0.key < $1.key }) {
          state.contents.raised += (row?.count ?? 0) - (state.contents.rows[key]?.count ?? 0)
          state.contents.rows[key] = row
          state.contents.log.append((number, key))
        }
        let isFlushed = state.random.oneIn(2)
        state.write(isFlushed: isFlushed)
      case 8:
        state.contents.next += 1
        state.write(isFlushed: false)
      case 9: state.restart(with: state.flushed)
      case 10: state.generation += 1
      case 11: state.prune()
      case 12: state.backup = state.contents
      default:
        state.restart(with: state.backup)
        // The restoration of a backup is announced.
        state.epoch = UUID()
      }
    }
    notify()
  }

  func endAll() {
    state.withLock { state in
      state.open = [:]
      state.failures = 0
    }
    notify()
  }

  private func notify() {
    let all = sleepers.withLock { sleepers in
      defer { sleepers = [] }
      return sleepers
    }
    for sleeper in all { sleeper.resolve(()) }
  }

  func connect(_ followed: FollowedTables) throws(ReplicaError) -> any ServerFollower {
    LogFollower(try connection(followed), followed, pausing: { _ in await Task.yield() })
  }

  func connection(_ followed: FollowedTables) throws(ReplicaError) -> any ServerConnection {
    ModelConnection(self, followed, state.withLock { $0.generation })
  }

  /// Returns a promise that the next commit or wake keeps.
  func promiseOfWake() -> Promise<Void> {
    let promise = Promise<Void>()
    sleepers.withLock { $0.append(promise) }
    return promise
  }

  func wakeAll() { notify() }
}

/// A connection to a ``ModelServer``.
private actor ModelConnection: ServerConnection {
  private let server: ModelServer
  private let table: Table
  private let filter: RowFilter?
  private let generation: Int
  private let builder = RecordBuilder()
  /// The snapshot of the pull, whose log sees no later pruning.
  private var pulled = ModelServer.Contents()
  private var isPulling = false
  private var push: (push: PushID, client: UUID)?
  /// The rest of the logged rows of a pull.
  private var logged: [RecordKey] = []
  private let woken = Lock(false)
  private let ended = Promise<Void>()
  nonisolated let missingConstraints: [MissingConstraint] = []
  nonisolated let isOfEarlierVersion = false

  init(_ server: ModelServer, _ followed: FollowedTables, _ generation: Int) {
    self.server = server
    table = followed.tables[0]
    filter = followed[table]
    self.generation = generation
  }

  /// Runs one statement, unless the connection breaks before it. It may also break after it.
  private func run<Result: Sendable>(
    _ method: String = #function,
    _ body: (inout ModelServer.State) throws(ReplicaError) -> Result
  ) throws(ReplicaError) -> Result {
    let generation = generation
    let broken = ReplicaError(.unreachable, "broken", advice: "")
    return try server.state.withLock { state -> Swift.Result<Result, ReplicaError> in
      func breaks() -> Bool { state.failures > 0 && state.random.oneIn(state.failures) }
      state.hooks.removeValue(forKey: String(method.prefix { $0 != "(" }))?(&state)
      if state.isDown || state.generation != generation || breaks() { return .failure(broken) }
      do throws(ReplicaError) {
        let result = try body(&state)
        return breaks() ? .failure(broken) : .success(result)
      } catch {
        return .failure(error)
      }
    }.get()
  }

  private func record(_ row: Note) throws(ReplicaError) -> Record {
    do throws(CodingFailure) { return try table.encode(row, builder) } catch {
      throw ReplicaError(.unreadable, "\(error)", advice: "")
    }
  }

  func beginPull(
    since cursor: LogCursor?, by client: UUID, limit: Int
  ) async throws(ReplicaError) -> PullStart {
    let isSilent = server.state.withLock { state in
      if state.isSilent { state.silences += 1 }
      return state.isSilent
    }
    if isSilent {
      await ended.value
      throw ReplicaError(.unreachable, "silent", advice: "")
    }
    let shape = filter?.text ?? ""
    let (start, contents) = try run { state throws(ReplicaError) in
      let snapshot = try ServerSnapshot(state.snapshot)
      let head = ServerHead(
        format: 1, epoch: state.epoch, server: "\(state.system)",
        horizon: try ServerSnapshot(state.contents.horizon), snapshot: snapshot,
        written: try LogPosition("0/\(String(state.written, radix: 16))"),
        shapes: ["notes": shape + state.shape],
        client: state.contents.clients[client], database: state.database)
      var keys: Set<RecordKey> = []
      if let old = cursor?.snapshot {
        for entry in state.contents.log where !old.sees(entry.transaction) {
          keys.insert(RecordKey(.integer(Int64(entry.key))))
        }
      }
      var replaced: [PushOrder.Row: String] = [:]
      for entry in state.contents.replaced where cursor?.snapshot.sees(entry.transaction) == false {
        let key = RecordKey(.integer(Int64(entry.key)))
        replaced[.init(table: table.id, key: key)] = "other"
      }
      let changed =
        keys.isEmpty ? [] : [ChangedTable(table, keys.count > limit ? .logged : .keys(keys))]
      let start = PullStart(head: head, changed: changed, replaced: replaced)
      return (start, state.contents)
    }
    (pulled, isPulling) = (contents, true)
    return start
  }

  func keys(
    of table: Table, referringTo targets: Set<RecordKey>
  ) -> Set<RecordKey> { [] }

  func endPull(reading requests: [ChangedTable]) throws(ReplicaError) -> PullEnd {
    let flushed = try run { state in state.onDisk }
    isPulling = false
    let all = try page(of: Array(pulled.rows.values))
    let rows = requests.map { request in
      let keys = request.keys ?? []
      return ServerRows(
        table, .keys(keys), Dictionary(all.rows) { $1 }.filter { keys.contains($0.key) },
        flaws: all.flaws.filter { keys.contains($0.key) })
    }
    note(rows.reduce(0) { $0 + $1.rows.count })
    return PullEnd(rows: rows, flushed: try LogPosition("0/\(String(flushed, radix: 16))"))
  }

  func loggedRows(
    of table: Table, since cursor: LogCursor, isFirst: Bool, limit: Int
  ) throws(ReplicaError) -> ServerPage {
    if isFirst {
      let new = pulled.log.filter { !cursor.snapshot.sees($0.transaction) }
      let keys = Set(new.map { RecordKey(.integer(Int64($0.key))) }).sorted()
      logged = try run { state in keys.shuffled(using: &state.random) }
    } else {
      try run { _ in }
    }
    let keys = Set(logged.prefix(limit))
    logged.removeFirst(keys.count)
    var page = try page(of: pulled.rows.values.filter { keys.contains(Self.key($0)) })
    let found = Set(page.rows.map(\.key)).union(page.flaws.keys)
    page.missing = keys.subtracting(found).sorted()
    note(page.count)
    return page
  }

  private func note(_ count: Int) {
    server.state.withLock { $0.largestAnswer = max($0.largestAnswer, count) }
  }

  private static func key(_ row: Note) -> RecordKey { RecordKey(.integer(Int64(row.id))) }

  /// Returns rows in key order, and the flaws of those that a store cannot have.
  private func page(of rows: [Note]) throws(ReplicaError) -> ServerPage {
    var page = ServerPage()
    for row in rows.sorted(by: { $0.id < $1.id }) {
      if row.title == ModelServer.unreadableTitle {
        page.flaws[Self.key(row)] = RowFlaw(["title"], "notes.title is unreadable")
      } else {
        page.rows.append((Self.key(row), try record(row)))
      }
    }
    return page
  }

  private func admits(_ row: Record) -> Bool { filter?.admits(row) ?? true }

  func page(
    of table: Table, after key: RecordKey?, limit: Int
  ) throws(ReplicaError) -> ServerPage {
    let rows = try run { state in
      if state.isSlow && state.inFlight != nil {
        state.land()
        state.isSlow = false
      } else if state.random.oneIn(2) {
        state.land()
      }
      state.pages += 1
      return state.contents.rows
    }
    // In the transaction of a pull, a page is of its snapshot.
    let after = (isPulling ? pulled.rows : rows).values.filter { row in
      (key.map { $0 < Self.key(row) } ?? true)
    }.sorted { $0.id < $1.id }
    var some: [Note] = []
    for row in after {
      if row.title == ModelServer.unreadableTitle {
        some.append(row)
      } else if admits(try record(row)) {
        some.append(row)
      }
    }
    note(min(limit, some.count))
    return try page(of: Array(some.prefix(limit)))
  }

  func logPositions() throws(ReplicaError) -> (written: LogPosition, flushed: LogPosition) {
    let (written, flushed) = try run { state in (state.written, state.onDisk) }
    return (
      try LogPosition("0/\(String(written, radix: 16))"),
      try LogPosition("0/\(String(flushed, radix: 16))")
    )
  }

  func register(_ client: UUID) throws(ReplicaError) {
    try run { state in
      if state.contents.clients[client] == nil {
        state.contents.clients[client] = ServerClient(lastPush: 0, token: nil, verdicts: [])
      }
      state.write(isFlushed: true)
    }
  }

  func claim(
    _ push: PushID, by client: UUID, isArmed: Bool, reading edits: [ServerEdit]
  ) throws(ReplicaError) -> Bool {
    let isClaimed = try run { state throws(ReplicaError) in
      if let error = state.pushError { throw error }
      if state.inFlight != nil, state.isSlow || state.random.oneIn(3) {
        throw ReplicaError(.refused, "locked", advice: "", sqlState: "55P03")
      }
      state.land()
      return state.contents.clients[client]?.lastPush == push.number - 1
    }
    if isClaimed { self.push = (push, client) }
    return isClaimed
  }

  func commit(
    _ edits: [ServerEdit], replacing: Set<PushOrder.Row>, by client: UUID
  ) throws(ReplicaError) -> PushReport {
    guard let push = push?.push else { fatalError("no push was claimed") }
    self.push = nil
    let step: ModelServer.State.Step = { [table] state in
      state.make(edits, replacing, as: push, by: client, in: table)
    }
    let isLost = server.state.withLock { state in
      guard state.isSlow || state.failures > 0 && state.random.oneIn(state.failures) else {
        return false
      }
      state.inFlight = step
      return true
    }
    if isLost { throw ReplicaError(.unreachable, "broken", advice: "") }
    return try run { state throws(ReplicaError) in
      let locked = state.open.values.contains { writes in
        edits.contains { edit in
          writes.keys.contains { RecordKey(.integer(Int64($0))) == edit.key }
        }
      }
      if locked { throw ReplicaError(.refused, "locked", advice: "", sqlState: "55P03") }
      let conflicts = edits.compactMap { $0.conflict(with: state.record(of: $0.key, in: table)) }
        .filter { $0.sides(of: Note.self)?.mine?.title != ModelServer.refusedTitle }
      step(&state)
      let held = edits.count { edit in
        state.held.contains { RecordKey(.integer(Int64($0))) == edit.key }
      }
      return PushReport(conflicts: conflicts, lockedCount: held)
    }
  }

  func abandon() { push = nil }
  func flushLog(by client: UUID) throws(ReplicaError) {
    try run { state in state.write(isFlushed: true) }
  }
  func listen() {}
  func arm() {}
  func disarm() {}
  func othersWrite() throws(ReplicaError) -> Bool { try run { state in !state.open.isEmpty } }
  func prune(by client: UUID) {}

  func sleep(atMost duration: Duration) async {
    // The promise comes first, so that no wake falls between the look and the wait.
    let promise = server.promiseOfWake()
    let isWoken = woken.withLock { isWoken in
      defer { isWoken = false }
      return isWoken
    }
    // Shorter sleeps look again for transactions that tell no replica.
    if !isWoken && duration >= .seconds(1) { await promise.value }
    await Task.yield()
  }

  nonisolated func wake() {
    woken.withLock { $0 = true }
    server.wakeAll()
  }

  nonisolated func end(within duration: Duration) {
    ended.resolve(())
    wake()
  }

  func close() {}
}

extension ModelServer.State {
  /// Returns the server's row of a key; nil for none.
  fileprivate func record(of key: RecordKey, in table: Table) -> Record? {
    let note = key.id(of: Note.self).flatMap { contents.rows[$0] }
    return note.flatMap { try? table.encode($0, RecordBuilder()) }
  }

  /// Makes a push, if its number is the next.
  fileprivate mutating func make(
    _ edits: [ServerEdit], _ replacing: Set<PushOrder.Row>, as push: PushID, by client: UUID,
    in table: Table
  ) {
    guard contents.clients[client]?.lastPush == push.number - 1 else { return }
    var verdicts: [ServerVerdict] = []
    for edit in edits {
      guard let key = edit.key.id(of: Note.self) else { continue }
      let row = edit.row(onto: record(of: edit.key, in: table)).flatMap {
        table.decodeLeniently($0, as: Note.self)
      }
      if held.contains(key) {
        verdicts.append(ServerVerdict(table, edit.key, refusal: nil))
      } else if row?.title == ModelServer.refusedTitle {
        verdicts.append(ServerVerdict(table, edit.key, refusal: "bad"))
      } else if row != contents.rows[key] {
        let found = edit.conflict(with: record(of: edit.key, in: table))
        if replacing.contains(edit.step.row) || found?.theirs != nil {
          contents.replaced.append((contents.next, key))
        }
        contents.rows[key] = row
        contents.log.append((contents.next, key))
      }
    }
    contents.next += 1
    contents.clients[client] = ServerClient(
      lastPush: push.number, token: push.token, verdicts: verdicts)
    write(isFlushed: true)
  }
}
