package import Foundation
package import Strata

/// A connection to a PostgreSQL with a log of keys, as ``LogFollower`` uses it.
///
/// A connection serves a single pull at a time.
package protocol ServerConnection: Sendable {
  /// The rules of the entities that the server does not enforce.
  var missingConstraints: [MissingConstraint] { get }

  /// Whether an earlier version of Strata has prepared the server, so that it does not tell of replaced rows.
  var isOfEarlierVersion: Bool { get }

  /// Opens a transaction with one snapshot, and reads what the pull has to know.
  ///
  /// - Parameters:
  ///   - cursor: the state of the server that the store has; nil reads no keys.
  ///   - client: identifies the replica.
  ///   - limit: the number of keys past which no keys are returned: every table is
  ///     `logged`.
  func beginPull(
    since cursor: LogCursor?, by client: UUID, limit: Int
  ) async throws(ReplicaError) -> PullStart

  /// Reads the next of the rows whose keys are in the server's log, in the snapshot of the pull.
  ///
  /// - Parameter isFirst: whether this is the first call for the table in this pull.
  /// - Returns: `limit` rows and missing rows at most; fewer at the end.
  func loggedRows(
    of table: Table, since cursor: LogCursor, isFirst: Bool, limit: Int
  ) async throws(ReplicaError) -> ServerPage

  /// Returns the keys of the rows that refer to some rows by the reference of their filter, and that may
  /// meet the filter, in the snapshot of the pull.
  func keys(
    of table: Table, referringTo targets: Set<RecordKey>
  ) async throws(ReplicaError) -> Set<RecordKey>

  /// Reads rows by their keys in the snapshot of the pull, and ends its transaction.
  func endPull(reading requests: [ChangedTable]) async throws(ReplicaError) -> PullEnd

  /// Reads the next rows of a table in key order, in a transaction of its own, or in that of a pull that
  /// has begun.
  ///
  /// - Returns: at most `limit` rows; fewer at the end of the table.
  func page(
    of table: Table, after key: RecordKey?, limit: Int
  ) async throws(ReplicaError) -> ServerPage

  /// Returns the end of the write-ahead log, and the end of its part that is on the disk.
  func logPositions() async throws(ReplicaError) -> (written: LogPosition, flushed: LogPosition)

  /// Makes the replica known to the server.
  func register(_ client: UUID) async throws(ReplicaError)

  /// Opens the transaction of a push, and takes its number.
  ///
  /// The call waits for an older connection of the same replica that is at its `COMMIT`.
  ///
  /// - Parameters:
  ///   - isArmed: whether this connection sleeps for all. It then stops to do so, because it would
  ///     not be told of its own commit, and the commit tells all others.
  ///   - edits: the edits that ``commit(_:replacing:by:)`` makes, if they are known already. Their rows are then
  ///     read at once.
  /// - Returns: whether the number was taken. If not, a pull says why, and no transaction is open.
  func claim(
    _ push: PushID, by client: UUID, isArmed: Bool, reading edits: [ServerEdit]
  ) async throws(ReplicaError) -> Bool

  /// Makes the edits of a push and commits them, together with the edits that it could not make.
  ///
  /// An edit of which the server has said nothing final, such as one of a row that another transaction
  /// holds, is not made. Its verdict has no refusal, so it waits again.
  ///
  /// - Parameter replacing: the rows whose edits replace values of other replicas in a conflict that a pull has
  ///   found. The other replicas are told of them, and of the conflicts that the push finds.
  func commit(
    _ edits: [ServerEdit], replacing: Set<PushOrder.Row>, by client: UUID
  ) async throws(ReplicaError) -> PushReport

  /// Ends the transaction of a push without a trace.
  func abandon() async throws(ReplicaError)

  /// Commits a small change and waits until it is on the disk, with everything before it.
  func flushLog(by client: UUID) async throws(ReplicaError)

  /// Starts to listen for commits; commits from here on wake the connection.
  func listen() async throws(ReplicaError)

  /// Asks the server to tell this connection of commits.
  ///
  /// If other replicas have asked already, the server tells all of them.
  func arm() async throws(ReplicaError)

  /// Ends what ``arm()`` began, so that commits do not have to tell anybody.
  func disarm() async throws(ReplicaError)

  /// Returns whether transactions of others run that have a number.
  func othersWrite() async throws(ReplicaError) -> Bool

  /// Waits for a commit, for ``wake()``, or for some time.
  func sleep(atMost duration: Duration) async throws(ReplicaError)

  /// Removes what no replica needs any more from the server's log, and shows that this replica lives.
  func prune(by client: UUID) async throws(ReplicaError)

  /// Ends a sleep.
  func wake()

  /// Lets all calls fail that wait for the server longer than this.
  func end(within duration: Duration)

  func close() async
}
