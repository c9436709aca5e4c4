internal import Foundation
internal import StrataSQLite

extension ResolvedFilter {
  /// Appends the condition, or its negation.
  ///
  /// Negations are pushed down to the leaves. A comparison with null has SQL's third truth value,
  /// which would otherwise survive a NOT. In this form, the third truth value always means false.
  func append(to sql: inout SQLBuilder, negated: Bool = false) {
    switch self {
    case .and(let a, let b): Self.append(a, negated ? " OR " : " AND ", b, negated, to: &sql)
    case .or(let a, let b): Self.append(a, negated ? " AND " : " OR ", b, negated, to: &sql)
    case .not(let filter): filter.append(to: &sql, negated: !negated)
    case .compare(let attribute, let comparison, let literal):
      comparison.append(attribute.name, literal, negated, to: &sql)
    case .relate(let a, let comparison, let b, let collation):
      comparison.append(a, b, collation, negated, to: &sql)
    case .isIn(let expression, let values):
      Self.append(expression.text(&sql), values, negated, to: &sql)
    case .text(let expression, let match, let literal):
      match.append(expression.text(&sql), literal, negated, to: &sql)
    case .fullText(let search): search.append(to: &sql, negated: negated)
    case .place(let place, let area): place.append(area, to: &sql, negated: negated)
    case .any(let rows): rows.append(existenceTo: &sql, negated: negated)
    case .bounded(let bound): bound.append(to: &sql, negated: negated)
    }
  }

  /// Appends two connected conditions, the deeper condition first.
  ///
  /// The stack of SQLite's parser holds 100 symbols. It takes three symbols for each level of
  /// nesting on the right, and one symbol on the left.
  private static func append(
    _ a: ResolvedFilter, _ connective: String, _ b: ResolvedFilter, _ negated: Bool,
    to sql: inout SQLBuilder
  ) {
    let (first, second) = b.nesting > a.nesting ? (b, a) : (a, b)
    sql.append("(")
    first.append(to: &sql, negated: negated)
    sql.append(connective)
    second.append(to: &sql, negated: negated)
    sql.append(")")
  }

  private static func append(
    _ column: String, _ values: Set<Cell>, _ negated: Bool, to sql: inout SQLBuilder
  ) {
    let some = values.filter { $0 != .null }.sorted()
    let hasNull = some.count < values.count
    sql.append("(")
    sql.append(column, among: some, negated: negated)
    // An empty list is false even for null. `NOT IN ()` therefore keeps null.
    switch (negated, hasNull) {
    case (false, true): sql.append(" OR \(column) IS NULL")
    case (true, false): sql.append(" OR \(column) IS NULL")
    case (true, true): sql.append(" AND \(column) IS NOT NULL")
    case (false, false): break
    }
    sql.append(")")
  }
}

extension ComparisonOperator {
  var negation: ComparisonOperator {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    }
  }

  /// Appends a comparison of expressions, each of which may be null.
  fileprivate func append(
    _ a: ResolvedExpression, _ b: ResolvedExpression, _ collation: TextCollation?,
    _ negated: Bool, to sql: inout SQLBuilder
  ) {
    let collate = collation?.sql ?? ""
    let left = a.text(&sql) + collate
    let right = b.text(&sql)
    switch self {
    case .equal: sql.append("\(left) \(negated ? "IS NOT" : "IS") \(right)")
    case .notEqual: sql.append("\(left) \(negated ? "IS" : "IS NOT") \(right)")
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      let symbol = self == .less ? "<" : self == .lessOrEqual ? "<=" : self == .greater ? ">" : ">="
      let comparison = "\(left) \(symbol) \(right)"
      // A null result is not true either.
      sql.append(negated ? "(\(comparison)) IS NOT TRUE" : comparison)
    }
  }

  fileprivate func append(
    _ column: String, _ literal: Literal, _ negated: Bool, to sql: inout SQLBuilder
  ) {
    let comparison = negated ? negation : self
    let symbol: String
    switch comparison {
    case .equal where literal.isNull: return sql.append("\(column) IS NULL")
    case .notEqual where literal.isNull: return sql.append("\(column) IS NOT NULL")
    // An order comparison with null never holds, and its negation always holds.
    case _ where literal.isNull: return sql.append(negated ? "1" : "0")
    case .equal: symbol = "="
    case .notEqual: symbol = "IS NOT"
    case .less: symbol = "<"
    case .lessOrEqual: symbol = "<="
    case .greater: symbol = ">"
    case .greaterOrEqual: symbol = ">="
    }
    let keepsNull = negated && comparison != .equal && comparison != .notEqual
    if keepsNull { sql.append("(") }
    sql.append("\(column) \(symbol) ")
    sql.append(parameter: literal.record[0])
    if keepsNull { sql.append(" OR \(column) IS NULL)") }
  }
}

extension TextMatch {
  /// Appends the match of a text in a form that compares all bytes, even after an embedded NUL.
  ///
  /// LIKE and `substr` of a text do not compare the bytes after a NUL.
  fileprivate func append(
    _ column: String, _ literal: Literal, _ negated: Bool, to sql: inout SQLBuilder
  ) {
    guard case .text(let part) = literal.record[0] else { fatalError("a text match without text") }
    if part.isEmpty { return sql.append("\(column) IS \(negated ? "" : "NOT ")NULL") }
    sql.append("(")
    switch self {
    case .contains:
      sql.append("instr(\(column), ")
      sql.append(parameter: .text(part))
      sql.append(negated ? ") = 0" : ") > 0")
    case .prefix:
      sql.append("\(column) \(negated ? "<" : ">=") ")
      sql.append(parameter: .text(part))
      if let end = Self.successor(of: part) {
        sql.append(negated ? " OR \(column) >= " : " AND \(column) < ")
        sql.append(parameter: .text(end))
      }
    case .suffix:
      // `substr` of an empty blob is null.
      sql.append("substr(CAST(\(column) AS BLOB), -\(part.utf8.count)) ")
      sql.append(negated ? "IS NOT " : "= ")
      sql.append(parameter: .blob(.init(part.utf8)))
    }
    if negated { sql.append(" OR \(column) IS NULL") }
    sql.append(")")
  }

  /// Returns the least text after all texts with the prefix, or nil if there is no such text.
  ///
  /// UTF-8 sorts like code points. The last code point that can grow grows, without becoming a
  /// surrogate, and the code points after it are dropped.
  private static func successor(of prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let scalar = Unicode.Scalar(next) {
        scalars.append(scalar)
        return String(String.UnicodeScalarView(scalars))
      }
    }
    return nil
  }
}
