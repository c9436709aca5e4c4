internal import StrataSQLite

/// A filter whose attributes are columns.
///
/// SQL is made from it, and the matcher in memory runs it.
indirect enum ResolvedFilter: Sendable {
  /// The most common condition, in a form that is matched without making a cell.
  case compare(ResolvedAttribute, ComparisonOperator, Literal)
  case relate(ResolvedExpression, ComparisonOperator, ResolvedExpression, TextCollation? = nil)
  case isIn(ResolvedExpression, Set<Cell>)
  case text(ResolvedExpression, TextMatch, Literal)
  case any(RelatedRows)
  case and(ResolvedFilter, ResolvedFilter)
  case or(ResolvedFilter, ResolvedFilter)
  case not(ResolvedFilter)
  case fullText(ResolvedSearch)
  case place(ResolvedPlace, PlaceArea)
  /// Whether the row is on the one side of a place in the query's order.
  case bounded(ResolvedBound)
}

/// A column of the filter's own table (join 0), or of a table joined to it.
struct ResolvedAttribute: Sendable {
  let join: Int
  let column: Int
  /// The column in SQL, such as `t0."title"`.
  let name: String
}

/// A value in a filter, as a record with one cell.
///
/// It is compared and bound like any other cell.
struct Literal: Sendable {
  let record: Record
  let isNull: Bool

  init(_ cell: Cell) throws(ValueError) {
    record = try Record([cell])
    isNull = record.isNull(0)
  }
}

/// The rows and counts that a filter reads together.
///
/// These are the row itself, the joined rows, the numbers of related rows, and the keys that the
/// full-text searches found.
struct MatchRow {
  let row: RecordView
  /// The joined records, by join index minus one; nil where a reference leads nowhere.
  let joined: [Record?]
  /// The number of related rows by the key of their source, at ``RelatedRows/index``.
  let related: [[RecordKey: Int]]
  /// The keys that each search has found, at ``ResolvedSearch/number``.
  let found: [Set<RecordKey>]
}

extension ResolvedFilter {
  /// The filter that no row meets.
  static let never = ResolvedFilter.isIn(.literal(.null), [])

  /// Whether no row can meet the filter, as far as its form tells.
  var isNever: Bool {
    switch self {
    case .isIn(_, let values): values.isEmpty
    case .and(let a, let b): a.isNever || b.isNever
    case .or(let a, let b): a.isNever && b.isNever
    case .compare, .relate, .text, .any, .not, .fullText, .place, .bounded: false
    }
  }

  /// Returns whether a record meets the filter.
  ///
  /// - Parameters:
  ///   - joined: the records of the joins in order.
  ///   - related: the numbers of related rows in order.
  ///   - found: the keys that the full-text searches found, in order.
  func matches(
    _ record: Record, joined: [Record?] = [], related: [[RecordKey: Int]] = [],
    found: [Set<RecordKey>] = []
  ) -> Bool {
    record.withView {
      matches(MatchRow(row: $0, joined: joined, related: related, found: found))
    }
  }

  func matches(_ row: MatchRow) -> Bool {
    switch self {
    case .and(let a, let b): a.matches(row) && b.matches(row)
    case .or(let a, let b): a.matches(row) || b.matches(row)
    case .not(let filter): !filter.matches(row)
    case .compare(let attribute, let comparison, let literal):
      row.with(attribute) { view, column in
        literal.record.withView {
          comparison.holds(view, column, $0, 0, otherIsNull: literal.isNull)
        }
      }
    case .relate(.attribute(let a), let comparison, .attribute(let b), nil):
      row.with(a) { view, column in
        row.with(b) { other, otherColumn in
          comparison.holds(
            view, column, other, otherColumn, otherIsNull: other?.isNull(otherColumn) ?? true)
        }
      }
    case .relate(let a, let comparison, let b, let collation):
      comparison.holds(a.value(row), b.value(row), collation)
    case .isIn(let expression, let values): values.contains(expression.value(row))
    case .text(.attribute(let attribute), let match, let literal):
      row.with(attribute) { view, column in
        guard let view, view.tag(column) == CellTag.text.rawValue else { return false }
        return literal.record.withView { match.holds(view.payload(column), $0.payload(0)) }
      }
    case .text(let expression, let match, let literal):
      if case .text(var text) = expression.value(row) {
        text.withUTF8 { text in
          literal.record.withView { match.holds(UnsafeRawBufferPointer(text), $0.payload(0)) }
        }
      } else {
        false
      }
    case .any(let rows): row.count(rows) > 0
    case .fullText(let search): row.isFound(by: search)
    case .place(let place, let area): row.place(place).map(area.contains) ?? false
    case .bounded(let bound): bound.contains(row.row)
    }
  }
}

extension MatchRow {
  /// Lends the row that has the attribute, or nil if a reference leads nowhere.
  @inline(__always)
  func with<R>(_ attribute: ResolvedAttribute, _ body: (RecordView?, Int) -> R) -> R {
    if attribute.join == 0 { return body(row, attribute.column) }
    guard let record = joined[attribute.join - 1] else { return body(nil, attribute.column) }
    return record.withView { body($0, attribute.column) }
  }

  /// Returns whether a full-text search has found the row.
  ///
  /// Only SQLite can run such a search.
  fileprivate func isFound(by search: ResolvedSearch) -> Bool {
    key(search.join).map { found[search.number].contains($0) } ?? false
  }

  fileprivate func place(_ place: ResolvedPlace) -> Coordinate? {
    with(place.latitude) { view, latitude in
      view?.place(latitude: latitude, longitude: place.longitude.column)
    }
  }

  /// Returns the number of rows that a relationship has found.
  func count(_ rows: RelatedRows) -> Int {
    key(rows.source).flatMap { related[rows.index][$0] } ?? 0
  }

  /// Returns the key in the table with a number, as in ``Join/source``; nil for a missing row.
  private func key(_ join: Int) -> RecordKey? {
    if join == 0 { return RecordKey(row, Table.keyColumn) }
    return joined[join - 1]?.key(Table.keyColumn)
  }
}

extension ComparisonOperator {
  /// Compares a cell with another cell that is known to be null or not.
  ///
  /// A nil view stands for a missing row, whose cells are all null.
  @inline(__always)
  fileprivate func holds(
    _ view: RecordView?, _ column: Int, _ other: RecordView?, _ otherColumn: Int,
    otherIsNull: Bool
  ) -> Bool {
    guard let view, !view.isNull(column) else { return holdsForNull(and: otherIsNull) }
    guard let other, !otherIsNull else { return self == .notEqual }
    return holds(view.order(column, to: other, otherColumn))
  }

  fileprivate func holds(_ a: Cell, _ b: Cell, _ collation: TextCollation?) -> Bool {
    switch (a, b) {
    case (.null, .null): return holdsForNull(and: true)
    case (.null, _), (_, .null): return holdsForNull(and: false)
    case (.text(var x), .text(var y)):
      guard let collation else { return holds(a.order(to: b)) }
      return x.withUTF8 { x in y.withUTF8 { y in holds(collation.compare(.init(x), .init(y))) } }
    default: return holds(a.order(to: b))
    }
  }

  /// Returns whether the comparison of null with another value holds.
  @inline(__always)
  private func holdsForNull(and otherIsNull: Bool) -> Bool {
    switch self {
    case .equal: otherIsNull
    case .notEqual: !otherIsNull
    case .less, .lessOrEqual, .greater, .greaterOrEqual: false
    }
  }

  @inline(__always)
  private func holds(_ order: Int) -> Bool {
    switch self {
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

extension ResolvedFilter {
  /// Whether the filter reads joined or related rows, or an index of texts.
  var readsOtherRows: Bool {
    switch self {
    case .compare(let attribute, _, _): attribute.join != 0
    case .relate(let a, _, let b, _): a.readsOtherRows || b.readsOtherRows
    case .isIn(let expression, _), .text(let expression, _, _): expression.readsOtherRows
    case .any, .fullText: true
    case .and(let a, let b), .or(let a, let b): a.readsOtherRows || b.readsOtherRows
    case .not(let filter): filter.readsOtherRows
    case .place(let place, _): place.latitude.join != 0
    case .bounded: false
    }
  }
}
