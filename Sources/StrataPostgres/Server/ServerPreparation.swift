#if Postgres
  internal import Strata
  internal import StrataReplica

  /// The preparation of a server: the objects of the schema `strata`, missing tables, and triggers.
  ///
  /// The tables are made and prepared in one transaction. So a server is prepared for all entities or for
  /// none.
  struct ServerPreparation {
    private let session: PostgresSession
    private let followed: FollowedTables
    private let serverTables: [ServerTable]

    init(
      _ session: PostgresSession, _ followed: FollowedTables, on serverTables: [ServerTable]
    ) {
      self.session = session
      self.followed = followed
      self.serverTables = serverTables
    }

    /// - Returns: the rules of the entities that tables do not enforce which were there before.
    func run() throws(ReplicaError) -> [MissingConstraint] {
      try session.checkEncoding()
      // A statement that waits for a table holds up all later transactions of the table.
      try session.run("SET lock_timeout = '5s'")
      // Two programs that make the same table at once would meet in the catalogue.
      try session.run("SELECT pg_advisory_lock(\(ServerObjects.lock), 1)")
      defer { _ = try? session.run("SELECT pg_advisory_unlock(\(ServerObjects.lock), 1)") }
      do throws(ReplicaError) {
        try session.run(ServerObjects.sql)
        try session.run("BEGIN")
        let missing = try prepareTables()
        try session.run("COMMIT; ANALYZE strata.tables")
        return missing
      } catch {
        try session.rollBack()
        throw error
      }
    }

    private func prepareTables() throws(ReplicaError) -> [MissingConstraint] {
      var tables = try ServerTables(followed, on: serverTables)
      var made: [Table] = []
      for (table, names) in tables.names {
        let isThere = try session.run(.init("SELECT to_regclass($1) IS NOT NULL", [names.table]))
        if isThere.text(0, 0) == "t" {
          if table.isJoin { try names.checkLinks(session) }
        } else {
          made.append(table)
          try session.run(
            table.isJoin
              ? try createLinks(table, names) : try create(table, names))
        }
        try session.run(
          .init("SELECT strata.prepare_table($1::regclass, $2)", [names.table, names.key]))
      }
      try session.prepare("strata_shape", ServerShape.select)
      // A replica would find the same flaws.
      try tables.take(ServerShape.all(try session.run(tables.select)))
      for (table, constraint) in tables.constraints where made.contains(where: { $0 === table }) {
        try session.run(constraint.missing.statement)
      }
      return try tables.missingConstraints(session)
    }

    /// Returns the statements that make the table of an entity.
    private func create(_ table: Table, _ names: ServerNames) throws(ReplicaError) -> String {
      var types: [Int: String] = [:]
      for reference in table.references {
        let target = followed.tables.first { $0.id == reference.target }
        types[reference.column] = try target.flatMap { target throws(ReplicaError) in
          try keyType(of: target)
        }
      }
      return names.create(table, types)
    }

    /// Returns the statements that make a table of links.
    private func createLinks(_ table: Table, _ names: ServerNames) throws(ReplicaError) -> String {
      let ends = try followed.ends(of: table).map { end throws(ReplicaError) in
        (try ServerNames(of: end, in: serverTables), try keyType(of: end) ?? "")
      }
      let isOrdered = table.columns.indices.contains(Table.linkPosition)
      return names.create(links: ends, isOrdered: isOrdered)
    }

    /// Returns the type of the key in a table of the server; nil if there is no table yet.
    private func keyType(of table: Table) throws(ReplicaError) -> String? {
      let names = try ServerNames(of: table, in: serverTables)
      let type = try session.run(
        .init(
          "SELECT format_type(atttypid, atttypmod) FROM pg_attribute "
            + "WHERE attrelid = to_regclass($1) AND attname = $2", [names.table, names.key]))
      return type.count == 0 ? nil : type.text(0, 0)
    }
  }
#endif
