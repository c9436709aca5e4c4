#if canImport(SwiftUI)
  public import Strata
  public import SwiftUI

  /// The entities of a query in a SwiftUI view, kept up to date, like `@Query` and `@_FetchRequest`.
  ///
  /// ```swift
  /// import SwiftUI
  ///
  /// struct SongList: View {
  ///   @LiveFetch(Song.where { $0.loved }.sorted(by: \.title)) private var songs
  ///
  ///   var body: some View {
  ///     List(songs) { Text($0.title) }
  ///   }
  /// }
  /// ```
  ///
  /// The view needs a stack in its environment: `stack(_:)`. The live query is made when the view
  /// first reads it, and ends with the view. Unsaved edits show in the same turn.
  ///
  /// If a view's query depends on the view's parameters, the view sets the property in its `init`.
  /// The view shows the old elements until the elements of the new query are loaded:
  ///
  /// ```swift
  /// import SwiftUI
  ///
  /// struct GenreList: View {
  ///   @LiveFetch private var songs: LiveElements<Song>
  ///
  ///   init(genre: String) { _songs = LiveFetch(Song.where { $0.genre == genre }) }
  ///
  ///   var body: some View { List(songs) { Text($0.title) } }
  /// }
  /// ```
  ///
  /// `$songs` is the `LiveQuery`, with its error, its statistics and its `query`. The view may
  /// change `query` in place, for example for a search field. That query stays until the view is
  /// made with a different query.
  @MainActor @propertyWrapper
  public struct LiveFetch<E: Entity>: DynamicProperty {
    @Environment(ViewContext.self) private var view: ViewContext?
    @State private var held = HeldLive<E, LiveQuery<E>>()
    private let request: LiveRequest<E>

    /// Creates a property that shows the entities of a query.
    ///
    /// - Parameters:
    ///   - query: the query.
    ///   - reading: the attributes that the view reads; nil for all. A change of other attributes
    ///     does not evaluate the view. Different attributes take effect only in a view with another
    ///     identity.
    public init(
      _ query: Query<E> = .all, reading: [any PartialKeyPath<E> & Sendable]? = nil
    ) {
      request = LiveRequest(query, reading)
    }

    /// The query's entities, unsaved edits included; empty until loaded.
    public var wrappedValue: LiveElements<E> { projectedValue.elements }

    /// The live query itself.
    public var projectedValue: LiveQuery<E> {
      held.live(request, in: view) { view in
        view.live(request.query, reading: request.reading)
      } follow: { live, query in
        live._follow(query)
      }
    }
  }
#endif
