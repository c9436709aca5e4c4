extension LayeredFetch {
  /// An entity put at its place, and the neighbours that make room for it.
  struct Place<E: Entity>: Sendable {
    let entity: E
    var neighbours: [(before: E, after: Double)] = []
  }

  /// Puts an entity at `index` of the others that a root has.
  func place<Root: Entity, Target: Entity>(
    _ entity: Target, at index: Int, in relationship: ToMany<Root, Target>, of root: Root
  ) async throws(StoreError) -> Place<Target> {
    let ordering = relationship.checkedOrdering
    // All of them, in the order of their positions, whatever the relationship is narrowed to.
    let whole = ToMany(relationship.definition, relationship.ordering)
    let key = try? entity.id.cell
    let others = try await fetch(whole(of: root)).filter { (try? $0.id.cell) != key }
    let placement = Placement(
      at: max(0, min(index, others.count)), among: others.map { $0[keyPath: ordering.position] })
    var placed = entity
    ordering.refer(&placed, root.id)
    placed[keyPath: ordering.position] = placement.position
    let neighbours = placement.moved.sorted { $0.key < $1.key }
    return Place(entity: placed, neighbours: neighbours.map { (others[$0.key], $0.value) })
  }

  /// A link's place, and the neighbours that make room for it.
  struct LinkPlace: Sendable {
    let position: Double
    var neighbours: [LinkMove] = []
  }

  /// Where the link with `target` stands at `index` of the others that a root has.
  func place<Root: Entity, Target: Entity>(
    _ target: Target, at index: Int, in relationship: ManyToMany<Root, Target>, of root: Root
  ) async throws(StoreError) -> LinkPlace {
    if relationship.isInverse || !relationship.definition.isOrdered {
      fatalError(
        "the links of \(Root.self) have no order: declare manyToMany(…, ordered: true) there")
    }
    let whole = ManyToMany<Root, Target>(relationship.definition, isInverse: false)
    let plan = try QueryPlan(whole(of: root), model)
    let key = try? target.id.cell
    var others: [(key: Target.ID, position: Double)] = []
    for (_, record) in try await linked(plan) {
      guard record[Table.keyColumn] != key, let id = try? Target.ID(cell: record[Table.keyColumn]),
        case .real(let position) = record[plan.width - 1]
      else { continue }
      others.append((id, position))
    }
    if index >= others.count {
      // As a link without an index, so that one of those comes after it.
      return LinkPlace(position: LinkClock.next(after: others.last?.position))
    }
    let placement = Placement(at: max(0, index), among: others.map(\.position))
    let neighbours = placement.moved.sorted { $0.key < $1.key }.compactMap { index, position in
      let (target, old) = others[index]
      return try? LinkEdit(root.id, target, relationship, model).move(from: old, to: position)
    }
    return LinkPlace(position: placement.position, neighbours: neighbours)
  }
}

extension ToMany {
  /// How the relationship is ordered.
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

  /// Gives an entity the place of another value of it.
  func place(_ entity: inout Target, like placed: Target, of root: Root) {
    let position = checkedOrdering.position
    checkedOrdering.refer(&entity, root.id)
    entity[keyPath: position] = placed[keyPath: position]
  }
}
