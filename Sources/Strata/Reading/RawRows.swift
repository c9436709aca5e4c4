internal import StrataSQLite

/// The rows of a running raw statement, on the reader's executor.
struct RawRows {
  let statement: Statement
  let columns: [String]

  /// Compiles a statement, which must only read, and binds its values.
  init(
    _ text: String, _ values: [Cell], _ connection: Connection, _ model: Model
  ) throws(StoreError) {
    do throws(ReadRefusal) {
      statement = try connection.readingStatement(for: model.sql(text))
    } catch {
      throw StoreError(error, text)
    }
    guard statement.parameterCount == values.count else {
      throw .raw(
        "the statement has \(statement.parameterCount) parameters, but \(values.count) values",
        text)
    }
    statement.bind(values)
    columns = (0..<Int32(statement.columnCount)).map(statement.columnName)
  }

  func next() throws(StoreError) -> Bool {
    try statement.next()
  }

  /// Returns the values that `read` makes of the rows.
  func all<Value>(_ read: () throws(StoreError) -> Value) throws(StoreError) -> [Value] {
    defer { statement.reset() }
    var values: [Value] = []
    while try next() { values.append(try read()) }
    return values
  }

  /// Returns all rows as entities; columns match attributes by name.
  func entities<E: Entity>(_ table: Table, as _: E.Type) throws(StoreError) -> [E] {
    let positions = try table.columns.map { column throws(StoreError) in
      guard let position = columns.firstIndex(where: { $0.isSameName(as: column.name) }) else {
        var error = StoreError.raw(
          "the result has no column \"\(column.name)\", which \(table.entity) needs",
          statement.sql)
        error.entity = table.entity
        error.attributes = [column.name]
        throw error
      }
      return Int32(truncatingIfNeeded: position)
    }
    let row = MappedRow(statement: statement, positions: positions, columns: table.columns)
    return try all { () throws(StoreError) in
      do throws(CodingFailure) {
        try row.check()
        return try table.decode(row)
      } catch {
        throw table.error(error, key: RecordKey(statement, positions[Table.keyColumn]))
      }
    }
  }

  /// Returns the value in a column of the current row.
  func value<Value: AttributeValue>(
    _ position: Int, as _: Value.Type
  ) throws(StoreError) -> Value {
    do throws(ValueError) {
      return try Cell(statement, Int32(truncatingIfNeeded: position)).value()
    } catch {
      throw .raw("column \"\(columns[position])\": \(error.message)", statement.sql)
    }
  }

  /// Returns the value in the column after `position`, and moves `position` to that column.
  func next<Value: AttributeValue>(
    _ position: inout Int, as type: Value.Type
  ) throws(StoreError) -> Value {
    position += 1
    return try value(position, as: type)
  }

  /// Checks the number of the result's columns.
  ///
  /// - Throws: `invalidQuery` if the number is not `count`.
  func checkWidth(_ count: Int) throws(StoreError) {
    if columns.count == count { return }
    throw .raw("the result has \(columns.count) columns, not \(count)", statement.sql)
  }
}

extension Cell {
  /// Returns the cell as a value; an integer also converts to a real number, as in SQL.
  func value<Value: AttributeValue>() throws(ValueError) -> Value {
    if case .integer(let integer) = self, Value.storage == .real {
      return try Value(cell: .real(Double(integer)))
    }
    return try Value(cell: self)
  }
}

/// The current row of a raw statement, with its columns in a table's order.
private struct MappedRow: CellSource {
  let statement: Statement
  let positions: [Int32]
  let columns: [Column]

  /// Checks the storage classes of the cells.
  ///
  /// Decoding would convert a cell of another storage class, for example null to zero.
  func check() throws(CodingFailure) {
    for (column, position) in positions.enumerated() {
      let isRight =
        switch (statement.storageClass(position), columns[column].storage) {
        case (.integer, .integer), (.integer, .real), (.real, .real), (.text, .text),
          (.blob, .blob):
          true
        case (.null, _): columns[column].isOptional
        default: false
        }
      if isRight { continue }
      let expected = columns[column].storage.rawValue
      let message = "\(expected) was expected, not \(Cell(statement, position))"
      throw CodingFailure(column: column, error: ValueError(message), .unreadable)
    }
  }

  func isNull(_ column: Int) -> Bool { statement.isNull(positions[column]) }
  func integer(_ column: Int) -> Int64 { statement.integer(positions[column]) }
  func real(_ column: Int) -> Double { statement.real(positions[column]) }
  func text(_ column: Int) -> UnsafeRawBufferPointer { statement.text(positions[column]) }
  func blob(_ column: Int) -> UnsafeRawBufferPointer { statement.blob(positions[column]) }
  func cell(_ column: Int) -> Cell {
    let cell = Cell(statement, positions[column])
    if case .integer(let value) = cell, columns[column].storage == .real {
      return .real(Double(value))
    }
    return cell
  }
}

extension StoreError {
  fileprivate init(_ refusal: ReadRefusal, _ text: String) {
    switch refusal {
    case .sqlite(let error):
      self = .raw(error.message, text)
      sqliteCode = error.code
    case .doesMore(let what):
      self.init(
        .writeRefused, "the statement would \(what)",
        advice: "a raw statement only reads; write with a context")
      sql = text
    case .empty: self = .raw("there is no statement", text)
    case .several: self = .raw("there is more than one statement", text)
    }
  }
}

extension StoreError {
  /// Returns the error for a raw statement that cannot be run, or whose result has another form.
  static func raw(_ message: String, _ sql: String) -> StoreError {
    var error = StoreError(.invalidQuery, message, advice: "change the statement")
    error.sql = sql
    return error
  }
}
