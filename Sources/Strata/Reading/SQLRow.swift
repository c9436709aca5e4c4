/// A row of a raw statement's result.
///
/// ```swift
/// for row in try await stack.read("SELECT title, count(*) AS number FROM songs GROUP BY title") {
///   print(try row.value("title", as: String.self), try row.value("number", as: Int.self))
/// }
/// ```
public struct SQLRow: Sendable {
  /// The names of the columns, as the statement gives them.
  public let columns: [String]
  /// The cells, in the order of the columns.
  public let cells: [Cell]
  /// The text of the statement, for errors.
  let sql: String

  /// The cell of the first column with a name.
  ///
  /// ASCII letters in the name match in either case.
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

  /// Returns the value of the first column with a name.
  ///
  /// An integer also converts to a real number.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery` if there is no such column, or if its cell
  ///   does not have such a value.
  public func value<Value: AttributeValue>(
    _ column: String, as _: Value.Type = Value.self
  ) throws -> Value {
    let cell = try self[column]
    do throws(ValueError) { return try cell.value() } catch {
      throw StoreError.raw("column \"\(column)\": \(error.message)", sql)
    }
  }
}
