package import Strata

/// A server that replicas follow.
///
/// The module `StrataPostgres` makes one: `.postgres("host=db dbname=app")`.
public struct ReplicaServer: Sendable {
  package typealias Connect = @Sendable () async throws(ReplicaError) -> any ServerFollower

  /// Returns what connects a replica of some tables.
  package let connecting: @Sendable (FollowedTables) -> Connect

  package init(connecting: @escaping @Sendable (FollowedTables) -> Connect) {
    self.connecting = connecting
  }
}
