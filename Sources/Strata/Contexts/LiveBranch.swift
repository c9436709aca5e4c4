/// What a live tree shows beside each of its entities: a relationship, or a value of the related entities.
///
/// ``ToOne``, ``ToMany``, ``ManyToMany`` and ``RelatedValue`` conform to it.
///
/// ```swift
/// let inbox = view.live(
///   Conversation.all, with: Conversation.newest, .count(of: Conversation.unread))
/// ```
public protocol LiveBranch<Root>: Sendable {
  /// The entity beside which the branch stands.
  associatedtype Root: Entity
  /// What stands beside one entity: an optional entity, entities or a value.
  associatedtype Shown: Sendable
  /// The way to keep the branch up to date.
  var _branch: _LiveBranch<Root, Shown> { get }
}

/// The way to keep what stands beside a live tree's entities up to date; made by the library.
public struct _LiveBranch<Root: Entity, Shown: Sendable>: Sendable {
  /// Adds the branch to a plan, with the levels that it needs.
  let plan: @Sendable (inout TreePlan, Model) throws(StoreError) -> Void
  /// Reads what stands beside one entity.
  let read: @Sendable (TreeContent, Model) -> Shown
}

extension ToOne: LiveBranch {
  public var _branch: _LiveBranch<Root, Target?> {
    _LiveBranch { plan, model throws(StoreError) in
      let column = try model.table(of: Root.self).column(of: definition.path)
      let targets = QueryPlan(everyRowOf: try model.table(of: Target.self, for: "\(Root.self)"))
      let level = plan.add(TreeLevel(targets, under: nil, by: .referred(column: column)))
      plan.add(.one(level: level, column: column))
    } read: { content, model in
      guard case .row(let row?) = content else { return nil }
      return model.table(of: Target.self).decodeLeniently(row, as: Target.self)
    }
  }
}

extension ToMany: LiveBranch {
  public var _branch: _LiveBranch<Root, LiveElements<Target>> {
    _LiveBranch { plan, model throws(StoreError) in
      let (targets, column, window) = try level(model)
      let level = plan.add(
        TreeLevel(targets, under: nil, by: .referring(column: column), reach: window.reach))
      plan.add(.many(level: level, window: window))
    } read: { content, model in
      LiveElements(content, model.table(of: Target.self))
    }
  }

  /// Returns the query for the targets of all roots, the column with the root's key, and the limit.
  fileprivate func level(
    _ model: Model
  ) throws(StoreError) -> (plan: QueryPlan, column: Int, window: TreeWindow) {
    let source = RelationshipSource(
      Root.self, [], position: definition.position, checksRoot: false)
    let (plan, window) = try refine(Query(from: source)).level(model)
    return (plan, try plan.table.column(of: definition.inverse), window)
  }
}

extension ManyToMany: LiveBranch {
  public var _branch: _LiveBranch<Root, LiveElements<Target>> {
    _LiveBranch { plan, model throws(StoreError) in
      plan.add(.linked(try links(&plan, model)))
    } read: { content, model in
      LiveElements(content, model.table(of: Target.self))
    }
  }

  /// Adds the levels of the links and of their targets.
  fileprivate func links(
    _ plan: inout TreePlan, _ model: Model
  ) throws(StoreError) -> LinkedBranch {
    let source = RelationshipSource(Root.self, [], link: reference, checksRoot: false)
    let (targets, window) = try refine(Query(from: source)).level(model)
    guard let end = targets.links?.end else {
      throw .query("a many-to-many without links", entity: targets.table.entity)
    }
    let links = plan.add(
      TreeLevel(
        QueryPlan(everyRowOf: end.table), under: nil, by: .referring(column: end.root)))
    let level = plan.add(
      TreeLevel(targets.withoutLinks, under: links, by: .referred(column: end.target)))
    return LinkedBranch(
      links: links, targets: level, end: end, plan: targets, window: window)
  }
}

extension Query {
  /// Returns the query for the related entities of all roots, and the limit that counts for each root.
  ///
  /// - Throws: `invalidQuery` if the query filters or sorts by anything but the entities' own attributes.
  fileprivate func level(
    _ model: Model
  ) throws(StoreError) -> (plan: QueryPlan, window: TreeWindow) {
    let plan = try QueryPlan(self, model)
    guard plan.withoutLinks.isRowLocal, plan.ranking == nil, plan.sortValues.isEmpty else {
      throw StoreError(
        .invalidQuery,
        "a live tree filters and sorts \(plan.table.entity) by more than its own attributes",
        advice: "narrow the relationship by attributes of the related entity alone",
        entity: plan.table.entity)
    }
    return (plan.whole, TreeWindow(limit: plan.limit, offset: plan.offset))
  }
}

extension LiveElements {
  fileprivate init(_ content: TreeContent, _ table: Table) {
    guard case .rows(let rows) = content else { fatalError("a list of a live tree without rows") }
    self.init(rows, table)
  }
}

// MARK: - Values

/// A value of the entities to which a relationship leads, for each entity of a live tree.
///
/// ```swift
/// let people = view.live(
///   Conversation.all, with: .count(of: Conversation.people), .max(\.sent, of: Conversation.messages))
/// ```
///
/// The entities are those that the relationship lists, its filter and its limit included.
public struct RelatedValue<Root: Entity, Shown: Sendable>: LiveBranch {
  public let _branch: _LiveBranch<Root, Shown>

  private init<Target: Entity, Value>(
    _ aggregate: Aggregate<Target, Value>,
    _ shown: @escaping @Sendable (Value?) -> Shown,
    levels: @escaping @Sendable (inout TreePlan, Model, [AggregateTerm<Int>]) throws(StoreError) -> Void
  ) {
    _branch = _LiveBranch { plan, model throws(StoreError) in
      let terms = try model.table(of: Target.self, for: "\(Root.self)").resolved(aggregate.terms)
      try levels(&plan, model, terms)
    } read: { content, _ in
      guard case .cells(let cells) = content else { return shown(nil) }
      return shown(try? aggregate.value(cells))
    }
  }

  fileprivate init<Target: Entity, Value>(
    _ aggregate: Aggregate<Target, Value>, of relationship: ToMany<Root, Target>,
    _ shown: @escaping @Sendable (Value?) -> Shown
  ) {
    self.init(aggregate, shown) { plan, model, terms throws(StoreError) in
      let (targets, column, window) = try relationship.level(model)
      // The spellings of a text are one group of a fold, but they are different keys.
      let isExact = window.reach == nil && targets.table.columns[column].storage != .text
      let level = TreeLevel(
        targets, under: nil, by: .referring(column: column), reach: window.reach,
        fold: isExact ? AggregateFold(terms, by: [column]) : nil)
      plan.add(.values(level: plan.add(level), window: window, of: terms))
    }
  }

  fileprivate init<Target: Entity, Value>(
    _ aggregate: Aggregate<Target, Value>, of relationship: ManyToMany<Root, Target>,
    _ shown: @escaping @Sendable (Value?) -> Shown
  ) {
    self.init(aggregate, shown) { plan, model, terms throws(StoreError) in
      plan.add(.linkedValues(try relationship.links(&plan, model), of: terms))
    }
  }
}

extension LiveBranch {
  /// The number of related entities.
  public static func count<Root, Target>(
    of relationship: ToMany<Root, Target>
  ) -> Self where Self == RelatedValue<Root, Int> {
    RelatedValue(.count, of: relationship) { $0 ?? 0 }
  }

  /// The number of linked entities.
  public static func count<Root, Target>(
    of relationship: ManyToMany<Root, Target>
  ) -> Self where Self == RelatedValue<Root, Int> {
    RelatedValue(.count, of: relationship) { $0 ?? 0 }
  }

  /// A value made of the related entities; nil if it cannot be made, such as a sum that is out of range.
  ///
  /// ```swift
  /// view.live(Artist.all, with: .value(.sum(\.plays), of: Artist.songs))
  /// ```
  public static func value<Root, Target, Value>(
    _ aggregate: Aggregate<Target, Value>, of relationship: ToMany<Root, Target>
  ) -> Self where Self == RelatedValue<Root, Value?> {
    RelatedValue(aggregate, of: relationship) { $0 }
  }

  /// A value made of the linked entities; nil if it cannot be made, such as a sum that is out of range.
  public static func value<Root, Target, Value>(
    _ aggregate: Aggregate<Target, Value>, of relationship: ManyToMany<Root, Target>
  ) -> Self where Self == RelatedValue<Root, Value?> {
    RelatedValue(aggregate, of: relationship) { $0 }
  }

  /// The least value of an attribute of the related entities; nil without values.
  public static func min<Root, Target, Value: ComparableValue>(
    _ path: any KeyPath<Target, Value> & Sendable, of relationship: ToMany<Root, Target>
  ) -> Self where Self == RelatedValue<Root, Value.Unwrapped?> {
    RelatedValue(.min(path), of: relationship) { $0 ?? nil }
  }

  /// The greatest value of an attribute of the related entities; nil without values.
  public static func max<Root, Target, Value: ComparableValue>(
    _ path: any KeyPath<Target, Value> & Sendable, of relationship: ToMany<Root, Target>
  ) -> Self where Self == RelatedValue<Root, Value.Unwrapped?> {
    RelatedValue(.max(path), of: relationship) { $0 ?? nil }
  }
}
