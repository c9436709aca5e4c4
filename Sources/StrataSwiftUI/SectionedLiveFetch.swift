#if canImport(SwiftUI)
  public import Strata
  public import SwiftUI

  /// The entities of a query in sections: what `@SectionedFetchRequest` is.
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
  /// Everything else is as with ``LiveFetch``.
  @MainActor @propertyWrapper
  public struct SectionedLiveFetch<E: Entity, Name: ComparableValue>: DynamicProperty {
    @Environment(ViewContext.self) private var view: ViewContext?
    @State private var held = HeldLive<E, SectionedLiveQuery<E, Name>>()
    private let request: LiveRequest<E>
    private let make: @MainActor (ViewContext, LiveRequest<E>) -> SectionedLiveQuery<E, Name>

    /// Sections of equal values of an attribute.
    ///
    /// - Parameters:
    ///   - query: what is shown.
    ///   - path: the attribute whose values are the sections' names. Another one takes effect in a
    ///     view with another identity.
    ///   - reading: the attributes that the view reads; nil for all.
    public init(
      _ query: Query<E>, by path: any KeyPath<E, Name> & Sendable,
      reading: [any PartialKeyPath<E> & Sendable]? = nil
    ) {
      request = LiveRequest(query, reading)
      make = { $0.live($1.query, sectionedBy: path, reading: $1.reading) }
    }

    /// Sections that are computed.
    ///
    /// - Parameters:
    ///   - query: what is shown; without a limit and an offset.
    ///   - section: the name of an element's section. Another rule takes effect in a view with
    ///     another identity.
    ///   - reading: the attributes that the view reads; nil for all.
    public init(
      _ query: Query<E>, section: @escaping @Sendable (E) -> Name,
      reading: [any PartialKeyPath<E> & Sendable]? = nil
    ) {
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
        $0.follow($1)
      }
    }
  }
#endif
