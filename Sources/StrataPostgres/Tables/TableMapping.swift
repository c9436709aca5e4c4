internal import Foundation
internal import Strata
internal import StrataReplica

/// How the columns of a table of PostgreSQL become the attributes of an entity.
///
/// Columns that the entity does not have are never read.
struct TableMapping: Sendable {
  let table: Table
  /// The condition that the rows meet which a replica follows, in SQL. More rows may meet it.
  private(set) var condition = "true"
  /// A fingerprint of the filter, also of those of the tables to which it refers.
  let filterText: String
  /// The server's table as it was when the mapping was made.
  let shape: ServerShape
  /// The names, with the schema: a table of the same name in another schema is never meant.
  let names: ServerNames
  let columns: [ColumnType]

  /// The number of the table in the server's log.
  var number: Int { shape.number }

  var key: ColumnType { columns[Table.keyColumn] }

  func type(of column: Int) -> ColumnType { columns[column] }

  /// The table's name in SQL.
  var name: String { names.table }

  /// The select list, whose values have one of the forms that ``record(_:_:_:)`` reads.
  var list: String {
    columns.enumerated().map { column, type in
      names.column(column) + (type == .numeric ? "::text" : "")
    }.joined(separator: ", ")
  }

  /// Creates the mapping of a table.
  ///
  /// - Throws: ``ReplicaError`` with code `unsuitableServer` if the log does not see all writes of the
  ///   table, if its key is none, or if a column is missing or has a type that cannot become the
  ///   attribute's.
  init(
    _ table: Table, _ filter: RowFilter?, of target: TableMapping?, _ names: ServerNames,
    _ shape: ServerShape
  ) throws(ReplicaError) {
    let names = names.inSchema(shape.schema)
    self.table = table
    self.names = names
    self.shape = shape
    filterText = [filter?.text, target?.filterText].compactMap(\.self).joined(separator: " ")
    if let unseen = shape.unseen {
      throw ReplicaError(
        .unsuitableServer, "the triggers of the server's table \(unseen) do not log its changes",
        advice:
          "call StrataPostgres.prepare as the owner of the tables, which makes them again")
    }
    guard shape.isKeyed else {
      throw ReplicaError(
        .unsuitableServer,
        "the server's column \(names.table).\(names.key) is not unique and not null",
        advice: "make it the primary key, and call StrataPostgres.prepare")
    }
    let found = shape.namedColumns
    columns = try zip(table.columns, names.columns).map { column, name throws(ReplicaError) in
      guard let server = found[name] else {
        throw .unsuitable("the server's table \(names.table) has no column \(name)")
      }
      guard let type = server.type, Self.fits(type, column) else {
        throw .unsuitable(
          "the server's column \(names.table).\(name) has type \(server.typeName), and the attribute "
            + "is \(column.valueType.map { "\($0)" } ?? column.storage.rawValue)")
      }
      return type
    }
    if table.isJoin && found[names.key]?.isGenerated != true { throw names.lacksLinkKey }
    guard let filter else { return }
    condition = sql(filter.condition)
    if let reference = filter.reference, let target {
      guard type(of: reference.column).isComparable(with: target.key) else {
        throw .unsuitable(
          "the server's column \(names.table).\(names.columns[reference.column]) refers to a key "
            + "of another type")
      }
      condition +=
        " AND \(names.column(reference.column)) IN "
        + "(SELECT \(target.keyName) FROM \(target.name) WHERE \(target.condition))"
    }
  }

  private static func fits(_ type: ColumnType, _ column: Column) -> Bool {
    switch type {
    case .bool, .int2, .int4, .int8: column.storage == .integer
    case .float4, .float8, .timestamptz: column.storage == .real
    case .text, .varchar, .numeric: column.storage == .text
    case .bytea, .uuid: column.storage == .blob
    }
  }

  // MARK: - Keys

  /// Reads a key in the form of the server's log, or in that of ``text(_:)``.
  func key(_ text: String) throws(ReplicaError) -> RecordKey {
    switch key {
    case .int2, .int4, .int8: if let number = Int64(text) { return RecordKey(.integer(number)) }
    case .text, .varchar: return RecordKey(.text(text))
    case .uuid: if let cell = UUID(uuidString: text)?.cell { return RecordKey(cell) }
    case .bytea: if let bytes = Data(hex: text) { return RecordKey(.blob(bytes)) }
    default: break
    }
    throw .unsuitable("the key \(text.shortened) of the server's \(name) cannot be read")
  }

  /// Returns a key as PostgreSQL reads it.
  func text(_ key: RecordKey) -> String {
    switch (key.cell, self.key) {
    case (.integer(let number), _): "\(number)"
    case (.text(let text), _): text
    case (.blob(let bytes), .uuid) where bytes.count == 16: RecordKey(.blob(bytes)).description
    case (.blob(let bytes), _):
      "\\x" + bytes.hexadecimal
    case (.real, _), (.null, _): ""
    }
  }

  /// The select of the rows whose keys are in the array `$1`.
  var selectByKeys: String {
    "SELECT \(list) FROM \(name) WHERE \(keyName) = ANY ($1::\(key.rawValue)[])"
  }

  /// Returns the select of the rows whose keys the log has, with the keys; null for a missing row.
  ///
  /// - Parameter condition: the rows of the log.
  func selectLogged(_ condition: String) -> String {
    let logged =
      switch key {
      case .bytea: "decode(strata_key, 'hex')"
      case .text, .varchar: "strata_key COLLATE \"C\""
      default: "strata_key::\(key.rawValue)"
      }
    return "SELECT \(list), strata_key FROM (SELECT DISTINCT key FROM strata.log WHERE "
      + "tbl = \(number) AND key IS NOT NULL AND \(condition)) AS l (strata_key) "
      + "LEFT JOIN \(name) AS t ON t.\(keyName) = \(logged)"
  }

  /// The select of the keys of the rows that refer in a column to one of the keys in the array `$1`,
  /// and that may meet the filter.
  func selectReferring(_ column: Int, to target: TableMapping) -> String {
    "SELECT \(keyName)::text FROM \(name) WHERE \(names.column(column)) "
      + "= ANY ($1::\(target.key.rawValue)[]) AND \(condition)"
  }

  /// The select of the first `$2` rows whose keys come after `$1`, in the order of the store.
  var selectPage: String {
    let order = key == .text || key == .varchar ? "\(keyName) COLLATE \"C\"" : keyName
    return "SELECT \(list) FROM \(name) WHERE ($1::\(key.rawValue) IS NULL "
      + "OR \(order) > $1::\(key.rawValue)) AND \(condition) ORDER BY \(order) LIMIT $2::int8"
  }

  var keyName: String { names.column(Table.keyColumn) }
}

extension [String] {
  /// The text of an array of texts.
  var arrayText: String {
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    for text in self {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(UInt8(ascii: "\""))
      for byte in text.utf8 {
        if byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") {
          bytes.append(UInt8(ascii: "\\"))
        }
        bytes.append(byte)
      }
      bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: "}"))
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Data {
  /// Two hexadecimal digits a byte.
  var hexadecimal: String {
    map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// Reads two hexadecimal digits a byte, which `\x` may precede.
  fileprivate init?(hex: String) {
    guard hex.utf8.count.isMultiple(of: 2) else { return nil }
    self.init()
    var rest = hex.dropFirst(hex.hasPrefix("\\x") ? 2 : 0)
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      append(byte)
      rest = rest.dropFirst(2)
    }
  }
}
