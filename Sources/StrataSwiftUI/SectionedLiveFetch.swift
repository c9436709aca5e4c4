#if canImport(SwiftUI)
  public import Strata
  public import SwiftUI

  /// The entities of a query in sections, like `@SectionedFetchRequest`.
  ///
  /// ```swift
  /// import SwiftUI
  ///
  /// struct SongList: View {
  ///   @SectionedLiveFetch(Song.sorted(by: \.title), by: \.genre) private var genres
  ///
  ///   var body: some View {
  ///     List(genres, id: \.name) { genre in
  ///       Section(genre.name) { ForEach(genre.elements) { Text($0.title) } }
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// In all other respects the wrapper works like ``LiveFetch``.
  @MainActor @propertyWrapper
  public struct SectionedLiveFetch<E: Entity, Name: Sendable>: DynamicProperty {
    @Environment(ViewContext.self) private var view: ViewContext?
    @State private var held = HeldLive<E, SectionedLiveQuery<E, Name>>()
    private let request: LiveRequest<E>
    private let make: @MainActor (ViewContext, LiveRequest<E>) -> SectionedLiveQuery<E, Name>

    /// Creates sections of entities with equal values of an attribute.
    ///
    /// - Parameters:
    ///   - query: the query.
    ///   - path: the attribute whose values are the sections' names. A different attribute takes
    ///     effect only in a view with another identity.
    ///   - reading: the attributes that the view reads; nil for all. Different attributes take
    ///     effect only in a view with another identity.
    public init(
      _ query: Query<E>, by path: any KeyPath<E, Name> & Sendable,
      reading: [any PartialKeyPath<E> & Sendable]? = nil
    ) where Name: ComparableValue {
      request = LiveRequest(query, reading)
      make = { $0.live($1.query, sectionedBy: path, reading: $1.reading) }
    }

    /// Creates sections of entities with equal values that the store computes.
    ///
    /// ```swift
    /// import SwiftUI
    ///
    /// struct ArtistList: View {
    ///   @SectionedLiveFetch(Song.sorted(by: \.title), by: { $0.artist.name }) private var artists
    ///
    ///   var body: some View {
    ///     List(artists, id: \.name) { artist in
    ///       Section(artist.name ?? "–") { ForEach(artist.elements) { Text($0.title) } }
    ///     }
    ///   }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - query: the query.
    ///   - value: returns the value whose equal results are a section; the name of the section is
    ///     nil where the value is nil. A different value takes effect only in a view with another
    ///     identity.
    ///   - order: the order of the sections.
    ///   - reading: the attributes that the view reads; nil for all. Different attributes take
    ///     effect only in a view with another identity.
    public init<Value: ComparableValue>(
      _ query: Query<E>, by value: (Fields<E, E>) -> QueryExpression<E, Value>,
      order: SortOrder = .forward, reading: [any PartialKeyPath<E> & Sendable]? = nil
    ) where Name == Value.Unwrapped? {
      request = LiveRequest(query, reading)
      let expression = E._expression(value)
      make = { view, request in
        view.live(request.query, reading: request.reading, order: order) { _ in expression }
      }
    }

    /// Creates sections with computed names.
    ///
    /// - Parameters:
    ///   - query: the query, without a limit and an offset.
    ///   - section: returns the name of an element's section. A different rule takes effect only in
    ///     a view with another identity.
    ///   - reading: the attributes that the view reads; nil for all. Different attributes take
    ///     effect only in a view with another identity.
    public init(
      _ query: Query<E>, section: @escaping @Sendable (E) -> Name,
      reading: [any PartialKeyPath<E> & Sendable]? = nil
    ) where Name: ComparableValue {
      request = LiveRequest(query, reading)
      make = { $0.live($1.query, section: section, reading: $1.reading) }
    }

    /// The sections, unsaved edits included; empty until loaded.
    public var wrappedValue: LiveSections<E, Name> { projectedValue.sections }

    /// The live query itself.
    public var projectedValue: SectionedLiveQuery<E, Name> {
      held.live(request, in: view) {
        make($0, request)
      } follow: {
        $0._follow($1)
      }
    }
  }
#endif
