#if Postgres
  public import Strata
  public import StrataReplica

  extension ReplicaServer {
    /// A PostgreSQL that ``StrataPostgres/prepare(_:for:tables:)`` has prepared.
    ///
    /// The role of a replica is a member of `strata_client` and has the usual rights on the tables.
    ///
    /// - Parameters:
    ///   - target: a connection string or a URI, as libpq reads it:
    ///     `host=db sslmode=verify-full dbname=app`.
    ///   - tables: where the server has rows under other names than those of the entity.
    public static func postgres(
      _ target: String, tables: [ServerTable] = []
    ) -> ReplicaServer {
      postgres(target, tables: tables, patience: .seconds(30))
    }

    /// - Parameter patience: the time after which a server that says nothing counts as gone.
    package static func postgres(
      _ target: String, tables serverTables: [ServerTable] = [], patience: Duration
    ) -> ReplicaServer {
      ReplicaServer { followed in
        let upkeep = LogUpkeep()
        return { () async throws(ReplicaError) in
          let connection = try await StrataPostgres.connect(
            target, followed, on: serverTables, patience: patience)
          return LogFollower(connection, followed, upkeep)
        }
      }
    }
  }

  extension StrataPostgres {
    /// Connects a replica of some tables to a server.
    ///
    /// - Parameter patience: the time after which a server that says nothing counts as gone.
    package static func connect(
      _ target: String, _ followed: FollowedTables, on serverTables: [ServerTable] = [],
      patience: Duration = .seconds(30)
    ) async throws(ReplicaError) -> any ServerConnection {
      let connection = PostgresConnection(
        target, followed, on: serverTables, patience: patience)
      do {
        try await withTaskCancellationHandler {
          try await connection.open()
        } onCancel: {
          connection.end(within: .zero)
        }
      } catch {
        throw error as? ReplicaError ?? .silent
      }
      return connection
    }
  }

  /// A PostgreSQL that replicas follow.
  public enum StrataPostgres {
    /// Prepares a server for replicas of some entities. It may run any number of times.
    ///
    /// Missing tables are made, with the rules of the entities: unique values, references, and checks that
    /// a value is one of the attribute's type. A table that was there keeps its columns and constraints.
    /// Triggers on the tables, and on all of their partitions, log the keys of changed rows in the schema
    /// `strata`. The role needs the right to create schemas in the database, and owns the tables.
    ///
    /// ```swift
    /// for missing in try await StrataPostgres.prepare("host=db user=owner dbname=app", for: [Song.self]) {
    ///   print(missing.statement)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - target: a connection string or a URI, as libpq reads it.
    ///   - entities: the entities, with all entities to which they refer.
    ///   - serverTables: where the server has rows under other names than those of the entity.
    /// - Returns: the rules of the entities that tables do not enforce which were there before.
    /// - Throws: `ReplicaError` with code `unsuitableServer` or `refused` if a table cannot be
    ///   followed, such as one that lacks an attribute, `unreachable`, or `store` if the entities cannot be
    ///   stored. No table is made or changed then.
    @discardableResult
    public static func prepare(
      _ target: String, for entities: [any Entity.Type], tables serverTables: [ServerTable] = []
    ) async throws(ReplicaError) -> [MissingConstraint] {
      let tables: [Table]
      do throws(StoreError) { tables = try Table.tables(of: entities) } catch {
        throw ReplicaError(error)
      }
      return try await PostgresConnection(
        target, FollowedTables(tables), on: serverTables
      ).prepareServer()
    }
  }
#else
  public import Strata
  public import StrataReplica

  // The compiler shows these messages, where it would only say that it does not find the names.
  extension ReplicaServer {
    @available(
      *, unavailable,
      message: "give the package the trait: .package(url: …, traits: [\"Postgres\"])"
    )
    public static func postgres(_ target: String, tables: [ServerTable] = []) -> ReplicaServer {
      fatalError("without the trait Postgres")
    }
  }

  @available(
    *, unavailable, message: "give the package the trait: .package(url: …, traits: [\"Postgres\"])"
  )
  public enum StrataPostgres {
    public static func prepare(
      _ target: String, for entities: [any Entity.Type], tables serverTables: [ServerTable] = []
    ) async throws(ReplicaError) -> [MissingConstraint] { [] }
  }
#endif
