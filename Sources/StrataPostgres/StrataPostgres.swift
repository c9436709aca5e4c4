#if Postgres
  package import Strata
  package import StrataReplica

  /// A PostgreSQL that replicas follow.
  package enum StrataPostgres {
    /// Prepares a server for replicas of some tables. It may run any number of times.
    ///
    /// Missing tables are made. The role needs the right to create schemas in the database, and owns
    /// the tables. Triggers on the tables, and on all of their partitions, log the keys of changed rows.
    ///
    /// - Parameters:
    ///   - target: a connection string or a URI, as libpq reads it.
    /// - Throws: ``ReplicaError`` with code `unsuitableServer` if a table cannot be followed.
    package static func prepare(
      _ target: String, _ tables: [Table]
    ) async throws(ReplicaError) {
      try await PostgresConnection(target, tables).prepareServer()
    }

    /// Returns a closure that connects a replica to a prepared server.
    package static func connecting(
      _ target: String, _ tables: [Table]
    ) -> Replica.Connect {
      { () async throws(ReplicaError) in
        let connection = PostgresConnection(target, tables)
        try await connection.open()
        return connection
      }
    }
  }

  extension Table {
    /// The statement that makes the table on a server.
    var createOnServer: String {
      let columns = columns.enumerated().map { position, column in
        column.name.quotedIdentifier + " " + column.serverType
          + (column.isOptional ? "" : " NOT NULL")
          + (position == Table.keyColumn ? " PRIMARY KEY" : "")
      }
      return "CREATE TABLE IF NOT EXISTS \(name.quotedIdentifier) "
        + "(\(columns.joined(separator: ", ")))"
    }
  }
#endif
