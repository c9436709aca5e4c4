/// What a live query keeps up to date: the rows of a query, in the order in which they are shown.
struct LivePlan: Sendable {
  /// The query without its root: whether the root is there is known beside the rows.
  let query: QueryPlan
  let root: PlannedRoot?
  /// Equal for queries with the same rows, whatever their sections.
  let queryIdentity: QueryPlan.Identity
  /// The order of the trees; that of the query unless sections are computed.
  let order: RecordOrder
  /// The order of the sections: rows of one section are equal in it. Nil without sections.
  let sectionOrder: RecordOrder?
  private let rule: SectionRule?
  /// The other tables that decide which rows the query has; nil if none does.
  let dependencies: QueryDependencies?

  /// Computes the section of a record.
  final class SectionRule: Sendable {
    fileprivate let name: @Sendable (Record) throws(ValueError) -> Cell
    init(_ name: @escaping @Sendable (Record) throws(ValueError) -> Cell) { self.name = name }
  }

  /// A query without sections, or one whose first sort makes them.
  init(_ query: QueryPlan, isSectioned: Bool = false) {
    self.query = query.withoutRoot
    root = query.root
    queryIdentity = query.identity
    order = query.order
    sectionOrder = isSectioned ? query.order.byFirstColumn : nil
    rule = nil
    dependencies = QueryDependencies(of: query)
  }

  /// A query in sections that are computed: sorted by their names first.
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

  /// Whether the change of a table can change the result.
  func depends(on changed: TableID) -> Bool {
    query.depends(on: changed) || root?.table.id == changed
  }

  /// Whether the trees have a cell that no statement reads.
  var isComputed: Bool { rule != nil }

  /// A record of the query as the trees have it: a computed name of its section is its last cell.
  func extended(_ record: Record) throws(StoreError) -> Record {
    guard let rule else { return record }
    do throws(ValueError) {
      return record.appending(0, of: try Record([try rule.name(record)]))
    } catch {
      let key = record.key(Table.keyColumn)
      throw StoreError(
        .invalidValue, "the section of \(table.entity) \(key): \(error.message)",
        advice: "name sections by values that can be stored", entity: table.entity, keys: [key])
    }
  }

  /// Equal for live queries that have the same result.
  struct Identity: Sendable, Hashable {
    fileprivate let query: QueryPlan.Identity
    /// Two closures are never known to be the same.
    fileprivate let rule: ObjectIdentifier?
  }

  var identity: Identity {
    Identity(query: queryIdentity, rule: rule.map { ObjectIdentifier($0) })
  }
}
