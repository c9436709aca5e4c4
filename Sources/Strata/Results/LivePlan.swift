internal import StrataSQLite

/// The plan of a live query: a query's rows, in the order in which they are shown.
struct LivePlan: Sendable {
  /// The query without the condition that its root exists.
  ///
  /// The existence of the root is tracked beside the rows.
  let query: QueryPlan
  let root: PlannedRoot?
  /// An identity that is equal for queries with the same rows, whatever their sections.
  let queryIdentity: SQLBuilder
  /// The order of the trees: the query's order unless sections are computed.
  let order: RecordOrder
  /// The order of the sections, in which rows of the same section are equal; nil without sections.
  let sectionOrder: RecordOrder?
  private let sections: Sections
  /// The other tables that decide which rows the query has; nil if there are none.
  let dependencies: QueryDependencies?
  /// The related rows that a live tree shows beside the query's rows; nil if it shows none.
  let related: TreePlan?

  /// The source of the sections.
  private enum Sections: Sendable {
    /// The first sort of the query, or no sections.
    case sorted
    /// The first sort of the query, whose values may be stored in a form that is not the type's own.
    case checked(SectionCheck)
    /// A computed name, which is the last cell of a record.
    case named(SectionRule)
  }

  /// A rule that computes the section of a record.
  final class SectionRule: Sendable {
    fileprivate let name: @Sendable (Record) throws(ValueError) -> Cell
    init(_ name: @escaping @Sendable (Record) throws(ValueError) -> Cell) { self.name = name }
  }

  /// Creates the plan of a query without sections, or with sections by its first sort.
  init(
    _ query: QueryPlan, isSectioned: Bool = false, checking check: SectionCheck? = nil,
    with related: TreePlan? = nil
  ) {
    self.related = related
    self.query = query.withoutRoot
    root = query.root
    queryIdentity = query.identity
    order = query.order
    sectionOrder = isSectioned ? query.order.byFirstColumn : nil
    sections = check.map { .checked($0) } ?? .sorted
    dependencies = QueryDependencies(of: query)
  }

  /// Creates the plan of a query with computed sections, which are the first sort.
  init(_ query: QueryPlan, sections rule: SectionRule) {
    related = nil
    self.query = query.withoutRoot
    root = query.root
    queryIdentity = query.identity
    order = query.order.after(query.width, .canonical)
    sectionOrder = order.byFirstColumn
    sections = .named(rule)
    dependencies = QueryDependencies(of: query)
  }

  var table: Table { query.table }

  /// The tables whose rows are shown.
  var tables: [Table] { [table] + (related?.levels.map(\.table) ?? []) }

  /// Returns whether a change of a table can change the result.
  func depends(on changed: TableID) -> Bool {
    query.depends(on: changed) || root?.table.id == changed
      || related?.levels.contains { $0.table.id == changed } == true
  }

  /// Whether each record is named or checked by code of the app.
  var isComputed: Bool {
    switch sections {
    case .sorted: false
    case .checked, .named: true
    }
  }

  /// Returns a record of the query as the trees have it.
  ///
  /// If sections are computed, the name of the record's section is the last cell.
  ///
  /// - Throws: ``StoreError`` with code `invalidValue` if the section has no name.
  func extended(_ record: Record) throws(StoreError) -> Record {
    do throws(ValueError) {
      switch sections {
      case .sorted: return record
      case .checked(let check):
        try check.check(record[order.columns[0].position])
        return record
      case .named(let rule): return try record.appending(rule.name(record))
      }
    } catch {
      let key = record.key(Table.keyColumn)
      throw StoreError(
        .invalidValue, "the section of \(table.entity) \(key): \(error.message)",
        advice: "name sections by values that can be stored and read again",
        entity: table.entity, keys: [key])
    }
  }

  /// An identity that is equal for live queries with the same result.
  struct Identity: Sendable, Hashable {
    fileprivate let query: SQLBuilder
    /// The identity of the section rule, because closures cannot be compared.
    fileprivate let rule: ObjectIdentifier?
    fileprivate let levels: [TreeLevel.Identity]?
  }

  var identity: Identity {
    let rule: ObjectIdentifier? =
      switch sections {
      case .sorted: nil
      case .checked(let check): check.type
      case .named(let rule): ObjectIdentifier(rule)
      }
    return Identity(
      query: queryIdentity, rule: rule, levels: related?.levels.map(\.identity))
  }
}
