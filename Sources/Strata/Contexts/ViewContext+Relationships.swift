extension ViewContext {
  // MARK: - Links

  /// Links two entities, such as `view.link(note, to: tag, in: Note.tags)`.
  ///
  /// Linking twice has the effect of linking once, even from different contexts: a link never
  /// conflicts. In an ordered relationship, a new link comes last, and an existing link keeps its
  /// position. A save drops a link to an entity that was deleted meanwhile.
  ///
  /// - Precondition: a schema of the stack lists the relationship.
  public func link<Root: Entity, Target: Entity>(
    _ root: Root, to target: Target, in relationship: ManyToMany<Root, Target>
  ) {
    link(root.id, to: target.id, in: relationship)
  }

  /// Links the entities that have two keys.
  public func link<Root: Entity, Target: Entity>(
    _ root: Root.ID, to target: Target.ID, in relationship: ManyToMany<Root, Target>
  ) {
    edit(nil) { edits, _ in edits.link(root, target, relationship) }
  }

  /// Removes the link between two entities, if there is one.
  public func unlink<Root: Entity, Target: Entity>(
    _ root: Root, from target: Target, in relationship: ManyToMany<Root, Target>
  ) {
    unlink(root.id, from: target.id, in: relationship)
  }

  /// Removes the link between the entities that have two keys, if there is one.
  public func unlink<Root: Entity, Target: Entity>(
    _ root: Root.ID, from target: Target.ID, in relationship: ManyToMany<Root, Target>
  ) {
    edit(nil) { edits, _ in edits.unlink(root, target, relationship) }
  }

  // MARK: - Order

  /// Adds a new entity at `index` of an ordered to-many relationship.
  ///
  /// Only this entity is edited, unless no number is left between the positions of its neighbours.
  /// Then the fewest neighbours that make room are edited, too. `index` counts the entities that
  /// the context showed when the call began; past the end, the entity comes last.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's; then nothing is
  ///   edited.
  /// - Precondition: `relationship` was declared with `orderedBy`.
  /// - Complexity: O(log *m*) for *m* entities of the root. The first call for a root reads all of
  ///   them, and so does the first call after a save or a newer commit.
  public func insert<Root: Entity, Target: Entity>(
    _ entity: Target, at index: Int, in relationship: ToMany<Root, Target>, of root: Root
  ) async throws {
    await letOthersRun()
    let position = try await reading { fetch throws(StoreError) in
      try await fetch.position(of: entity, at: index, in: relationship, of: root) {
        $0(&layers.pending)
      }
    }
    changing {
      insert(position.entity)
      for neighbour in position.neighbours { update(neighbour.entity, neighbour.assign) }
    }
  }

  /// Moves an entity to `index` of an ordered to-many relationship, also from another root.
  ///
  /// It works like ``insert(_:at:in:of:)`` for an entity that exists; `index` counts the other
  /// entities.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's; then nothing is
  ///   edited.
  /// - Precondition: `relationship` was declared with `orderedBy`.
  /// - Complexity: O(log *m*) for *m* entities of the root. The first call for a root reads all of
  ///   them, and so does the first call after a save or a newer commit.
  public func move<Root: Entity, Target: Entity>(
    _ entity: Target, to index: Int, in relationship: ToMany<Root, Target>, of root: Root
  ) async throws {
    await letOthersRun()
    let position = try await reading { fetch throws(StoreError) in
      try await fetch.position(of: entity, at: index, in: relationship, of: root) {
        $0(&layers.pending)
      }
    }
    changing {
      update(entity, position.assign)
      for neighbour in position.neighbours { update(neighbour.entity, neighbour.assign) }
    }
  }

  /// Links two entities at `index` of an ordered many-to-many relationship, or moves their link
  /// there.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's; then nothing is
  ///   edited.
  /// - Precondition: `relationship` was declared with `ordered: true`, on this side.
  /// - Complexity: O(log *m*) for *m* links of the root and O(log *n*) to look up the entity. The
  ///   first call for a root reads all of its links, and so does the first call after a save or a
  ///   newer commit.
  public func link<Root: Entity, Target: Entity>(
    _ root: Root, to target: Target, at index: Int, in relationship: ManyToMany<Root, Target>
  ) async throws {
    await letOthersRun()
    let position = try await reading { fetch throws(StoreError) in
      try await fetch.position(of: target, at: index, in: relationship, of: root) {
        $0(&layers.pending)
      }
    }
    changing {
      edit(nil) { edits, _ in
        edits.link(root.id, target.id, relationship, at: position.position)
      }
      for move in position.neighbours {
        let now = layers.state(of: move.key, in: move.table, or: .record(move.before))
        edit(nil) { edits, _ in edits.move(move, shown: now) }
      }
    }
  }

  /// Lets other work of the main actor run before a placement, which often waits for nothing.
  ///
  /// A loop of placements neither holds the main actor nor is a single undo group.
  private func letOthersRun() async { await Task.yield() }
}
