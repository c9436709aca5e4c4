internal import StrataSQLite

/// A filter whose attributes are columns: what both back ends run.
indirect enum ResolvedFilter: Sendable {
  case compare(ResolvedAttribute, ComparisonOperator, Literal)
  case isIn(ResolvedAttribute, Set<Cell>)
  case text(ResolvedAttribute, TextMatch, Literal)
  case and(ResolvedFilter, ResolvedFilter)
  case or(ResolvedFilter, ResolvedFilter)
  case not(ResolvedFilter)
}

/// A column of the query's table (join 0), or of a table joined to it.
struct ResolvedAttribute: Sendable {
  let join: Int
  let column: Int
  /// The column in SQL, such as `t0."title"`.
  let name: String
}

/// A value in a filter, as a one-cell record: compared and bound like any other cell.
struct Literal: Sendable {
  let record: Record
  let isNull: Bool

  init(_ cell: Cell) throws(ValueError) {
    record = try Record([cell])
    isNull = record.isNull(0)
  }
}

/// The rows that a filter looks at together: the row itself and those joined to it.
struct MatchRow {
  let row: RecordView
  /// The joined records, by join index minus one; nil where a reference leads nowhere.
  let joined: [Record?]
}

extension ResolvedFilter {
  /// Whether a record meets the filter; `joined` has the records of the plan's joins in order.
  func matches(_ record: Record, joined: [Record?] = []) -> Bool {
    record.withView { matches(MatchRow(row: $0, joined: joined)) }
  }

  private func matches(_ row: MatchRow) -> Bool {
    switch self {
    case .and(let a, let b): a.matches(row) && b.matches(row)
    case .or(let a, let b): a.matches(row) || b.matches(row)
    case .not(let filter): !filter.matches(row)
    case .compare(let attribute, let comparison, let literal):
      row.with(attribute) { view, column in
        literal.record.withView { comparison.holds(view, column, $0, literal.isNull) }
      }
    case .isIn(let attribute, let values):
      row.with(attribute) { view, column in values.contains(view?.cell(column) ?? .null) }
    case .text(let attribute, let match, let literal):
      row.with(attribute) { view, column in
        guard let view, view.tag(column) == CellTag.text.rawValue else { return false }
        return literal.record.withView { match.holds(view.payload(column), $0.payload(0)) }
      }
    }
  }
}

extension MatchRow {
  /// Lends the row that has the attribute; nil if a reference leads nowhere.
  @inline(__always)
  fileprivate func with(
    _ attribute: ResolvedAttribute, _ body: (RecordView?, Int) -> Bool
  ) -> Bool {
    if attribute.join == 0 { return body(row, attribute.column) }
    guard let record = joined[attribute.join - 1] else { return body(nil, attribute.column) }
    return record.withView { body($0, attribute.column) }
  }
}

extension ComparisonOperator {
  @inline(__always)
  fileprivate func holds(
    _ view: RecordView?, _ column: Int, _ literal: RecordView, _ literalIsNull: Bool
  ) -> Bool {
    guard let view, !view.isNull(column) else {
      switch self {
      case .equal: return literalIsNull
      case .notEqual: return !literalIsNull
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return false
      }
    }
    if literalIsNull { return self == .notEqual }
    let order = view.order(column, to: literal, 0)
    return switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }
}

extension TextMatch {
  @inline(__always)
  fileprivate func holds(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    if part.isEmpty { return true }
    if part.count > text.count { return false }
    return switch self {
    case .contains: ByteSearch.contains(text, part)
    case .prefix:
      CellOrder.compare(UnsafeRawBufferPointer(rebasing: text.prefix(part.count)), part) == 0
    case .suffix:
      CellOrder.compare(UnsafeRawBufferPointer(rebasing: text.suffix(part.count)), part) == 0
    }
  }
}
