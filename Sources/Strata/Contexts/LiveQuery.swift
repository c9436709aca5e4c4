public import Observation

/// A query whose result stays up to date, like a fetched-results controller.
///
/// Commits change the result row by row. It is fetched again only if a table was reset, or if so
/// much changed that a fetch costs less. The view context's unsaved edits show in the same turn.
///
/// A query that follows references or links, or that searches for words, depends on other rows,
/// too. Such a query shows an unsaved deletion and new values of a shown row at once. All other
/// effects of an edit on the result show once the edit is saved.
///
/// Holding the live query, or a sequence of its ``updates``, keeps it up to date; releasing both ends
/// it.
///
/// `Observable`: reading ``elements`` in a SwiftUI body or in `withObservationTracking` is enough.
@MainActor
public final class LiveQuery<E: Entity>: Observable {
  private let observed = ObservedState()
  let view: ViewContext
  let result: LiveResult
  private var requested: Query<E>
  private var followed: Query<E>
  /// Makes the plan of a query that replaces this one.
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
    result.onChange { [observed] in observed.change {} }
  }

  /// The entities in the query's order, unsaved edits included; empty until loaded.
  public var elements: LiveElements<E> {
    observed.access()
    return LiveElements(result.shown, result.plan.table)
  }

  /// The entity with an id, unsaved edits included; nil if the query does not show it.
  ///
  /// - Complexity: O(log *n*) of the elements.
  public subscript(id id: E.ID) -> E? { elements[id: id] }

  /// Whether the first result has arrived; it stays true while another query is loaded.
  public var isLoaded: Bool {
    observed.access()
    return result.isLoaded
  }

  /// Why the result could not be loaded, or why the query could not be changed.
  ///
  /// The next commit and ``waitUntilLoaded()`` try a failed load again. The error of a change stays
  /// until the query is changed again.
  public var error: StoreError? {
    observed.access()
    return result.error
  }

  /// Waits for the first result, and for that of the query that was set last; a first load that has
  /// failed is tried again.
  ///
  /// If ``query`` is set again meanwhile, this waits for the newest one.
  ///
  /// - Throws: the error of a load or of a change that failed, `cancelled` or `closed`.
  public func waitUntilLoaded() async throws {
    try await view.waitUntilLoaded(result)
    if let error = result.error { throw error }
    if !result.isLoaded { throw StoreError.closed }
  }

  // MARK: - Another query

  /// The query that was set last.
  ///
  /// Setting another query changes the live query in place. It goes on showing the old result until
  /// the new result has arrived, then shows that as one update with the differences. If the new
  /// query cannot be run or loaded, ``error`` says why, and the old result stays and is kept up to
  /// date. A query that cannot be run does not become the value of this property. Setting the query
  /// that is already shown does nothing. If the first query could not be run, the live query begins
  /// with the first query that can.
  public var query: Query<E> {
    get { requested }
    set {
      do throws(StoreError) { _ = try begin(newValue) } catch { refuse(error) }
    }
  }

  /// Changes the query in place, and returns when the live query shows the new result.
  ///
  /// It works like setting ``query``. Cancelling the task ends the wait, not the change.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled` (also if another change
  ///   replaced this one), `closed` or one of SQLite's; then the old query stays.
  public func change(to query: Query<E>) async throws {
    do throws(StoreError) {
      if let id = try begin(query) { try await result.waitUntilChanged(as: id) }
    } catch {
      if error.code == .invalidQuery { result.changeDidFail(error) }
      throw error
    }
  }

  /// Sets ``query``, unless the new query equals the one that was followed last.
  ///
  /// At first, that is the query with which the live query was made. This serves views that are
  /// created again and again with the query that they show: a query that was set in ``query`` in
  /// between stays.
  public func _follow(_ query: Query<E>) {
    let model = view.store.model
    let old = try? plan(followed, model).queryIdentity
    followed = query
    do throws(StoreError) {
      if try plan(query, model).queryIdentity != old { self.query = query }
    } catch {
      // Report the error only once: the report creates the view again, with the same query.
      if old != nil { refuse(error) }
    }
  }

  /// Shows the error of a change that has no caller to throw it to.
  private func refuse(_ error: StoreError) {
    view.store.writer.options.log.noteRefused(error)
    result.changeDidFail(error)
  }

  /// Begins a change of the query; nil if the query's result is already shown.
  private func begin(_ query: Query<E>) throws(StoreError) -> LiveID? {
    let plan = try plan(query, view.store.model)
    let id = result.shows(plan) ? nil : try view.change(result, to: plan)
    requested = query
    return id
  }

  // MARK: - Updates

  /// The changes from now on, as deletions, insertions, moves and edits by offset.
  ///
  /// The sequence begins with the ``elements`` of the moment in which it is made. So show them in the
  /// same turn of the main actor. A task that shows updates takes the sequence along:
  /// `Task { [updates = songs.updates] in … }`.
  public var updates: LiveUpdates<E> { LiveUpdates(differences(nil), result.plan.table) }

  /// Returns the changes from now on, with at most one update in each interval.
  ///
  /// The first update comes at once. Changes during the interval after an update are composed into
  /// the next update, which comes at the end of the interval.
  ///
  /// - Parameters:
  ///   - interval: the shortest time between two updates.
  ///   - clock: the clock that measures the interval; tests set their own.
  public func updates<C: Clock>(
    every interval: C.Duration, clock: C = ContinuousClock()
  ) -> LiveUpdates<E> {
    LiveUpdates(differences(LivePace(interval, clock)), result.plan.table)
  }

  func differences(_ pace: LivePace?) -> LiveDifferences {
    LiveDifferences(
      result: result, subscription: result.subscribe(), reading: result.reading,
      counters: result.counters, pace: pace)
  }

  /// The monitor that shows whether the live query reads rows that it lacks.
  ///
  /// Such reads are the load of the first result or of another query, and reads after changes of
  /// other tables.
  public var activity: ActivityMonitor { result.activity }

  /// The number of wakes, loads and updates of the live query so far, and the time that they took.
  ///
  /// Reading it registers no observation.
  public var statistics: LiveStatistics { result.counters.statistics }
}
