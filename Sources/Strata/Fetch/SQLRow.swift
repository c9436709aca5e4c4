/// A row of a raw statement's result.
public struct SQLRow: Sendable {
  /// The names of the columns, as the statement gives them.
  public let columns: [String]
  /// The cells, in the order of the columns.
  public let cells: [Cell]
  /// The statement, for errors.
  let sql: String

  /// The cell of the first column with a name; nil if there is no such column.
  public subscript(column: String) -> Cell? {
    columns.firstIndex(of: column).map { cells[$0] }
  }

  /// The value of the first column with a name.
  ///
  /// An integer is a real number, too.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery` if there is no such column, or what it has is
  ///   no such value.
  public func value<Value: AttributeValue>(
    _ column: String, as _: Value.Type = Value.self
  ) throws(StoreError) -> Value {
    guard let cell = self[column] else {
      throw .raw("the result has no column \"\(column)\", only \(columns)", sql)
    }
    do throws(ValueError) { return try cell.value() } catch {
      throw .raw("column \"\(column)\": \(error.message)", sql)
    }
  }
}
