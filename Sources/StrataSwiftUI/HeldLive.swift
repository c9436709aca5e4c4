#if canImport(SwiftUI)
  import Strata

  /// What a view was made with; another object each time it is made.
  final class LiveRequest<E: Entity>: Sendable {
    let query: Query<E>
    let reading: [any PartialKeyPath<E> & Sendable]?

    init(_ query: Query<E>, _ reading: [any PartialKeyPath<E> & Sendable]?) {
      self.query = query
      self.reading = reading
    }
  }

  /// The live query of a view, which outlives the values that the view is made of.
  @MainActor final class HeldLive<E: Entity, Live: AnyObject> {
    private var live: Live?
    private var view: ViewContext?
    private var request: LiveRequest<E>?

    nonisolated init() {}

    /// The live query of a request: made once for a context, then told what the newest view shows.
    ///
    /// A body may read it many times; comparing the queries each time would make their plans.
    func live(
      _ request: LiveRequest<E>, in view: ViewContext?, make: (ViewContext) -> Live,
      follow: (Live, Query<E>) -> Void
    ) -> Live {
      guard let view else {
        fatalError("a live fetch finds no stack: add .stack(stack) to a view around this one")
      }
      guard let live, self.view === view else {
        let live = make(view)
        (self.live, self.view, self.request) = (live, view, request)
        return live
      }
      if self.request !== request {
        self.request = request
        follow(live, request.query)
      }
      return live
    }
  }
#endif
