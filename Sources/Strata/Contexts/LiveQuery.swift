public import Observation

/// A query whose result stays up to date: the fetched-results controller.
///
/// Maintained change by change: nothing is fetched again unless a table was reset or more changed
/// than a fetch costs. Shows the view context's unsaved edits in the same turn. If other rows
/// decide which rows the query has, as of one that follows references or links or looks for words,
/// an unsaved deletion and the new values of a row that it shows are seen at once; what comes or
/// goes because of an edit, once it is saved. Holding the live query keeps it going; letting go of
/// it ends it.
///
/// `Observable`: reading ``elements`` in a SwiftUI body or in `withObservationTracking` is enough.
@MainActor
public final class LiveQuery<E: Entity>: Observable {
  private let registrar = ObservationRegistrar()
  let view: ViewContext
  let result: LiveResult
  private var requested: Query<E>
  private var followed: Query<E>
  /// Makes the plan of a query that takes the place of this one.
  private let plan: @Sendable (Query<E>, Model) throws(StoreError) -> LivePlan

  init(
    _ view: ViewContext, _ query: Query<E>, _ result: LiveResult,
    plan: @escaping @Sendable (Query<E>, Model) throws(StoreError) -> LivePlan
  ) {
    self.view = view
    self.result = result
    self.plan = plan
    requested = query
    followed = query
    let registrar = registrar
    result.willChange = { [weak self] in
      guard let self else { return }
      registrar.willSet(self, keyPath: \.elements)
    }
    result.didChange = { [weak self] in
      guard let self else { return }
      registrar.didSet(self, keyPath: \.elements)
    }
  }

  /// The entities in the query's order, unsaved edits included; empty until loaded.
  public var elements: LiveElements<E> {
    registrar.access(self, keyPath: \.elements)
    return LiveElements(result.shown, result.plan.table)
  }

  /// The entity with an id, unsaved edits included; nil if the query does not show it.
  ///
  /// - Complexity: O(log *n*) of the elements.
  public subscript(id id: E.ID) -> E? { elements[id: id] }

  /// Whether the first result is there.
  public var isLoaded: Bool {
    registrar.access(self, keyPath: \.elements)
    return result.isLoaded
  }

  /// Why the result could not be loaded, which is tried again at the next commit, or why the query
  /// could not be changed, until it is changed again.
  public var error: StoreError? {
    registrar.access(self, keyPath: \.elements)
    return result.error
  }

  /// Waits until the first result is there.
  ///
  /// - Throws: the error of a load that failed, `cancelled` or `closed`.
  public func load() async throws(StoreError) {
    try await result.waitUntilLoaded()
    if let error = result.error { throw error }
    if !result.isLoaded { throw .closed }
  }

  // MARK: - Another query

  /// The query as it was last set.
  ///
  /// Setting another one changes the live query in place: it goes on showing the old result until
  /// the new one is there, then shows that, as one update with the differences. If the new one
  /// cannot be run or loaded, ``error`` says why and the old one stays, kept up to date. Setting an
  /// equal one does nothing. A live query that could not be run at first begins with one that can.
  public var query: Query<E> {
    get { requested }
    set {
      do throws(StoreError) { _ = try begin(newValue) } catch { result.changeDidFail(error) }
    }
  }

  /// Changes the query in place, and returns when the live query shows the new result.
  ///
  /// Like setting ``query``. Cancelling the task ends the wait, not the change.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled` (also if another change took
  ///   the place of this one), `closed` or one of SQLite's; then the old query stays.
  public func change(to query: Query<E>) async throws(StoreError) {
    do throws(StoreError) {
      if let id = try begin(query) { try await result.waitUntilChanged(as: id) }
    } catch {
      if error.code == .invalidQuery { result.changeDidFail(error) }
      throw error
    }
  }

  /// Sets ``query`` unless this was called, or the live query made, with an equal one last time.
  ///
  /// For views that are made again and again with the query that they show: what ``query`` was set
  /// to in between stays.
  public func follow(_ query: Query<E>) {
    let model = view.store.model
    let old = try? plan(followed, model).queryIdentity
    followed = query
    do throws(StoreError) {
      if try plan(query, model).queryIdentity != old { self.query = query }
    } catch {
      // Telling of it makes the view again, with the same query.
      if old != nil { result.changeDidFail(error) }
    }
  }

  /// Nil if the query's result is what is shown.
  private func begin(_ query: Query<E>) throws(StoreError) -> LiveID? {
    let plan = try plan(query, view.store.model)
    let id = result.shows(plan) ? nil : try view.change(result, to: plan)
    requested = query
    return id
  }

  // MARK: - Updates

  /// What changes from now on, as deletions, insertions, moves and edits by offset.
  public var updates: LiveUpdates<E> { LiveUpdates(differences(nil), result.plan.table) }

  /// What changes from now on, told once in an interval at most.
  ///
  /// The first update comes at once. What changes during the interval after an update is composed
  /// into the next one, which comes when the interval is over.
  ///
  /// - Parameters:
  ///   - interval: the least time from one update to the next.
  ///   - clock: measures the interval; tests give one that they set.
  public func updates<C: Clock>(
    every interval: C.Duration, clock: C = ContinuousClock()
  ) -> LiveUpdates<E> {
    LiveUpdates(differences(LivePace(interval, clock)), result.plan.table)
  }

  func differences(_ pace: LivePace?) -> LiveDifferences {
    LiveDifferences(
      subscription: result.subscribe(), reading: result.reading, counters: result.counters,
      pace: pace)
  }

  /// Whether the live query reads rows that it lacks: its first result, that of another query, or
  /// what a change of other tables takes.
  public var activity: ActivityMonitor { result.activity }

  /// What the live query has done so far: how often it woke whom, and what that took.
  ///
  /// Reading it observes nothing.
  public var statistics: LiveStatistics { result.counters.statistics }
}
