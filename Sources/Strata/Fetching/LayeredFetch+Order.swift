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

/// Lends a context's edits to a closure.
typealias EditsAccess = ((inout Edits) -> Void) -> Void

extension LayeredFetch {
  /// Returns an entity's position at `index` among the other entities of a root.
  ///
  /// - Parameter edits: the edits of the context, whose layer is the highest of this fetch.
  func position<Root: Entity, Target: Entity>(
    of entity: Target, at index: Int, in relationship: ToMany<Root, Target>, of root: Root,
    _ edits: EditsAccess
  ) async throws(StoreError) -> EntityPosition<Target> {
    guard let ordering = relationship.ordering else {
      fatalError(
        "the \(Target.self)s of \(Root.self) have no order: declare toMany(…, orderedBy: …)")
    }
    // Counts all entities in the order of their positions, even if the relationship is narrowed.
    let table = model.table(of: Target.self)
    let columns = try table.columns([relationship.definition.inverse, ordering.position])
    let source = OrderedList.Source(
      table: table, owner: columns[0], position: columns[1], links: nil, root: try planned(root))
    let place = try await list(source, edits).place(entity.id.recordKey, at: index)
    let (position, path) = (place.position, ordering.position)
    let assign: @Sendable (inout Target) -> Void = {
      ordering.refer(&$0, root.id)
      $0[keyPath: path] = position
    }
    var placed = entity
    assign(&placed)
    return EntityPosition(
      entity: placed, assign: assign,
      neighbours: try place.neighbours.map { row, position throws(StoreError) in
        (try self.entity(row, table), { $0[keyPath: path] = position })
      })
  }

  /// Returns the position of the link with `target` at `index` among the other links of a root.
  ///
  /// - Parameter edits: the edits of the context, whose layer is the highest of this fetch.
  func position<Root: Entity, Target: Entity>(
    of target: Target, at index: Int, in relationship: ManyToMany<Root, Target>, of root: Root,
    _ edits: EditsAccess
  ) async throws(StoreError) -> LinkPosition {
    if relationship.isInverse || !relationship.definition.isOrdered {
      fatalError(
        "the links of \(Root.self) have no order: declare manyToMany(…, ordered: true) there")
    }
    let end = try QueryResolver(model: model, root: model.table(of: Target.self))
      .end(of: relationship.reference)
    let links = OrderedList.Source.Links(table: model.table(of: Target.self), column: end.target)
    let source = OrderedList.Source(
      table: end.table, owner: end.root, position: JoinTable.position, links: links,
      root: try planned(root))
    let link = try? LinkEdit(root.id, target.id, relationship, model)
    let place = try await list(source, edits).place(link?.key, at: index)
    if place.last.isLast {
      // The clock gives the position, as for a link without an index: a link made later comes
      // after this one.
      return LinkPosition(position: LinkClock.next(after: place.last.position))
    }
    return LinkPosition(
      position: place.position,
      neighbours: place.neighbours.compactMap { row, position in
        (try? row.setting(JoinTable.position, to: .real(position))).map {
          LinkMove(table: end.table, key: row.key(Table.keyColumn), before: row, after: $0)
        }
      })
  }

  private func planned<Root: Entity>(_ root: Root) throws(StoreError) -> PlannedRoot {
    let table = model.table(of: Root.self)
    return PlannedRoot(table: table, key: try table.key(root.id))
  }

  // MARK: Lists

  /// Returns a list as the layers show it; a list that the context keeps is brought up to date.
  private func list(
    _ source: OrderedList.Source, _ edits: EditsAccess
  ) async throws(StoreError) -> OrderedList {
    if Task.isCancelled { throw .cancelled }
    // The layers are those of the context at this moment. So the keys to follow are taken before
    // anything waits, and keys that are edited later are noted for the next placement.
    var kept: TakenList?
    var number = 0
    edits {
      // A read reports why a snapshot has ended.
      kept = snapshot.isEnded ? nil : $0.takeList(source, in: snapshot)
      if kept == nil { number = $0.beginList(source) }
    }
    guard var kept else {
      do throws(StoreError) {
        let list = try await read(source)
        edits { $0.putList(list, number) }
        return list
      } catch {
        edits { $0.endList(number) }
        throw error
      }
    }
    do throws(StoreError) { try await follow(kept.edited, &kept.list) } catch {
      edits { $0.endList(kept) }
      throw error
    }
    edits { $0.putList(kept) }
    return kept.list
  }

  /// Reads a list.
  ///
  /// This does not run on the caller's actor, because the rows are sorted here.
  @concurrent
  private func read(_ source: OrderedList.Source) async throws(StoreError) -> OrderedList {
    let root = source.root
    let roots = try await snapshot.records(root.table, keys: [root.key])
    let rows = try await snapshot.records(
      source.table, referring: [root.key], in: source.owner)
    var targets: Set<RecordKey> = []
    if let links = source.links {
      let keys = Set(rows.map { $0.key(links.column) })
      targets = Set(try await snapshot.records(links.table, keys: keys).keys)
    }
    var list = OrderedList(
      source, in: snapshot, rows, targets: targets, isRootStored: !roots.isEmpty)
    var edited: [TableID: Set<RecordKey>] = [:]
    for table in source.tables { edited[table] = layers.keys(of: table) }
    try await follow(edited, &list)
    return list
  }

  /// Brings a list up to date with edits; reads stored rows only if the list lacks them.
  private func follow(
    _ edited: [TableID: Set<RecordKey>], _ list: inout OrderedList
  ) async throws(StoreError) {
    let missing = list.missing(for: edited, layers)
    if !missing.isEmpty {
      let rows = try await snapshot.records(list.source.table, keys: missing.rows)
      var targets: Set<RecordKey> = []
      if let links = list.source.links {
        targets = Set(try await snapshot.records(links.table, keys: missing.targets).keys)
      }
      list.learn(missing, rows: rows, targets: targets)
    }
    list.follow(edited, layers)
  }
}
