#if canImport(SwiftUI)
  import Strata

  /// The query and attributes that a view was made with; a new object each time the view is made.
  final class LiveRequest<E: Entity>: Sendable {
    let query: Query<E>
    /// The attributes that the view reads; nil for all.
    let reading: [any PartialKeyPath<E> & Sendable]?

    init(_ query: Query<E>, _ reading: [any PartialKeyPath<E> & Sendable]?) {
      self.query = query
      self.reading = reading
    }
  }

  /// The live query of a view. It outlives the view's values, which SwiftUI makes again and again.
  @MainActor final class HeldLive<E: Entity, Live: AnyObject> {
    private var live: Live?
    private var view: ViewContext?
    private var request: LiveRequest<E>?

    nonisolated init() {}

    /// Returns the live query for a request, which is made once for each view context.
    ///
    /// For a new request, `follow` is called with its query. A live query keeps the attributes that
    /// it was made for, so the `reading` of a later request has no effect. The requests are compared
    /// by identity, because a body may read the live query many times, and a comparison of the
    /// queries would make their plans each time.
    func live(
      _ request: LiveRequest<E>, in view: ViewContext?, make: (ViewContext) -> Live,
      follow: (Live, Query<E>) -> Void
    ) -> Live {
      guard let view else {
        fatalError("a live fetch finds no stack: add .strataStack(stack) to a view around this one")
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
