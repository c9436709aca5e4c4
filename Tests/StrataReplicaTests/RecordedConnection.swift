import Foundation

@testable import Strata
@testable import StrataReplica

/// A connection that notes the calls that it gets, and passes them on.
struct RecordedConnection: ServerConnection {
  let connection: any ServerConnection
  let calls = Lock<[String]>([])

  /// Returns the calls since the last call of this method.
  func take() -> [String] {
    calls.withLock { calls in
      defer { calls = [] }
      return calls
    }
  }

  private func note(_ name: String = #function) {
    calls.withLock { $0.append(String(name.prefix { $0 != "(" })) }
  }

  var missingConstraints: [MissingConstraint] { connection.missingConstraints }
  var isOfEarlierVersion: Bool { connection.isOfEarlierVersion }

  func beginPull(
    since cursor: LogCursor?, by client: UUID, limit: Int
  ) async throws(ReplicaError) -> PullStart {
    note()
    return try await connection.beginPull(since: cursor, by: client, limit: limit)
  }

  func loggedRows(
    of table: Table, since cursor: LogCursor, isFirst: Bool, limit: Int
  ) async throws(ReplicaError) -> ServerPage {
    note()
    return try await connection.loggedRows(of: table, since: cursor, isFirst: isFirst, limit: limit)
  }

  func keys(
    of table: Table, referringTo targets: Set<RecordKey>
  ) async throws(ReplicaError) -> Set<RecordKey> {
    note()
    return try await connection.keys(of: table, referringTo: targets)
  }

  func endPull(reading requests: [ChangedTable]) async throws(ReplicaError) -> PullEnd {
    note()
    return try await connection.endPull(reading: requests)
  }

  func page(
    of table: Table, after key: RecordKey?, limit: Int
  ) async throws(ReplicaError) -> ServerPage {
    note()
    return try await connection.page(of: table, after: key, limit: limit)
  }

  func logPositions() async throws(ReplicaError) -> (written: LogPosition, flushed: LogPosition) {
    note()
    return try await connection.logPositions()
  }

  func register(_ client: UUID) async throws(ReplicaError) {
    note()
    try await connection.register(client)
  }

  func claim(
    _ push: PushID, by client: UUID, isArmed: Bool, reading edits: [ServerEdit]
  ) async throws(ReplicaError) -> Bool {
    note(isArmed ? "claim armed" : "claim")
    return try await connection.claim(push, by: client, isArmed: isArmed, reading: edits)
  }

  func commit(
    _ edits: [ServerEdit], replacing: Set<PushOrder.Row>, by client: UUID
  ) async throws(ReplicaError) -> PushReport {
    note()
    return try await connection.commit(edits, replacing: replacing, by: client)
  }

  func abandon() async throws(ReplicaError) {
    note()
    try await connection.abandon()
  }

  func flushLog(by client: UUID) async throws(ReplicaError) {
    note()
    try await connection.flushLog(by: client)
  }

  func listen() async throws(ReplicaError) {
    note()
    try await connection.listen()
  }

  func arm() async throws(ReplicaError) {
    note()
    try await connection.arm()
  }

  func disarm() async throws(ReplicaError) {
    note()
    try await connection.disarm()
  }

  func othersWrite() async throws(ReplicaError) -> Bool {
    note()
    return try await connection.othersWrite()
  }

  func sleep(atMost duration: Duration) async throws(ReplicaError) {
    note()
    try await connection.sleep(atMost: duration)
  }

  func prune(by client: UUID) async throws(ReplicaError) {
    note()
    try await connection.prune(by: client)
  }

  func wake() {
    note()
    connection.wake()
  }

  func end(within duration: Duration) {
    note()
    connection.end(within: duration)
  }

  func close() async {
    note()
    await connection.close()
  }
}
