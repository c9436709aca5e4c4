/// The way to keep what stands beside a live tree's entities up to date; made by the library.
public struct _RelationshipBranch<Root: Entity, Shown: Sendable>: Sendable {
  /// Adds the branch to a plan, with the levels that it needs.
  let plan: @Sendable (inout TreePlan, Model) throws(StoreError) -> Void
  /// Reads what stands beside one entity.
  let read: @Sendable (TreeContent, Model) -> Shown
}

extension ToOne {
  public var _branch: _RelationshipBranch<Root, Target?> {
    _RelationshipBranch { plan, model throws(StoreError) in
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

extension ToMany {
  public var _branch: _RelationshipBranch<Root, LiveElements<Target>> {
    _RelationshipBranch { plan, model throws(StoreError) in
      let (targets, column, window) = try level(model)
      let level = plan.add(
        TreeLevel(targets, under: nil, by: .referring(column: column), reach: window.reach))
      plan.add(.many(level: level, window: window))
    } read: { content, model in
      LiveElements(content, model.table(of: Target.self))
    }
  }

  /// Returns the query for the targets of all roots, the column with the root's key, and the limit.
  func level(
    _ model: Model
  ) throws(StoreError) -> (plan: QueryPlan, column: Int, window: TreeWindow) {
    let source = RelationshipSource(
      Root.self, [], position: definition.position, checksRoot: false)
    let (plan, window) = try refine(Query(from: source)).level(model)
    return (plan, try plan.table.column(of: definition.inverse), window)
  }
}

extension ManyToMany {
  public var _branch: _RelationshipBranch<Root, LiveElements<Target>> {
    _RelationshipBranch { plan, model throws(StoreError) in
      plan.add(.linked(try links(&plan, model)))
    } read: { content, model in
      LiveElements(content, model.table(of: Target.self))
    }
  }

  /// Adds the levels of the links and of their targets.
  func links(
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
