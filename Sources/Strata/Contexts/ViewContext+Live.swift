extension ViewContext {
  // MARK: - Live queries

  /// A query whose result stays up to date for as long as it is held.
  ///
  /// Its first result is loaded in the background; until then it is empty. A query that cannot be
  /// run has the reason as its `error`.
  ///
  /// - Parameters:
  ///   - query: what is shown.
  ///   - reading: the attributes that the caller shows, beside those that the query sorts by; nil
  ///     for all. A change of nothing else wakes nobody, neither observers nor streams. The
  ///     elements have every attribute all the same.
  public func live<E: Entity>(
    _ query: Query<E>, reading: [any PartialKeyPath<E> & Sendable]? = nil
  ) -> LiveQuery<E> {
    live(query, reading: reading) { query, model throws(StoreError) in
      LivePlan(try QueryPlan(query, model))
    }
  }

  /// A query whose result stays up to date, in sections of equal values of an attribute.
  ///
  /// ```swift
  /// let songs = view.live(Song.sorted(by: \.title), sectionedBy: \.genre)
  /// for section in songs.sections { print(section.name, section.elements.count) }
  /// ```
  ///
  /// The elements are sorted by the attribute first: in the direction that the query says if that
  /// is its first sort, ascending if not. A limit counts the elements of all sections.
  ///
  /// - Parameters:
  ///   - query: what is shown.
  ///   - path: the attribute whose values are the sections' names.
  ///   - reading: as of ``live(_:reading:)``.
  public func live<E: Entity, Name: ComparableValue>(
    _ query: Query<E>, sectionedBy path: any KeyPath<E, Name> & Sendable,
    reading: [any PartialKeyPath<E> & Sendable]? = nil
  ) -> SectionedLiveQuery<E, Name> {
    sectioned(query, reading, LiveSectioning(by: path))
  }

  /// A query whose result stays up to date, in sections that are computed.
  ///
  /// ```swift
  /// let songs = view.live(Song.sorted(by: \.title), section: { $0.title.prefix(1).uppercased() })
  /// ```
  ///
  /// Sections stand in the ascending order of their names. A name is computed when its element is
  /// loaded and when it changes: of committed elements on a thread of the store, of edited ones in
  /// the turn of the edit. The query must have no limit and no offset.
  ///
  /// - Parameters:
  ///   - query: what is shown.
  ///   - section: the name of an element's section; always the same for the same element.
  ///   - reading: as of ``live(_:reading:)``.
  public func live<E: Entity, Name: ComparableValue>(
    _ query: Query<E>, section: @escaping @Sendable (E) -> Name,
    reading: [any PartialKeyPath<E> & Sendable]? = nil
  ) -> SectionedLiveQuery<E, Name> {
    sectioned(query, reading, LiveSectioning(by: section))
  }

  private func sectioned<E: Entity, Name: ComparableValue>(
    _ query: Query<E>, _ reading: [any PartialKeyPath<E> & Sendable]?,
    _ sectioning: LiveSectioning<E, Name>
  ) -> SectionedLiveQuery<E, Name> {
    SectionedLiveQuery(live(query, reading: reading, plan: sectioning.plan), sectioning)
  }

  private func live<E: Entity>(
    _ query: Query<E>, reading: [any PartialKeyPath<E> & Sendable]?,
    plan: @escaping @Sendable (Query<E>, Model) throws(StoreError) -> LivePlan
  ) -> LiveQuery<E> {
    let table = store.model.table(of: E.self)
    let counters = LiveCounters(of: store.activity)
    let reading = reading.flatMap(table.attributes)
    let result: LiveResult
    do throws(StoreError) {
      result = LiveResult(try plan(query, store.model), counters, reading: reading)
      open(result)
    } catch {
      // With sections, if there would have been any: of nothing. No query at all has a plan if they
      // are those of what is no attribute.
      let empty =
        (try? plan(Query.all, store.model))
        ?? LivePlan(QueryPlan(everyRowOf: table), isSectioned: true)
      result = LiveResult(empty, counters, reading: reading, error)
      hold(result)
    }
    return LiveQuery(self, query, result, plan: plan)
  }

  func open(_ result: LiveResult) {
    guard let id = hold(result) else { return }
    results[id]?.ids = [id]
    result.didOpen(as: id)
    maintain(result, id, result.plan)
  }

  /// Takes a result into the merge turns, in which nothing happens to it until it is opened or its
  /// query is changed; nil if the context is closed.
  @discardableResult
  private func hold(_ result: LiveResult) -> LiveID? {
    if isClosed {
      result.finish()
      return nil
    }
    let id = nextLiveID()
    results[id] = OpenResult(result: result, ids: [])
    return id
  }

  /// Begins to change the query of a live result.
  func change(_ result: LiveResult, to plan: LivePlan) throws(StoreError) -> LiveID {
    guard let number = results.first(where: { $0.value.result === result })?.key, !isClosed else {
      throw .closed
    }
    let id = nextLiveID()
    results[number]?.ids.insert(id)
    if let superseded = result.change(to: plan, as: id) { close(superseded, of: number) }
    maintain(result, id, plan)
    return id
  }

  private func nextLiveID() -> LiveID {
    lastLiveID += 1
    return lastLiveID
  }

  private func maintain(_ result: LiveResult, _ id: LiveID, _ plan: LivePlan) {
    let (counters, fold) = (result.counters, result.emptyFold)
    // Whoever opens it may be in a hurry; keeping it up to date has no deadline.
    StoreDeadline.withNone {
      _ = Task { [maintainer, writer = store.writer, weak result] in
        await maintainer.open(id, plan, counters, fold: fold)
        // Whoever does not want it any more closed it before it was opened.
        if result?.wants(id) != true { await maintainer.close(id) }
        await writer.wakeMerge()
      }
    }
  }

  private func close(_ id: LiveID, of number: Int) {
    results[number]?.ids.remove(id)
    Task { [maintainer] in await maintainer.close(id) }
  }

  /// The first half of a merge turn: results, rows under the layers, then results under edits.
  func mergeLayersAndResults(_ turn: MergeTurn) {
    var touched = layers.merge(
      turn.changes, completedSave: turn.completedSave, read: turn.stored)
    var open: [LiveResult] = []
    for number in results.keys.sorted() {
      guard let entry = results[number] else { continue }
      guard let result = entry.result else {
        results[number] = nil
        Task { [maintainer] in for id in entry.ids { await maintainer.close(id) } }
        continue
      }
      if let unwanted = result.take(turn.updates) { close(unwanted, of: number) }
      open.append(result)
    }
    for result in open {
      guard let rows = result.loadedRows else { continue }
      let table = result.plan.table
      for key in layers.learn(from: rows, of: table) where layers.edits(key, in: table.id) {
        touched[table.id, default: []].insert(key)
      }
    }
    for result in open { result.lay(layers, touched: touched[result.plan.table.id] ?? []) }
  }
}

extension Table {
  /// The attributes at some key paths; nil, which is all, if a path is no attribute, since whatever
  /// is computed may depend on any.
  func attributes(_ paths: [any AnyKeyPath & Sendable]) -> AttributeSet? {
    let columns = paths.map { column(for: $0) }
    return columns.contains(nil) ? nil : AttributeSet(columns.compactMap { $0 })
  }
}
