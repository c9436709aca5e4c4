internal import Strata
internal import StrataReplica

/// The change that the server's transaction makes to one row.
enum RowWrite {
  case insert(Record)
  case update(Record, AttributeSet)
  case delete(RecordKey)

  /// Whether one statement can do both.
  func isLike(_ other: RowWrite) -> Bool {
    switch (self, other) {
    case (.insert, .insert), (.delete, .delete): true
    case (.update(_, let mine), .update(_, let others)): mine == others
    default: false
    }
  }
}

extension TableMapping {
  /// Returns what makes the server's row that which it is to be; nil for nothing.
  func write(_ key: RecordKey, from server: Record?, to row: Record?) -> RowWrite? {
    switch (server, row) {
    case (nil, nil): nil
    case (nil, let row?): .insert(row)
    case (_?, nil): .delete(key)
    case (let server?, let row?):
      server == row ? nil : .update(row, row.differences(from: server))
    }
  }

  /// Returns the select that reads and locks the rows whose keys are in the array `$1`.
  ///
  /// All pushes lock in the order of keys.
  ///
  /// - Parameter waits: whether it waits for rows that another transaction holds. If not, it leaves
  ///   them out.
  func selectForUpdate(waits: Bool) -> String {
    "\(selectByKeys) ORDER BY \(keyName) FOR NO KEY UPDATE\(waits ? "" : " SKIP LOCKED")"
  }

  /// The select of the keys that the server has of those in the array `$1`.
  var selectKeys: String {
    "SELECT \(keyName)::text FROM \(name) WHERE \(keyName) = ANY ($1::\(key.rawValue)[])"
  }

  /// Returns the reason for which no row of the table has a key; nil if a row may have it.
  func refusal(of key: RecordKey) -> RefusalReason? {
    switch (key.cell, self.key) {
    case (.integer(let number), .int2) where Int16(exactly: number) == nil,
      (.integer(let number), .int4) where Int32(exactly: number) == nil:
      .outOfRange("\(number)", self.key)
    case (.text(let text), _) where text.utf8.contains(0):
      RefusalReason(sqlState: "22021", message: "PostgreSQL has no text with a NUL")
    case (.blob(let bytes), .uuid) where bytes.count != 16:
      RefusalReason(sqlState: "22P02", message: "a key of \(bytes.count) bytes is no UUID")
    case (.integer, _), (.text, _), (.blob, _): nil
    case (.real, _), (.null, _):
      RefusalReason(sqlState: "22P02", message: "the server's keys are no \(key)")
    }
  }

  /// Returns the statement that writes rows that are alike.
  ///
  /// - Throws: ``RefusalReason`` if a column of the server does not have a value.
  func statement(
    _ writes: [RowWrite]
  ) throws(RefusalReason) -> ServerStatement {
    let positions: [Int]
    switch writes.first {
    // The server computes the key of a link.
    case .insert: positions = Array(table.columns.indices.dropFirst(table.isJoin ? 1 : 0))
    case .update(_, let attributes): positions = [Table.keyColumn] + attributes.positions
    case .delete, nil: positions = [Table.keyColumn]
    }
    var arrays = positions.map { ArrayParameter(of: type(of: $0)) }
    for write in writes {
      switch write {
      case .insert(let row), .update(let row, _):
        for (number, position) in positions.enumerated() {
          try arrays[number].append(row[position])
        }
      case .delete(let key): try arrays[0].append(key.cell)
      }
    }
    // A policy hides a row from an update, and a trigger may leave a row out. Both are no error of
    // the server, so the statement makes one.
    let sql =
      "WITH w AS (\(sql(writes.first, positions)) RETURNING 1) "
      + "SELECT strata.expect(count(*), \(writes.count)) FROM w"
    return ServerStatement(sql, arrays)
  }

  private func sql(_ write: RowWrite?, _ positions: [Int]) -> String {
    let parameters = positions.enumerated().map { number, position in
      "$\(number + 1)::\(type(of: position).arrayType)"
    }.joined(separator: ", ")
    let names = positions.map(names.column)
    let values = positions.enumerated().map { number, position in
      "u.a\(number)" + (type(of: position) == .numeric ? "::numeric" : "")
    }
    let rows =
      "unnest(\(parameters)) AS u(\(positions.indices.map { "a\($0)" }.joined(separator: ", ")))"
    switch write {
    case .insert:
      return "INSERT INTO \(name) (\(names.joined(separator: ", "))) OVERRIDING SYSTEM VALUE "
        + "SELECT \(values.joined(separator: ", ")) FROM \(rows)"
    case .update:
      let sets = zip(names, values).dropFirst().map { "\($0) = \($1)" }
      return "UPDATE \(name) AS t SET \(sets.joined(separator: ", ")) FROM \(rows) "
        + "WHERE t.\(names[0]) = u.a0"
    case .delete, nil: return "DELETE FROM \(name) WHERE \(keyName) = ANY (\(parameters))"
    }
  }
}
