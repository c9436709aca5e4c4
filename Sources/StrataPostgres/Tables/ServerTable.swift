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

  /// Creates the names of the table of a many-to-many relationship on the server.
  ///
  /// ```
  /// ServerTable(linksOf: Song.moods, name: "song_mood", columns: ["owner": "song_id", "target": "mood_id"])
  /// ```
  ///
  /// - Parameters:
  ///   - relationship: the relationship, seen from either end.
  ///   - schema: the schema of the table; nil for the first one of the role's `search_path` that has
  ///     the table.
  ///   - name: the name of the table.
  ///   - columns: the names of the columns `key`, `owner`, `target`, and `position` if the links have
  ///     an order. Those that are missing are the same. The owner is the entity that declares the
  ///     relationship.
  public init<Root: Entity, Target: Entity>(
    linksOf relationship: ManyToMany<Root, Target>, schema: String? = nil, name: String,
    columns: [String: String] = [:]
  ) {
    local = relationship.tableName
    self.schema = schema
    self.name = name
    self.columns = columns
  }
}

/// The names of a table and its columns on the server.
struct ServerNames: Sendable {
  /// The schema of the table; nil for the first one of the role's `search_path` that has the table.
  let schema: String?
  let name: String
  /// The names of the columns, without quotation marks.
  let columns: [String]

  /// The table in SQL.
  var table: String {
    (schema.map { $0.quotedIdentifier + "." } ?? "") + name.quotedIdentifier
  }

  var key: String { columns[Table.keyColumn] }

  /// Returns the names of all tables.
  ///
  /// - Throws: ``ReplicaError`` with code `unsuitableServer` if a name is given to an attribute that
  ///   the entity does not have, or if two tables have the same name.
  static func names(
    of tables: [Table], in given: [ServerTable]
  ) throws(ReplicaError) -> [(Table, ServerNames)] {
    var owners: [String: Table] = [:]
    return try tables.map { table throws(ReplicaError) in
      let names = try ServerNames(of: table, in: given)
      if let other = owners.updateValue(table, forKey: names.table) {
        throw ReplicaError(
          .unsuitableServer,
          "the rows of \(other.entity) and of \(table.entity) would both be in \(names.table)",
          advice: "name one of the tables with a ServerTable")
      }
      return (table, names)
    }
  }

  init(of table: Table, in tables: [ServerTable]) throws(ReplicaError) {
    let given = tables.last { $0.local == table.name }
    let attributes = Set(table.columns.map(\.name))
    if let unknown = given?.columns.keys.sorted().first(where: { !attributes.contains($0) }) {
      throw .unsuitable("\(table.entity) has no attribute \(unknown)")
    }
    schema = given?.schema
    name = given?.name ?? table.serverName
    columns = table.columns.map { given?.columns[$0.name] ?? $0.name }
  }

  private init(schema: String, _ names: ServerNames) {
    self.schema = schema
    (name, columns) = (names.name, names.columns)
  }

  /// Returns the names with a schema, so that every statement means the same table.
  func inSchema(_ schema: String) -> ServerNames { ServerNames(schema: schema, self) }

  /// Returns a column in SQL.
  func column(_ position: Int) -> String { columns[position].quotedIdentifier }

  /// Returns the statements that make an entity's table on a server, without its constraints.
  ///
  /// - Parameter types: the types of columns in SQL, if not the usual ones.
  func create(_ table: Table, _ types: [Int: String]) -> String {
    let columns = table.columns.enumerated().map { position, column in
      self.column(position) + " " + (types[position] ?? column.serverType)
        + (column.isOptional ? "" : " NOT NULL")
        + (position == Table.keyColumn ? " PRIMARY KEY" : "")
    }
    // A deletion looks for the rows that refer to the row.
    let indexes = table.references.map { "CREATE INDEX ON \(self.table) (\(column($0.column)))" }
    return (["CREATE TABLE \(self.table) (\(columns.joined(separator: ", ")))"] + indexes)
      .joined(separator: "; ")
  }

  /// Returns the statements that make a table of links on a server.
  ///
  /// - Parameter ends: the tables at the two ends, and the types of their keys in SQL.
  func create(links ends: [(names: ServerNames, keyType: String)], isOrdered: Bool) -> String {
    var columns = [
      "\(column(Table.keyColumn)) bytea GENERATED ALWAYS AS (\(linkKey)) STORED PRIMARY KEY"
    ]
    for (position, end) in zip(Table.linkEnds, ends) {
      columns.append(
        "\(column(position)) \(end.keyType) NOT NULL REFERENCES \(end.names.table) "
          + "(\(end.names.column(Table.keyColumn))) ON DELETE CASCADE")
    }
    if isOrdered {
      // The time in seconds since 2001, as in a store: a link without a position comes last.
      columns.append(
        "\(column(Table.linkPosition)) float8 NOT NULL "
          + "DEFAULT date_part('epoch', clock_timestamp()) - 978307200")
    }
    let indexes = Table.linkEnds.map { "CREATE INDEX ON \(table) (\(column($0)))" }
    return (["CREATE TABLE \(table) (\(columns.joined(separator: ", ")))"] + indexes)
      .joined(separator: "; ")
  }

  /// The key of a link in SQL.
  private var linkKey: String {
    Table.linkEnds.map { "strata.link_end(\(column($0)))" }.joined(separator: " || ")
  }

  /// The error of a table of links that lacks the column which the server computes from the two ends.
  var lacksLinkKey: ReplicaError {
    ReplicaError(
      .unsuitableServer, "the server's table \(table) has no key for its links",
      advice: "ALTER TABLE \(table) ADD COLUMN \(column(Table.keyColumn)) bytea "
        + "GENERATED ALWAYS AS (\(linkKey)) STORED NOT NULL UNIQUE")
  }
}
