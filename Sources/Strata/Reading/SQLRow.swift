/// A row of a raw statement's result.
public struct SQLRow: Sendable {
  /// The names of the columns, as the statement gives them.
  public let columns: [String]
  /// The cells, in the order of the columns.
  public let cells: [Cell]
  /// The statement, for errors.
  let sql: String

  /// The cell of the first column with a name, in which ASCII letters are the same in either case.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery` if there is no such column.
  public subscript(column: String) -> Cell {
    get throws(StoreError) {
      guard let position = columns.firstIndex(where: { $0.isSameName(as: column) }) else {
        throw .raw("the result has no column \"\(column)\", only \(columns)", sql)
      }
      return cells[position]
    }
  }

  /// The value of the first column with a name.
  ///
  /// An integer is a real number, too.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery` if there is no such column, or what it has
  ///   is no such value.
  public func value<Value: AttributeValue>(
    _ column: String, as _: Value.Type = Value.self
  ) throws(StoreError) -> Value {
    let cell = try self[column]
    do throws(ValueError) { return try cell.value() } catch {
      throw .raw("column \"\(column)\": \(error.message)", sql)
    }
  }
}
