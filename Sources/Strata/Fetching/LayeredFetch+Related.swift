// Relationships of many roots at once: a statement for the roots, and one for each relationship.

extension LayeredFetch {
  /// Returns the entities of a query, each with its related entities.
  func fetch<E: Entity, R: Relationship<E>>(
    _ query: Query<E>, with relationship: R
  ) async throws(StoreError) -> [(E, R.Related)] {
    let roots = try await fetch(query)
    let related = try await relationship._prefetch.load(self, roots)
    return Array(zip(roots, related))
  }

  /// Returns the entities of a query, each with its related entities in two relationships.
  func fetch<E: Entity, R: Relationship<E>, S: Relationship<E>>(
    _ query: Query<E>, with first: R, _ second: S
  ) async throws(StoreError) -> [(E, R.Related, S.Related)] {
    let roots = try await fetch(query)
    let some = try await first._prefetch.load(self, roots)
    let others = try await second._prefetch.load(self, roots)
    return roots.indices.map { (roots[$0], some[$0], others[$0]) }
  }

  /// Returns the entities of a query, each with its related entities or values in three relationships.
  func fetch<
    E: Entity, R: Relationship<E>, S: Relationship<E>, T: Relationship<E>
  >(
    _ query: Query<E>, with first: R, _ second: S, _ third: T
  ) async throws(StoreError) -> [(E, R.Related, S.Related, T.Related)] {
    let roots = try await fetch(query)
    let some = try await first._prefetch.load(self, roots)
    let others = try await second._prefetch.load(self, roots)
    let rest = try await third._prefetch.load(self, roots)
    return roots.indices.map { (roots[$0], some[$0], others[$0], rest[$0]) }
  }

  /// Returns the cells of aggregates over some entities.
  func values<E: Entity>(
    of terms: [AggregateTerm<SendablePath>], over entities: [E]
  ) throws(StoreError) -> [Cell] {
    let table = model.table(of: E.self)
    let builder = RecordBuilder()
    var records = ContiguousArray<Record>()
    for entity in entities {
      do throws(CodingFailure) { records.append(try table.encode(entity, builder)) } catch {
        throw table.error(error, key: nil)
      }
    }
    let fold = AggregateFold(try table.resolved(terms), by: [], of: records)
    return fold.values(of: GroupKey([]))
  }

  // MARK: To many

  /// Returns the targets of each root.
  ///
  /// - Parameters:
  ///   - query: makes the query for the targets of the given roots; its limit counts for each root.
  ///   - column: finds the column of a row that has the root's key.
  func groups<Root: Entity, Target: Entity>(
    of roots: [Root], query: ([Root.ID]) throws(StoreError) -> Query<Target>,
    column: (QueryPlan) -> Int?
  ) async throws(StoreError) -> [[Target]] {
    if roots.isEmpty { return [] }
    let ids = roots.map(\.id)
    var query = try query(ids)
    let (limit, offset) = (query.limit, query.offset)
    query.limit = nil
    query.offset = 0
    let plan = try QueryPlan(query, model)
    guard let column = column(plan) else {
      throw .query("the relationship is not in this stack", entity: plan.table.entity)
    }
    let keys = try ids.map { id throws(StoreError) in
      try model.table(of: Root.self).key(id)
    }
    let groups = try await grouped(plan, by: column, keys, Target.self)
    if offset == 0 && limit == nil { return groups }
    return groups.map { group in
      let rest = group.dropFirst(offset)
      return Array(rest.prefix(limit ?? rest.count))
    }
  }

  private func grouped<E: Entity>(
    _ plan: QueryPlan, by column: Int, _ keys: [RecordKey], _: E.Type
  ) async throws(StoreError) -> [[E]] {
    if !touches(plan) { return try await snapshot.grouped(plan, by: column, keys, E.self) }
    var positions: [RecordKey: Int] = [:]
    for (position, key) in keys.enumerated() { positions[key] = position }
    var groups = [[E]](repeating: [], count: keys.count)
    if plan.links != nil {
      for (root, record) in try await linked(plan) {
        if let position = positions[root] {
          groups[position].append(try entity(record, plan.table))
        }
      }
    } else {
      for record in try await records(plan) {
        guard let position = positions[record.key(column)] else { continue }
        groups[position].append(try entity(record, plan.table))
      }
    }
    return groups
  }

  // MARK: To one

  /// Returns the target of each root's reference.
  func targets<Root: Entity, Target: Entity>(
    of roots: [Root], _ reference: AttributeDefinition
  ) async throws(StoreError) -> [Target?] {
    let table = model.table(of: Root.self)
    let cells = try roots.map { root throws(StoreError) in
      try cell(root, reference, table)
    }
    let wanted = Array(Set(cells).subtracting([.null]))
    let path = AttributeReference(Target.schema.definition.key.path)
    var found: [Cell: Target] = [:]
    if !wanted.isEmpty {
      for target in try await fetch(Query<Target>(filter: .isIn(path, wanted))) {
        found[try model.table(of: Target.self).key(target.id).cell] = target
      }
    }
    return cells.map { found[$0] }
  }

  /// Returns the entity that a reference leads to, as the context shows both entities.
  ///
  /// The result is nil if the context does not show the root, if the reference is nil, or if the
  /// reference leads to no entity.
  func target<Root: Entity, Target: Entity>(
    _ relationship: ToOne<Root, Target>, of root: Root.ID
  ) async throws(StoreError) -> Target? {
    guard let root = try await fetch([root], Root.self).first else { return nil }
    return try await targets(of: [root], relationship.definition)[0]
  }

  // MARK: Cells

  /// Returns the cell of a reference.
  private func cell<Root: Entity>(
    _ root: Root, _ reference: AttributeDefinition, _ table: Table
  ) throws(StoreError) -> Cell {
    let result: Result<Cell, ValueError> = withUnsafePointer(to: root) { pointer in
      do throws(ValueError) { return .success(try reference.coding.read(pointer)) } catch {
        return .failure(error)
      }
    }
    do { return try result.get() } catch {
      throw .query("\(table.entity): \(error.message)", entity: table.entity)
    }
  }
}
