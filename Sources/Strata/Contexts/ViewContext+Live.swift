public import Foundation

extension ViewContext {
  // MARK: - Live queries

  /// Returns a query whose result stays up to date for as long as it is held.
  ///
  /// The first result is loaded in the background; until then the result is empty. If the query
  /// cannot be run, its `error` says why.
  ///
  /// - Parameters:
  ///   - query: the query to show.
  ///   - reading: the attributes that the caller shows, besides the query's sort attributes; nil
  ///     for all. A change of other attributes wakes neither observers nor streams. The elements
  ///     have every attribute all the same.
  public func live<E: Entity>(
    _ query: Query<E>, reading: [any PartialKeyPath<E> & Sendable]? = nil
  ) -> LiveQuery<E> {
    live(query, reading: reading) { query, model throws(StoreError) in
      LivePlan(try QueryPlan(query, model))
    }
  }

  /// Returns a query for the entity with a key, for a screen that follows one entity.
  ///
  /// `reading` is as in ``live(_:reading:)``.
  ///
  /// ```swift
  /// let live = view.live(Song.self, id)
  /// print(live.elements.first?.title ?? "deleted")
  /// ```
  public func live<E: Entity>(
    _ type: E.Type, _ id: E.ID, reading: [any PartialKeyPath<E> & Sendable]? = nil
  ) -> LiveQuery<E> {
    let key = AttributeReference(type.schema.definition.key.path)
    return live(Query(filter: .equal(key, id)), reading: reading)
  }

  /// Returns a query whose result stays up to date, in sections of equal values of an attribute.
  ///
  /// ```swift
  /// let songs = view.live(Song.sorted(by: \.title), sectionedBy: \.genre)
  /// for section in songs.sections { print(section.name, section.elements.count) }
  /// ```
  ///
  /// The elements are sorted by the attribute first. If it is the query's first sort, the query's
  /// direction counts; otherwise the order is ascending. A limit counts the elements of all
  /// sections.
  ///
  /// No two sections have equal names. The spellings of a text, such as "é" as one code point and as two,
  /// are one section, whose name is that of its first element. Sections by a text are in Swift's order of
  /// strings. Names of another type are told apart by their stored values: if a stored value is not what
  /// the type writes, the live query has the error `invalidValue`, which names the row.
  ///
  /// - Complexity: SQLite sorts the rows without an index if the attribute is a text.
  /// - Parameters:
  ///   - query: the query to show.
  ///   - path: the attribute whose values are the sections' names.
  ///   - reading: as in ``live(_:reading:)``.
  public func live<E: Entity, Name: ComparableValue>(
    _ query: Query<E>, sectionedBy path: any KeyPath<E, Name> & Sendable,
    reading: [any PartialKeyPath<E> & Sendable]? = nil
  ) -> SectionedLiveQuery<E, Name> {
    sectioned(query, reading, LiveSectioning(by: path))
  }

  /// Returns a query whose result stays up to date, in sections of equal values that the store
  /// computes, for example an attribute of a related entity.
  ///
  /// ```swift
  /// let songs = view.live(Song.sorted(by: \.title)) { $0.artist.name }
  /// for section in songs.sections { print(section.name ?? "Nobody", section.elements.count) }
  /// ```
  ///
  /// The elements are sorted by the value first. The name of a section is nil if the value is nil,
  /// for example because a reference leads nowhere. An edited row stays in the section of its
  /// committed value until the edit is saved, if the value comes from other rows. No two sections have
  /// equal names, by the rule of ``live(_:sectionedBy:reading:)``.
  ///
  /// - Parameters:
  ///   - query: the query to show.
  ///   - reading: as in ``live(_:reading:)``.
  ///   - order: the order of the sections.
  ///   - value: returns the value whose equal results are a section.
  public func live<E: Entity, Value: ComparableValue>(
    _ query: Query<E>, reading: [any PartialKeyPath<E> & Sendable]? = nil,
    order: SortOrder = .forward,
    sectionedBy value: (Fields<E, E>) -> QueryExpression<E, Value>
  ) -> SectionedLiveQuery<E, Value.Unwrapped?> {
    sectioned(query, reading, LiveSectioning(by: value(Fields()), order: order))
  }

  /// Returns a query whose result stays up to date, in computed sections.
  ///
  /// ```swift
  /// let songs = view.live(Song.sorted(by: \.title), section: { $0.title.prefix(1).uppercased() })
  /// ```
  ///
  /// Sections are in ascending order of their names. A name is computed when its element is loaded
  /// and when it changes. For committed elements this happens on a thread of the store, for edited
  /// elements in the turn of the edit. The query must have no limit and no offset. The spellings of a
  /// text are one section, as in ``live(_:sectionedBy:reading:)``.
  ///
  /// - Parameters:
  ///   - query: the query to show.
  ///   - section: returns the name of an element's section, always the same for the same element.
  ///   - reading: as in ``live(_:reading:)``.
  public func live<E: Entity, Name: ComparableValue>(
    _ query: Query<E>, section: @escaping @Sendable (E) -> Name,
    reading: [any PartialKeyPath<E> & Sendable]? = nil
  ) -> SectionedLiveQuery<E, Name> {
    sectioned(query, reading, LiveSectioning(by: section))
  }

  private func sectioned<E: Entity, Name>(
    _ query: Query<E>, _ reading: [any PartialKeyPath<E> & Sendable]?,
    _ sectioning: LiveSectioning<E, Name>
  ) -> SectionedLiveQuery<E, Name> {
    SectionedLiveQuery(live(query, reading: reading, plan: sectioning.plan), sectioning)
  }

  func live<E: Entity>(
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
      // Shows an empty result, in sections if the caller asks for sections. If even `Query.all` has
      // no plan, the section path is no attribute, and the bare table makes the plan.
      let empty =
        (try? plan(Query.all, store.model))
        ?? LivePlan(QueryPlan(everyRowOf: table), isSectioned: true)
      result = LiveResult(empty, counters, reading: reading, error)
      hold(result)
      store.writer.options.log.noteRefused(error)
    }
    return LiveQuery(self, query, result, plan: plan)
  }

  func open(_ result: LiveResult) {
    guard let id = hold(result) else { return }
    results.insert(id, of: id)
    result.didOpen(as: id)
    maintain(result, id, result.plan)
  }

  /// Adds a result to the merge turns; nil if the context is closed.
  ///
  /// Merge turns do not change the result until it is opened or its query is changed.
  @discardableResult
  private func hold(_ result: LiveResult) -> LiveID? {
    if isClosed {
      result.finish()
      return nil
    }
    return results.add(result)
  }

  /// Begins to change the query of a live result.
  func change(_ result: LiveResult, to plan: LivePlan) throws(StoreError) -> LiveID {
    guard let number = results.number(of: result), !isClosed else { throw .closed }
    let id = results.nextID()
    results.insert(id, of: number)
    if let superseded = result.change(to: plan, as: id) { close(superseded, of: number) }
    maintain(result, id, plan)
    return id
  }

  private func maintain(_ result: LiveResult, _ id: LiveID, _ plan: LivePlan) {
    let (counters, fold) = (result.counters, result.emptyFold)
    // The caller may have a deadline; keeping the result up to date has none.
    StoreDeadline.withNone {
      _ = Task { [maintainer, weak result] in
        await maintainer.open(id, plan, counters, fold: fold)
        // The query may have been closed before it was opened.
        if result?.wants(id) != true { await maintainer.close(id) }
        await maintainer.showOpened()
      }
    }
  }

  /// Returns when a first result or an error has arrived, or when the live query has ended.
  ///
  /// A load that has failed is tried again.
  func waitUntilLoaded(_ result: LiveResult) async throws(StoreError) {
    if failure == nil, let number = results.number(of: result) {
      let id = results.nextID()
      if let failed = result.retry(as: id) {
        results.insert(id, of: number)
        close(failed, of: number)
        maintain(result, id, result.plan)
      }
    }
    try await result.waitUntilLoaded()
  }

  func close(_ id: LiveID, of number: Int) {
    results.remove(id, of: number)
    Task { [maintainer] in await maintainer.close(id) }
  }
}

extension Table {
  /// Returns the attributes at some key paths; nil, which means all, if a path is no attribute.
  ///
  /// A computed property may depend on any attribute.
  func attributes(_ paths: [any AnyKeyPath & Sendable]) -> AttributeSet? {
    let columns = paths.map { column(for: $0) }
    return columns.contains(nil) ? nil : AttributeSet(columns.compactMap { $0 })
  }
}
