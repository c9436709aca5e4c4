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
  private let rule: SectionRule?
  /// The other tables that decide which rows the query has; nil if there are none.
  let dependencies: QueryDependencies?

  /// A rule that computes the section of a record.
  final class SectionRule: Sendable {
    fileprivate let name: @Sendable (Record) throws(ValueError) -> Cell
    init(_ name: @escaping @Sendable (Record) throws(ValueError) -> Cell) { self.name = name }
  }

  /// Creates the plan of a query without sections, or with sections by its first sort.
  init(_ query: QueryPlan, isSectioned: Bool = false) {
    self.query = query.withoutRoot
    root = query.root
    queryIdentity = query.identity
    order = query.order
    sectionOrder = isSectioned ? query.order.byFirstColumn : nil
    rule = nil
    dependencies = QueryDependencies(of: query)
  }

  /// Creates the plan of a query with computed sections, which are the first sort.
  init(_ query: QueryPlan, sections: SectionRule) {
    self.query = query.withoutRoot
    root = query.root
    queryIdentity = query.identity
    order = query.order.after(RecordOrder.Column(position: query.width, isDescending: false))
    sectionOrder = order.byFirstColumn
    rule = sections
    dependencies = QueryDependencies(of: query)
  }

  var table: Table { query.table }

  /// Returns whether a change of a table can change the result.
  func depends(on changed: TableID) -> Bool {
    query.depends(on: changed) || root?.table.id == changed
  }

  /// Whether the trees have a cell that no statement reads: the computed name of a section.
  var isComputed: Bool { rule != nil }

  /// Returns a record of the query as the trees have it.
  ///
  /// If sections are computed, the name of the record's section is the last cell.
  func extended(_ record: Record) throws(StoreError) -> Record {
    guard let rule else { return record }
    do throws(ValueError) {
      return try record.appending(rule.name(record))
    } catch {
      let key = record.key(Table.keyColumn)
      throw StoreError(
        .invalidValue, "the section of \(table.entity) \(key): \(error.message)",
        advice: "name sections by values that can be stored", entity: table.entity, keys: [key])
    }
  }

  /// An identity that is equal for live queries with the same result.
  struct Identity: Sendable, Hashable {
    fileprivate let query: SQLBuilder
    /// The identity of the section rule, because closures cannot be compared.
    fileprivate let rule: ObjectIdentifier?
  }

  var identity: Identity {
    Identity(query: queryIdentity, rule: rule.map { ObjectIdentifier($0) })
  }
}
