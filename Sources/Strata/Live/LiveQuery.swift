public import Observation

/// A query whose result stays up to date: the fetched-results controller.
///
/// Maintained change by change: nothing is fetched again unless a table was reset or more changed
/// than a fetch costs. Shows the view context's unsaved edits in the same turn; if the query follows a
/// relationship, unsaved insertions and changes once they are saved. Holding the live
/// query keeps it going; letting go of it ends it.
///
/// `Observable`: reading ``elements`` in a SwiftUI body or in `withObservationTracking` is enough.
@MainActor
public final class LiveQuery<E: Entity>: Observable {
  private let registrar = ObservationRegistrar()
  private let view: ViewContext
  let result: LiveResult

  init(_ view: ViewContext, _ plan: QueryPlan, _ error: StoreError? = nil) {
    self.view = view
    result = LiveResult(plan, error)
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

  /// Whether the first result is there.
  public var isLoaded: Bool {
    registrar.access(self, keyPath: \.elements)
    return result.isLoaded
  }

  /// Why the result could not be loaded; tried again at the next commit.
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

  /// What changes from now on, as deletions, insertions, moves and edits by offset.
  public var updates: LiveUpdates<E> {
    LiveUpdates(result.subscribe(), result.plan.table)
  }
}
