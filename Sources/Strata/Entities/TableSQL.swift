internal import StrataSQLite

/// The SQL texts of a table, except those of queries.
///
/// Every text names its columns. Texts that are compiled once have an identity for the connections'
/// statement caches.
final class TableSQL: Sendable {
  let create: String
  let selectByKey: SQL
  let scanFromKey: SQL
  let insert: SQL
  let insertWithRowID: SQL
  let delete: SQL
  let rowID: SQL
  /// The name of the row number; nil if the columns take all of its names.
  let rowNumber: String?
  let exists: SQL
  let columnList: String
  /// The table as a query's first table, `t0`.
  let source: String
  /// The columns of `t0`.
  let sourceColumns: [String]
  let sourceColumnList: String
  private let table: String
  private let columns: [Column]
  private let updates = Lock<[AttributeSet: SQL]>([:])
  private let byReference = Lock<[Int: SQL]>([:])
  private let byUnique = Lock<[[Int]: SQL]>([:])

  init(name: String, columns: [Column]) {
    let table = name.quotedIdentifier
    let names = columns.map(\.name.quotedIdentifier)
    let key = names[Table.keyColumn]
    let list = names.joined(separator: ", ")
    let parameters = (1...names.count).map { "?\($0)" }.joined(separator: ", ")
    self.table = table
    self.columns = columns
    columnList = list
    source = "\(table) AS t0"
    sourceColumns = names.map { "t0.\($0)" }
    sourceColumnList = sourceColumns.joined(separator: ", ")
    create =
      "CREATE TABLE \(table) ("
      + zip(columns, names).enumerated().map { position, column in
        "\(column.1) \(column.0.storage.rawValue)"
          + (position == Table.keyColumn ? " PRIMARY KEY" : "")
          + (column.0.isOptional ? "" : " NOT NULL")
      }.joined(separator: ", ") + ")"
    selectByKey = SQL("SELECT \(list) FROM \(table) WHERE \(key) = ?1")
    scanFromKey = SQL("SELECT \(list) FROM \(table) WHERE \(key) >= ?1 ORDER BY \(key)")
    insert = SQL("INSERT INTO \(table) (\(list)) VALUES (\(parameters))")
    // An attribute with the name of the row number hides it. If the attributes take all of its
    // names, the row number cannot be kept, but then nothing needs it.
    let rowIDName = TableSQL.rowIDName(columns.map(\.name))
    rowNumber = rowIDName
    insertWithRowID =
      rowIDName.map {
        SQL("INSERT INTO \(table) (\(list), \($0)) VALUES (\(parameters), ?\(names.count + 1))")
      } ?? insert
    delete = SQL("DELETE FROM \(table) WHERE \(key) = ?1")
    rowID = SQL("SELECT \(rowIDName ?? "0") FROM \(table) WHERE \(key) = ?1")
    exists = SQL("SELECT 1 FROM \(table) WHERE \(key) = ?1")
  }

  /// Returns a name of the row number that no column has, or nil if the columns take all names.
  static func rowIDName(_ columns: [String]) -> String? {
    ["rowid", "_rowid_", "oid"].first { name in !columns.contains { $0.isSameName(as: name) } }
  }

  /// Returns the update of some columns by key.
  ///
  /// Parameter n + 1 is column n, so parameter 1 is the key.
  func update(_ changed: AttributeSet) -> SQL {
    updates.withLock { updates in
      if let found = updates[changed] { return found }
      let assignments = changed.positions.map {
        "\(columns[$0].name.quotedIdentifier) = ?\($0 + 1)"
      }
      let key = columns[Table.keyColumn].name.quotedIdentifier
      let sql = SQL(
        "UPDATE \(table) SET \(assignments.joined(separator: ", ")) WHERE \(key) = ?1")
      updates[changed] = sql
      return sql
    }
  }

  /// Returns the query for the rows whose reference in `column` is the first parameter.
  func selectByReference(_ column: Int) -> SQL {
    byReference.withLock { statements in
      if let found = statements[column] { return found }
      let sql = SQL(
        "SELECT \(columnList) FROM \(table) WHERE \(columns[column].name.quotedIdentifier) = ?1")
      statements[column] = sql
      return sql
    }
  }

  /// Returns the query for the key of the row with given values in the columns of a uniqueness
  /// constraint.
  func selectKeyByUnique(_ unique: [Int]) -> SQL {
    byUnique.withLock { statements in
      if let found = statements[unique] { return found }
      let condition = unique.enumerated().map {
        "\(columns[$1].name.quotedIdentifier) = ?\($0 + 1)"
      }
      let sql = SQL(
        "SELECT \(columns[Table.keyColumn].name.quotedIdentifier) FROM \(table) WHERE "
          + condition.joined(separator: " AND "))
      statements[unique] = sql
      return sql
    }
  }

  /// Returns the table's indexes.
  ///
  /// - Parameter compound: the columns of each index of several columns that is not unique.
  func indexes(uniques: [[Int]], compound: [[Int]]) -> [TableIndex] {
    func index(_ columns: [Int], unique: Bool) -> TableIndex {
      let all = columns.map { self.columns[$0].name }
      let names = all.map(\.quotedIdentifier)
      // Tables and indexes share a name space. No entity's table name may start with "strata_".
      let name = "strata_" + ([table] + names).joined(separator: ".")
      let create =
        "CREATE \(unique ? "UNIQUE " : "")INDEX \(name.quotedIdentifier) ON \(table) ("
        + names.joined(separator: ", ") + ")"
      return TableIndex(name: name, columns: all, isUnique: unique, create: create)
    }
    let isUnique = Set(uniques.filter { $0.count == 1 }.map { $0[0] })
    let plain = columns.indices.filter { columns[$0].isIndexed && !isUnique.contains($0) }
    var several: [[Int]] = []
    for columns in compound.map(withKey) where !(uniques + several).contains(columns) {
      several.append(columns)
    }
    return uniques.map { index($0, unique: true) }
      + (plain.map { [$0] } + several).map { index($0, unique: false) }
  }

  /// Returns the columns of an index with the key as the last one, so that it has whole orders.
  ///
  /// An integer key is the row number, with which SQLite ends every index.
  private func withKey(_ compound: [Int]) -> [Int] {
    let isRowNumber = columns[Table.keyColumn].storage == .integer
    return isRowNumber || compound.contains(Table.keyColumn)
      ? compound : compound + [Table.keyColumn]
  }
}

/// An index of a table.
struct TableIndex: Hashable, Sendable {
  let name: String
  let columns: [String]
  let isUnique: Bool
  /// The statement that creates the index.
  let create: String
}

extension String {
  /// The name as a quoted SQL identifier, which may have any characters.
  package var quotedIdentifier: String { quoted(by: "\"") }

  /// Returns the text between two quotes, with every quote in it doubled.
  ///
  /// Quotes are doubled byte by byte, because a quote with a combining mark is one `Character`.
  func quoted(by quote: Unicode.Scalar) -> String {
    let mark = String(quote)
    let parts = utf8.split(separator: UInt8(ascii: quote), omittingEmptySubsequences: false)
    return mark + parts.map { Substring($0) }.joined(separator: mark + mark) + mark
  }
}
