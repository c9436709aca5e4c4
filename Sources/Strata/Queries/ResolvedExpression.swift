internal import StrataSQLite

/// A value of a row: a column, or a value computed from columns.
indirect enum ResolvedExpression: Sendable {
  case attribute(ResolvedAttribute)
  /// The value of a column in the spelling of this program.
  case spelt(SpeltAttribute)
  case literal(Cell)
  case arithmetic(ArithmeticOperator, ResolvedExpression, ResolvedExpression)
  case coalesced(ResolvedExpression, ResolvedExpression)
  case conditional(ResolvedFilter, ResolvedExpression, ResolvedExpression)
  case folded(ResolvedExpression)
  case byteCount(ResolvedExpression)
  case count(RelatedRows)

  /// Returns the value for one row.
  func value(_ row: MatchRow) -> Cell {
    switch self {
    case .attribute(let attribute): row.with(attribute) { $0?.cell($1) ?? .null }
    case .spelt(let spelt):
      spelt.spelling.canonical(row.with(spelt.attribute) { $0?.cell($1) ?? .null })
    case .literal(let cell): cell
    case .arithmetic(let operation, let a, let b): operation(a.value(row), b.value(row))
    case .coalesced(let a, let b):
      switch a.value(row) {
      case .null: b.value(row)
      case let value: value
      }
    case .conditional(let condition, let a, let b):
      condition.matches(row) ? a.value(row) : b.value(row)
    case .folded(let text):
      switch text.value(row) {
      case .text(let text): .text(CaseFolding.fold(text))
      case let other: other
      }
    case .byteCount(let text):
      switch text.value(row) {
      case .text(let text): .integer(Int64(text.utf8.count))
      default: .null
      }
    case .count(let rows): .integer(Int64(row.count(rows)))
    }
  }

  /// Returns the expression in SQL.
  ///
  /// Its values become parameters of `sql`. The text may stand more than once in the statement.
  func text(_ sql: inout SQLBuilder) -> String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .spelt(let spelt): spelt.text
    case .literal(.null): "NULL"
    case .literal(let cell): sql.parameter(cell)
    case .arithmetic(let operation, let a, let b):
      "(\(a.text(&sql)) \(operation.rawValue) \(b.text(&sql)))"
    case .coalesced(let a, let b): "coalesce(\(a.text(&sql)), \(b.text(&sql)))"
    case .conditional(let condition, let a, let b):
      "CASE WHEN \(sql.rendered { condition.append(to: &$0) }) "
        + "THEN \(a.text(&sql)) ELSE \(b.text(&sql)) END"
    case .folded(let text): "strata_fold(\(text.text(&sql)))"
    // `length` of the text itself would end at a NUL.
    case .byteCount(let text): "length(CAST(\(text.text(&sql)) AS BLOB))"
    case .count(let rows): rows.count(&sql)
    }
  }
}

extension ResolvedExpression {
  /// Whether the value comes from joined or related rows.
  var readsOtherRows: Bool {
    switch self {
    case .attribute(let attribute): attribute.join != 0
    case .spelt(let spelt): spelt.attribute.join != 0
    case .literal: false
    case .arithmetic(_, let a, let b), .coalesced(let a, let b):
      a.readsOtherRows || b.readsOtherRows
    case .conditional(let condition, let a, let b):
      condition.readsOtherRows || a.readsOtherRows || b.readsOtherRows
    case .folded(let text), .byteCount(let text): text.readsOtherRows
    case .count: true
    }
  }
}
