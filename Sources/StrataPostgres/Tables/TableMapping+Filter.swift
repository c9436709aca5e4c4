internal import Foundation
internal import Strata
internal import StrataReplica

extension TableMapping {
  /// Returns a condition in SQL.
  ///
  /// Each row that meets the filter meets the condition. The condition lets a row through if it
  /// cannot tell, such as for a value that the column's type does not have.
  func sql(_ condition: RowCondition) -> String {
    switch condition {
    case .any: "true"
    case .constant(let isMet): isMet ? "true" : "false"
    case .and(let a, let b): "(\(sql(a)) AND \(sql(b)))"
    case .or(let a, let b): "(\(sql(a)) OR \(sql(b)))"
    case .isNull(let column, let isNull): "\(names.column(column)) IS \(isNull ? "" : "NOT ")NULL"
    case .compare(let column, let comparison, let value, let orNull):
      comparisonSQL(column, comparison, value).map { orNull ? or($0, null: column) : $0 }
        ?? "true"
    case .isIn(let column, let values, let orNull):
      membershipSQL(column, values).map { orNull ? or($0, null: column) : $0 } ?? "true"
    case .text(let column, let match, let text): matchSQL(column, match, text) ?? "true"
    }
  }

  private func or(_ condition: String, null column: Int) -> String {
    "(\(condition) OR \(names.column(column)) IS NULL)"
  }

  private func comparisonSQL(
    _ column: Int, _ comparison: ComparisonOperator, _ value: Cell
  ) -> String? {
    if type(of: column) == .timestamptz { return timeSQL(column, comparison, value) }
    guard let operand = operand(column), let literal = literal(value, column) else { return nil }
    return "\(operand) \(comparison.symbol) \(literal)"
  }

  /// Returns a comparison of times in whole microseconds. The store's number of seconds is not exact,
  /// so times that differ by one microsecond count as equal.
  private func timeSQL(
    _ column: Int, _ comparison: ComparisonOperator, _ value: Cell
  ) -> String? {
    guard case .real(let seconds) = value, abs(seconds) < 100_000_000_000 else { return nil }
    let microseconds = Int64((seconds * 1_000_000).rounded())
    func time(_ offset: Int64) -> String {
      "(timestamptz '2001-01-01 00:00:00+00' + interval '1 microsecond' * \(microseconds + offset))"
    }
    let name = names.column(column)
    return switch comparison {
    case .equal: "\(name) BETWEEN \(time(-1)) AND \(time(1))"
    case .notEqual: nil
    case .less, .lessOrEqual: "\(name) <= \(time(1))"
    case .greater, .greaterOrEqual: "\(name) >= \(time(-1))"
    }
  }

  private func membershipSQL(_ column: Int, _ values: [Cell]) -> String? {
    guard type(of: column) != .timestamptz, let operand = operand(column) else { return nil }
    var literals: [String] = []
    for value in values {
      guard let literal = literal(value, column) else { return nil }
      literals.append(literal)
    }
    return literals.isEmpty ? "false" : "\(operand) IN (\(literals.joined(separator: ", ")))"
  }

  private func matchSQL(
    _ column: Int, _ match: TextMatch, _ text: String
  ) -> String? {
    guard let literal = Self.literal(text) else { return nil }
    switch type(of: column) {
    case .text, .varchar, .numeric: break
    default: return nil
    }
    guard let operand = operand(column) else { return nil }
    return switch match {
    case .contains: "strpos(\(operand), \(literal)) > 0"
    case .prefix: "starts_with(\(operand), \(literal))"
    case .suffix: "right(\(operand), \(text.unicodeScalars.count)) = \(literal)"
    }
  }

  /// Returns a column in the form in which it is compared; nil if it is not.
  private func operand(_ column: Int) -> String? {
    let name = names.column(column)
    return switch type(of: column) {
    case .bool: "\(name)::int4"
    case .int2, .int4, .int8, .uuid, .bytea: name
    case .float4, .float8: "\(name)::float8"
    case .text, .varchar, .numeric: "\(name)::text COLLATE \"C\""
    case .timestamptz: nil
    }
  }

  /// Returns a value as a literal of a column's type; nil if the type does not have it.
  private func literal(_ value: Cell, _ column: Int) -> String? {
    switch (value, type(of: column)) {
    case (.integer(let number), .bool), (.integer(let number), .int2),
      (.integer(let number), .int4), (.integer(let number), .int8):
      "'\(number)'::int8"
    case (.real(let number), .float4), (.real(let number), .float8):
      "'\(number)'::float8"
    case (.text(let text), .text), (.text(let text), .varchar), (.text(let text), .numeric):
      Self.literal(text)
    case (.blob(let bytes), .uuid):
      bytes.count == 16 ? "'\(RecordKey(.blob(bytes)))'::uuid" : nil
    case (.blob(let bytes), .bytea): "'\\x\(bytes.hexadecimal)'::bytea"
    default: nil
    }
  }

  private static func literal(_ text: String) -> String? {
    // No text of the server has a NUL.
    if text.utf8.contains(0) { return nil }
    return "'\(text.replacingOccurrences(of: "'", with: "''"))'"
  }
}

extension ComparisonOperator {
  fileprivate var symbol: String {
    switch self {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}
