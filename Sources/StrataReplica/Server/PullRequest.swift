package import Foundation
package import Strata

/// A pull as a replica asks for it.
package struct PullRequest: Sendable {
  /// The reading of all rows.
  package enum Copy: Sendable {
    case none
    /// Pages are left to read. The pull only learns what the server knows of the replica.
    case reading
    /// All pages are in the store. The pull brings them to one state of the server.
    case read
  }

  /// The state of the server that the store has, or that the server had before the first page of the copy; nil
  /// for neither.
  package let cursor: ReplicaCursor?
  package let copy: Copy
  package let push: PushState
  /// The database whose rows the store has; nil if it is not known, or if any database is to be followed.
  package let database: UUID?
  /// Whether all rows are to be compared, because the app has asked for it.
  package let readsAll: Bool
  /// The rows that a verification suspects, by the name of their table. A later answer has them if this one has
  /// none, and the verification goes on until then.
  package let suspects: [String: Set<RecordKey>]
  /// The number of rows, and of keys, that are read at a time.
  package let pageSize: Int

  package init(
    cursor: ReplicaCursor?, copy: Copy = .none, push: PushState, database: UUID? = nil,
    readsAll: Bool = false, suspects: [String: Set<RecordKey>] = [:], pageSize: Int
  ) {
    self.cursor = cursor
    self.copy = copy
    self.push = push
    self.database = database
    self.readsAll = readsAll
    self.suspects = suspects
    self.pageSize = pageSize
  }

  /// Returns the state from which the pull goes on; nil if all rows are to be read.
  ///
  /// A server that lacks pushes was put back to an older state, so it may lack other commits, too.
  ///
  /// - Parameter client: the server's knowledge of the replica.
  package func start(_ client: ServerClient?) -> ReplicaCursor? {
    readsAll || push.outcome(client) == .lost ? nil : cursor
  }

  /// Returns whether the store notes the answer even if it has no rows: it ends a push or a copy.
  ///
  /// - Parameter client: the server's knowledge of the replica.
  package func isNoted(_ client: ServerClient?) -> Bool {
    if case .read = copy { return true }
    return push.push != nil && push.outcome(client) != .waiting
  }
}
