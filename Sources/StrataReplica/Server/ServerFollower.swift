package import Foundation
package import Strata

/// A connection by which a replica follows a server: the only part of a replica that knows which kind of server
/// it is.
///
/// The calls give values, and none leaves anything open after it: no transaction, no lock. A follower serves one
/// call at a time. ``wake()`` and ``end(within:)`` may come at any time, also while a call is under way.
package protocol ServerFollower: Sendable {
  /// The rules of the entities that the server does not enforce.
  var missingConstraints: [MissingConstraint] { get }

  /// Whether an earlier version of Strata has prepared the server, so that it does not tell of replaced rows.
  var isOfEarlierVersion: Bool { get }

  /// Reads what the server has made since the store's state.
  ///
  /// The call makes the replica known to the server, if it is not. An answer has only what a crash of the server
  /// does not take back.
  ///
  /// - Parameter store: the store, for a server that does not know what the store has. All calls to it are over
  ///   when this one returns.
  /// - Throws: ``ReplicaError``, such as with code `anotherDatabase`. Such a server does not learn of the replica.
  func pull(
    _ request: PullRequest, _ store: any PullStore
  ) async throws(ReplicaError) -> PullAnswer

  /// Reads the next rows of a table in key order, as they are now.
  ///
  /// A pull of this follower comes first. A page has only what a crash of the server does not take back.
  ///
  /// - Returns: at most `limit` rows; fewer at the end of the table.
  func page(
    of table: Table, after key: RecordKey?, limit: Int
  ) async throws(ReplicaError) -> ServerPage

  /// Lets the server make the edits of a push, together and once.
  ///
  /// The server makes a push only if its number is the next. A push that is made counts as such only once a pull
  /// has shown its number.
  ///
  /// - Throws: ``ReplicaError`` if the connection or the store fails. The server may have made the push then.
  func push(
    _ push: PushID, by client: UUID, _ body: PushBody
  ) async throws(ReplicaError) -> PushOutcome

  /// Waits until the next pull is worth it.
  ///
  /// The call comes at most once after a pull, when the store has its answer. It returns at once if that pull had
  /// news. Else it ends by a commit of others, by ``wake()``, or after some time. A commit that the pull lacks ends
  /// it, too, also if it came before the wait.
  ///
  /// - Parameter duration: the longest wait; 0 if the replica has work.
  func wait(atMost duration: Duration) async throws(ReplicaError)

  /// Ends a wait, or else the next one.
  func wake()

  /// Lets all calls fail that wait for the server longer than this.
  func end(within duration: Duration)

  func close() async
}
