public import Strata

extension Replica {
  /// Opens a replica and starts to follow the server.
  ///
  /// The call does not wait for the server: a replica also opens where there is no network. Rows that
  /// the store has before the first opening are pushed like insertions. Use only a single replica of
  /// a store at a time. The replica runs until ``close()``.
  ///
  /// - Parameters:
  ///   - stack: the stack of the store. Close the replica before it.
  ///   - server: the server, prepared for these entities.
  ///   - entities: the entities to follow, with all entities to which they refer. The default is all
  ///     entities of the stack. The links between them are followed, too.
  ///   - options: whether the store may be edited.
  /// - Throws: ``ReplicaError`` with code `unknownEntity`, or `store` if the store fails.
  public static func open(
    _ stack: Stack, from server: ReplicaServer, of entities: [any Entity.Type]? = nil,
    options: ReplicaOptions = ReplicaOptions()
  ) async throws(ReplicaError) -> Replica {
    let chosen = try entities?.map { entity throws(ReplicaError) in
      guard let table = stack.replicableTable(of: entity) else { throw .unknown(entity) }
      return (table: table, filter: RowFilter?.none)
    }
    let followed = FollowedTables(
      chosen.map { stack.withLinks($0).map(\.table) } ?? stack.replicableTables)
    return try await open(stack, of: followed, options, server.connecting(followed))
  }

  /// Opens a replica of some rows and starts to follow the server.
  ///
  /// The call does not wait for the server, and the replica runs until ``close()``, like one of whole
  /// entities.
  ///
  /// - Parameters:
  ///   - stack: the stack of the store. Close the replica before it.
  ///   - server: the server, prepared for these entities.
  ///   - rows: the rows to follow. References to rows that are not followed lead nowhere. Links are
  ///     followed with the rows at their ends.
  ///   - options: whether the store may be edited.
  /// - Throws: ``ReplicaError`` with code `unknownEntity`, or `store` if a filter reads other rows than
  ///   the one, if it refers to an entity that is not followed, or if the store fails.
  public static func open(
    _ stack: Stack, from server: ReplicaServer, of rows: [ReplicatedRows],
    options: ReplicaOptions = ReplicaOptions()
  ) async throws(ReplicaError) -> Replica {
    let followed = try FollowedTables(rows, stack)
    return try await open(stack, of: followed, options, server.connecting(followed))
  }

  /// Opens a replica of some tables.
  ///
  /// - Parameters:
  ///   - pageSize: the number of rows that are read and written at a time.
  ///   - pushLimit: the number of bytes of values that one push has at most.
  ///   - pause: how the replica waits between two attempts; tests do not wait.
  package static func open(
    _ stack: Stack, of followed: FollowedTables, _ options: ReplicaOptions = ReplicaOptions(),
    _ connect: @escaping Connect, pageSize: Int = 5_000, pushLimit: Int = 32 * 1024 * 1024,
    pausing pause: @escaping Pause = { try? await Task.sleep(for: $0) }
  ) async throws(ReplicaError) -> Replica {
    let replica = Replica(
      stack, followed, options, connect, pageSize: pageSize, pushLimit: pushLimit, pause)
    try await replica.begin()
    return replica
  }
}
