extension ViewContext {
  // MARK: - Live trees

  /// Returns a query's entities with what stands beside each of them, kept up to date for as long as it is
  /// held.
  ///
  /// The first result is loaded in the background; until then the tree is empty. If the query or the
  /// relationship cannot be kept up to date, its `error` says why.
  ///
  /// - Parameters:
  ///   - query: the query for the entities.
  ///   - branch: a relationship, whose filter and order read the related entities' own attributes, or a value
  ///     of related entities.
  public func live<E: Entity, A: Relationship<E>>(
    _ query: Query<E>, with branch: A
  ) -> LiveTree<E, (E, A.Shown)> {
    let a = branch._branch
    return tree(query, [a.plan]) { root, content, model in
      (root, a.read(content(0), model))
    }
  }

  /// Returns a query's entities with two relationships or values beside each of them, kept up to date.
  ///
  /// It is like ``live(_:with:)`` with one.
  public func live<E: Entity, A: Relationship<E>, B: Relationship<E>>(
    _ query: Query<E>, with first: A, _ second: B
  ) -> LiveTree<E, (E, A.Shown, B.Shown)> {
    let (a, b) = (first._branch, second._branch)
    return tree(query, [a.plan, b.plan]) { root, content, model in
      (root, a.read(content(0), model), b.read(content(1), model))
    }
  }

  /// Returns a query's entities with three relationships or values beside each of them, kept up to date.
  ///
  /// It is like ``live(_:with:)`` with one.
  public func live<E: Entity, A: Relationship<E>, B: Relationship<E>, C: Relationship<E>>(
    _ query: Query<E>, with first: A, _ second: B, _ third: C
  ) -> LiveTree<E, (E, A.Shown, B.Shown, C.Shown)> {
    let (a, b, c) = (first._branch, second._branch, third._branch)
    return tree(query, [a.plan, b.plan, c.plan]) { root, content, model in
      (root, a.read(content(0), model), b.read(content(1), model), c.read(content(2), model))
    }
  }

  /// Returns a query's entities with four relationships or values beside each of them, kept up to date.
  ///
  /// It is like ``live(_:with:)`` with one.
  public func live<
    E: Entity, A: Relationship<E>, B: Relationship<E>, C: Relationship<E>, D: Relationship<E>
  >(
    _ query: Query<E>, with first: A, _ second: B, _ third: C, _ fourth: D
  ) -> LiveTree<E, (E, A.Shown, B.Shown, C.Shown, D.Shown)> {
    let (a, b, c, d) = (first._branch, second._branch, third._branch, fourth._branch)
    return tree(query, [a.plan, b.plan, c.plan, d.plan]) { root, content, model in
      (
        root, a.read(content(0), model), b.read(content(1), model), c.read(content(2), model),
        d.read(content(3), model)
      )
    }
  }

  private func tree<E: Entity, Element: Sendable>(
    _ query: Query<E>,
    _ branches: [@Sendable (inout TreePlan, Model) throws(StoreError) -> Void],
    _ read: @escaping @Sendable (E, (Int) -> TreeContent, Model) -> Element
  ) -> LiveTree<E, Element> {
    let live = live(query, reading: nil) { query, model throws(StoreError) in
      var related = TreePlan()
      for add in branches { try add(&related, model) }
      return LivePlan(try QueryPlan(query, model), with: related)
    }
    live.result.onLacking { [maintainer, weak result = live.result] keys in
      guard let id = result?.contents.load.current.id else { return }
      Task { await maintainer.want(keys, for: id) }
    }
    return LiveTree(live, LiveTreeReader(model: store.model, read: read))
  }
}
