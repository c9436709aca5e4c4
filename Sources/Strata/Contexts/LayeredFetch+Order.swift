extension LayeredFetch {
  /// An entity with its new position, and the neighbours that make room for it.
  struct PositionedEntity<E: Entity>: Sendable {
    let entity: E
    var neighbours: [(before: E, after: Double)] = []
  }

  /// Returns an entity positioned at `index` among the other entities of a root.
  func positioned<Root: Entity, Target: Entity>(
    _ entity: Target, at index: Int, in relationship: ToMany<Root, Target>, of root: Root
  ) async throws(StoreError) -> PositionedEntity<Target> {
    let ordering = relationship.checkedOrdering
    // Counts all entities in the order of their positions, even if the relationship is narrowed.
    let whole = ToMany(relationship.definition, relationship.ordering)
    let key = entity.id.recordKey
    let others = try await fetch(whole(of: root)).filter { $0.id.recordKey != key }
    let placement = Placement(
      at: max(0, min(index, others.count)), among: others.map { $0[keyPath: ordering.position] })
    var positioned = entity
    ordering.refer(&positioned, root.id)
    positioned[keyPath: ordering.position] = placement.position
    let neighbours = placement.moved.sorted { $0.key < $1.key }
    return PositionedEntity(
      entity: positioned, neighbours: neighbours.map { (others[$0.key], $0.value) })
  }

  /// The position of a link, and the neighbours that make room for it.
  struct PositionedLink: Sendable {
    let position: Double
    var neighbours: [LinkMove] = []
  }

  /// Returns the position of the link with `target` at `index` among the other links of a root.
  func positioned<Root: Entity, Target: Entity>(
    _ target: Target, at index: Int, in relationship: ManyToMany<Root, Target>, of root: Root
  ) async throws(StoreError) -> PositionedLink {
    if relationship.isInverse || !relationship.definition.isOrdered {
      fatalError(
        "the links of \(Root.self) have no order: declare manyToMany(…, ordered: true) there")
    }
    let whole = ManyToMany<Root, Target>(relationship.definition, isInverse: false)
    let plan = try QueryPlan(whole(of: root), model)
    let key = target.id.recordKey
    var others: [(key: Target.ID, position: Double)] = []
    for (_, record) in try await linked(plan) {
      guard record.key(Table.keyColumn) != key,
        let id = try? Target.ID(cell: record[Table.keyColumn]),
        case .real(let position) = record[plan.width - 1]
      else { continue }
      others.append((id, position))
    }
    if index >= others.count {
      // The clock gives the position, as for a link without an index: a link made later comes after
      // this one.
      return PositionedLink(position: LinkClock.next(after: others.last?.position))
    }
    let placement = Placement(at: max(0, index), among: others.map(\.position))
    let neighbours = placement.moved.sorted { $0.key < $1.key }.compactMap { index, position in
      let (target, old) = others[index]
      return try? LinkEdit(root.id, target, relationship, model).move(from: old, to: position)
    }
    return PositionedLink(position: placement.position, neighbours: neighbours)
  }
}

extension ToMany {
  fileprivate var checkedOrdering: Ordering<Root, Target> {
    guard let ordering else {
      fatalError(
        "the \(Target.self)s of \(Root.self) have no order: declare toMany(…, orderedBy: …)")
    }
    return ordering
  }

  func setPosition(of entity: inout Target, as position: Double) {
    entity[keyPath: checkedOrdering.position] = position
  }

  /// Gives an entity the root and the position of another value of the same entity.
  func position(_ entity: inout Target, like positioned: Target, of root: Root) {
    let position = checkedOrdering.position
    checkedOrdering.refer(&entity, root.id)
    entity[keyPath: position] = positioned[keyPath: position]
  }
}
