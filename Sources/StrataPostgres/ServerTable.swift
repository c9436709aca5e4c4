#if Postgres
  public import Strata
  internal import StrataReplica

  /// Where the server has an entity's rows, if the names differ from the entity's.
  ///
  /// ```
  /// let tables = [ServerTable(Song.self, schema: "music", name: "tracks", columns: ["title": "name"])]
  /// try await StrataPostgres.prepare("host=db user=owner dbname=app", for: [Song.self], tables: tables)
  /// let replica = try await Replica.open(
  ///   stack, from: .postgres("host=db user=app dbname=app", tables: tables))
  /// ```
  public struct ServerTable: Sendable {
    /// The name of the entity's table in the store.
    let local: String
    let schema: String?
    let name: String
    let columns: [String: String]

    /// Creates the names of an entity's table on the server.
    ///
    /// - Parameters:
    ///   - entity: the entity.
    ///   - schema: the schema of the table; nil for the first one of the role's `search_path` that has
    ///     the table.
    ///   - name: the name of the table; nil for the name of the entity's table.
    ///   - columns: the names of columns, by the names of their attributes. The others are the same.
    public init<E: Entity>(
      _ entity: E.Type, schema: String? = nil, name: String? = nil, columns: [String: String] = [:]
    ) {
      local = E.schema.name
      self.schema = schema
      self.name = name ?? E.schema.name
      self.columns = columns
    }
  }

  /// The names of a table and its columns on the server.
  struct ServerNames: Sendable {
    /// The table in SQL.
    let table: String
    /// The names of the columns, without quotation marks.
    let columns: [String]

    var key: String { columns[Table.keyColumn] }

    /// - Throws: ``ReplicaError`` with code `unsuitableServer` if a name is given to an attribute that
    ///   the entity does not have.
    init(of table: Table, in tables: [ServerTable]) throws(ReplicaError) {
      let given = tables.last { $0.local == table.name }
      let attributes = Set(table.columns.map(\.name))
      if let unknown = given?.columns.keys.sorted().first(where: { !attributes.contains($0) }) {
        throw .unsuitable("\(table.entity) has no attribute \(unknown)")
      }
      let schema = given?.schema.map { $0.quotedIdentifier + "." } ?? ""
      self.table = schema + (given?.name ?? table.name).quotedIdentifier
      columns = table.columns.map { given?.columns[$0.name] ?? $0.name }
    }

    /// Returns a column in SQL.
    func column(_ position: Int) -> String { columns[position].quotedIdentifier }

    /// Returns the statement that makes the table on a server.
    func create(_ table: Table) -> String {
      let columns = table.columns.enumerated().map { position, column in
        self.column(position) + " " + column.serverType + (column.isOptional ? "" : " NOT NULL")
          + (position == Table.keyColumn ? " PRIMARY KEY" : "")
      }
      return "CREATE TABLE IF NOT EXISTS \(self.table) (\(columns.joined(separator: ", ")))"
    }
  }
#endif
