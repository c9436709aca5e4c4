/// A filter that a row meets by its own attributes, and by a reference to a row that meets one.
package struct RowFilter: Sendable {
  private let filter: ResolvedFilter?
  /// The reference that has to lead to a row that is followed, too; nil if that does not matter.
  package let reference: FollowedReference?
  /// A fingerprint of the filter, which other filters do not have.
  package let text: String

  /// - Returns: nil for a query of all rows without a reference.
  /// - Throws: ``StoreError`` with code `invalidQuery` if the query reads other rows, or has a limit or
  ///   an offset.
  init?(_ plan: QueryPlan, following reference: FollowedReference? = nil) throws(StoreError) {
    guard plan.isRowLocal, plan.root == nil, plan.limit == nil, plan.offset == 0 else {
      throw .query(
        "a replica's filter reads other rows than the one, or has a limit",
        entity: plan.table.entity)
    }
    if plan.filter == nil && reference == nil { return nil }
    filter = plan.filter
    self.reference = reference
    var hash = StableHash()
    if let filter = plan.filter {
      var sql = SQLBuilder()
      filter.append(to: &sql)
      hash.combine(sql.text.utf8)
      for value in sql.parameters { hash.combine(value) }
    }
    let rows = hash.bytes.map { String($0, radix: 16) }.joined(separator: ".")
    text = reference.map { "\(rows) \($0.text(in: plan.table))" } ?? rows
  }

  /// A filter that only asks where a reference leads.
  init(of table: Table, following reference: FollowedReference) {
    filter = nil
    self.reference = reference
    text = reference.text(in: table)
  }

  /// Returns whether a row meets the filter by its own attributes.
  package func admits(_ row: Record) -> Bool { filter?.matches(row) ?? true }

  /// The filter of the row's own attributes in a form that other databases can have.
  ///
  /// It admits at least the rows of the filter.
  package var condition: RowCondition {
    filter.map { RowCondition($0, negated: false) } ?? .constant(true)
  }
}

/// A reference that leads to a row that a replica follows.
package struct FollowedReference: Sendable {
  package let column: Int
  package let target: Table

  fileprivate func text(in table: Table) -> String { "in \(table.columns[column].name)" }
}

/// A condition on the columns of a row, whose negations are at the leaves.
///
/// A missing value equals only null, as in a ``Filter``.
package indirect enum RowCondition: Sendable {
  /// Anything that only this module can decide.
  case any
  case and(RowCondition, RowCondition)
  case or(RowCondition, RowCondition)
  /// A comparison of a column with a value that is not null.
  ///
  /// - Parameter orNull: whether null meets the condition, too.
  case compare(Int, ComparisonOperator, Cell, orNull: Bool)
  case isNull(Int, Bool)
  /// Whether a column has one of some values, none of which is null.
  case isIn(Int, [Cell], orNull: Bool)
  case text(Int, TextMatch, String)
  case constant(Bool)

  init(_ filter: ResolvedFilter, negated: Bool) {
    switch filter {
    case .not(let inner): self.init(inner, negated: !negated)
    case .and(let a, let b), .or(let a, let b):
      let (first, second) = (Self(a, negated: negated), Self(b, negated: negated))
      let isBoth = if case .and = filter { !negated } else { negated }
      self = isBoth ? .and(first, second) : .or(first, second)
    case .compare(let attribute, let comparison, let literal):
      self = Self.compare(attribute.column, comparison, literal.record[0], negated)
    case .isIn(.attribute(let attribute), let values) where !negated:
      let some = values.filter { $0 != .null }.sorted()
      self = .isIn(attribute.column, some, orNull: some.count < values.count)
    case .isIn(.literal, let values) where values.isEmpty: self = .constant(negated)
    case .text(.attribute(let attribute), let match, let literal) where !negated:
      if case .text(let text) = literal.record[0] {
        self = .text(attribute.column, match, text)
      } else {
        self = .any
      }
    case .relate, .isIn, .text, .any, .fullText, .place, .bounded: self = .any
    }
  }

  private static func compare(
    _ column: Int, _ comparison: ComparisonOperator, _ value: Cell, _ negated: Bool
  ) -> RowCondition {
    switch (comparison, value == .null) {
    case (.equal, true): .isNull(column, !negated)
    case (.notEqual, true): .isNull(column, negated)
    case (_, true): .constant(negated)
    case (_, false):
      .compare(
        column, negated ? comparison.negation : comparison, value,
        orNull: negated != (comparison == .notEqual))
    }
  }
}
