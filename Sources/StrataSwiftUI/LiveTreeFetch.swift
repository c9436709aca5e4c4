#if canImport(SwiftUI)
  public import Strata
  public import SwiftUI

  /// The entities of a query in a SwiftUI view, with what stands beside each of them, kept up to date.
  ///
  /// ```swift
  /// import SwiftUI
  ///
  /// struct ArtistList: View {
  ///   @LiveTreeFetch(Artist.sorted(by: \.name), with: .count(of: Artist.songs)) private var artists
  ///
  ///   var body: some View {
  ///     List(artists, id: \.0.id) { artist, songs in Text("\(artist.name): \(songs)") }
  ///   }
  /// }
  /// ```
  ///
  /// If a view's query depends on the view's parameters, the view sets the property in its `init`. The view
  /// shows the old elements until those of the new query are loaded. Different relationships take effect only in
  /// a view with another identity. `$artists` is the `LiveTree`. In all other respects the wrapper works like
  /// ``LiveFetch``.
  @MainActor @propertyWrapper
  public struct LiveTreeFetch<E: Entity, Element: Sendable>: DynamicProperty {
    @Environment(ViewContext.self) private var view: ViewContext?
    @State private var held = HeldLive<E, FollowedTree<E, Element>>()
    private let request: LiveRequest<E>
    private let make: @MainActor (ViewContext, Query<E>) -> LiveTree<E, Element>

    /// Creates a property that shows entities with one relationship or value.
    public init<A: Relationship<E>>(
      _ query: Query<E> = .all, with branch: A
    ) where Element == (E, A.Shown) {
      request = LiveRequest(query, nil)
      make = { $0.live($1, with: branch) }
    }

    /// Creates a property that shows entities with two relationships or values.
    public init<A: Relationship<E>, B: Relationship<E>>(
      _ query: Query<E> = .all, with first: A, _ second: B
    ) where Element == (E, A.Shown, B.Shown) {
      request = LiveRequest(query, nil)
      make = { $0.live($1, with: first, second) }
    }

    /// Creates a property that shows entities with three relationships or values.
    public init<A: Relationship<E>, B: Relationship<E>, C: Relationship<E>>(
      _ query: Query<E> = .all, with first: A, _ second: B, _ third: C
    ) where Element == (E, A.Shown, B.Shown, C.Shown) {
      request = LiveRequest(query, nil)
      make = { $0.live($1, with: first, second, third) }
    }

    /// The query's entities with what stands beside them, unsaved edits included; empty until loaded.
    public var wrappedValue: LiveTreeElements<E, Element> { followed.shown.elements }

    /// The live tree itself; after a change of the query, the live tree of the new query.
    public var projectedValue: LiveTree<E, Element> { followed.newest }

    private var followed: FollowedTree<E, Element> {
      held.live(request, in: view) { view in
        FollowedTree(view, request.query, make)
      } follow: { followed, query in
        followed.follow(query, make)
      }
    }
  }

  /// A live tree, with the tree before it as long as the new tree is not loaded.
  @MainActor final class FollowedTree<E: Entity, Element: Sendable> {
    typealias Make = @MainActor (ViewContext, Query<E>) -> LiveTree<E, Element>

    private let view: ViewContext
    private var query: Query<E>
    private(set) var newest: LiveTree<E, Element>
    private var last: LiveTree<E, Element>?

    init(_ view: ViewContext, _ query: Query<E>, _ make: Make) {
      self.view = view
      self.query = query
      newest = make(view, query)
    }

    func follow(_ query: Query<E>, _ make: Make) {
      if view._isSame(query, as: self.query) { return }
      self.query = query
      if newest.isLoaded { last = newest }
      newest = make(view, query)
    }

    /// The tree to show. A read observes both trees while both matter.
    var shown: LiveTree<E, Element> {
      if newest.isLoaded || newest.error != nil { last = nil }
      return last ?? newest
    }
  }
#endif
