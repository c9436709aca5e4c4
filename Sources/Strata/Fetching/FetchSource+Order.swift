/// An entity's position in an ordered to-many relationship, and the neighbours that make room for it.
struct EntityPosition<E: Entity>: Sendable {
  /// The entity at the position.
  let entity: E
  /// Gives a value of the entity the root and the position.
  let assign: @Sendable (inout E) -> Void
  /// Entities that get another position.
  let neighbours: [(entity: E, assign: @Sendable (inout E) -> Void)]
}

/// The position of a link, and the neighbours that make room for it.
struct LinkPosition: Sendable {
  let position: Double
  var neighbours: [LinkMove] = []
}

extension FetchSource {
  /// Returns an entity's position at `index` among the other entities of a root.
  nonisolated(nonsending) func position<Root: Entity, Target: Entity>(
    of entity: Target, at index: Int, in relationship: ToMany<Root, Target>, of root: Root
  ) async throws -> EntityPosition<Target> {
    guard let ordering = relationship.ordering else {
      fatalError(
        "the \(Target.self)s of \(Root.self) have no order: declare toMany(…, orderedBy: …)")
    }
    // Counts all entities in the order of their positions, even if the relationship is narrowed.
    let whole = ToMany(relationship.definition, ordering)
    let key = try? entity.id.cell
    let others = try await fetch(whole(of: root)).filter { (try? $0.id.cell) != key }
    let path = ordering.position
    let placement = Placement(at: index, among: others.map { $0[keyPath: path] })
    let assign: @Sendable (inout Target) -> Void = {
      ordering.refer(&$0, root.id)
      $0[keyPath: path] = placement.position
    }
    var placed = entity
    assign(&placed)
    return EntityPosition(
      entity: placed, assign: assign,
      neighbours: placement.moved.map { index, position in
        (others[index], { $0[keyPath: path] = position })
      })
  }

  /// Returns the position of the link with `target` at `index` among the other links of a root.
  nonisolated(nonsending) func position<Root: Entity, Target: Entity>(
    of target: Target, at index: Int, in relationship: ManyToMany<Root, Target>, of root: Root
  ) async throws -> LinkPosition {
    if relationship.isInverse || !relationship.definition.isOrdered {
      fatalError(
        "the links of \(Root.self) have no order: declare manyToMany(…, ordered: true) there")
    }
    let whole = ManyToMany<Root, Target>(relationship.definition, isInverse: false)
    return try await _answer(
      _FetchRequest { fetch throws(StoreError) in
        let plan = try QueryPlan(whole(of: root), fetch.model)
        let key = try? target.id.cell
        var others: [(key: Target.ID, position: Double)] = []
        for (_, record) in try await fetch.linked(plan) {
          guard record[Table.keyColumn] != key,
            let id = try? Target.ID(cell: record[Table.keyColumn]),
            let cell = plan.linkCell, case .real(let position) = record[cell]
          else { continue }
          others.append((id, position))
        }
        if index >= others.count {
          // The clock gives the position, as for a link without an index: a link made later comes
          // after this one.
          return LinkPosition(position: LinkClock.next(after: others.last?.position))
        }
        let placement = Placement(at: index, among: others.map(\.position))
        let neighbours = placement.moved.compactMap { index, position in
          let (target, old) = others[index]
          let link = try? LinkEdit(root.id, target, relationship, fetch.model)
          return try? link?.move(from: old, to: position)
        }
        return LinkPosition(position: placement.position, neighbours: neighbours)
      })
  }
}
