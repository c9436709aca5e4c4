#if canImport(SwiftUI)
  public import Strata
  public import SwiftUI

  /// An aggregate of a query's entities in a SwiftUI view, kept up to date.
  ///
  /// The aggregate is the number of entities, a sum, an average, the least or greatest value of an
  /// attribute, or one of these for each group.
  ///
  /// ```swift
  /// import SwiftUI
  ///
  /// struct LovedBadge: View {
  ///   @LiveAggregate(.count, of: Song.where { $0.loved }) private var loved
  ///
  ///   var body: some View { Text("\(loved ?? 0) loved") }
  /// }
  /// ```
  ///
  /// The value is nil until it is loaded. A change that leaves the value equal does not evaluate
  /// the view. Unsaved edits count in the same turn.
  ///
  /// If a view's query depends on the view's parameters, the declaration names the types, and the
  /// view sets the property in its `init`. The view shows the old value until the value of the new
  /// query is loaded:
  ///
  /// ```swift
  /// import SwiftUI
  ///
  /// struct GenreBadge: View {
  ///   @LiveAggregate<Song, Int> private var number: Int?
  ///
  ///   init(genre: String) {
  ///     _number = LiveAggregate(.count, of: Song.where { $0.genre == genre })
  ///   }
  ///
  ///   var body: some View { Text("\(number ?? 0)") }
  /// }
  /// ```
  ///
  /// `$number` is the `LiveValue`, with its error and its statistics. In all other respects the
  /// wrapper works like ``LiveFetch``.
  @MainActor @propertyWrapper
  public struct LiveAggregate<E: Entity, Value: Sendable>: DynamicProperty {
    @Environment(ViewContext.self) private var view: ViewContext?
    @State private var held = HeldLive<E, FollowedValue<E, Value>>()
    private let request: LiveRequest<E>
    private let make: @MainActor (ViewContext, Query<E>) -> LiveValue<Value>

    /// Creates a value that is computed from all of a query's entities.
    ///
    /// - Parameters:
    ///   - aggregate: the computation. A different aggregate takes effect only in a view with
    ///     another identity.
    ///   - query: the query of the entities.
    public init(_ aggregate: Aggregate<E, Value>, of query: Query<E> = .all) {
      request = LiveRequest(query, nil)
      make = { $0.live(aggregate, of: $1) }
    }

    /// Creates a value for each group of a query's entities.
    ///
    /// - Parameters:
    ///   - aggregate: the computation. A different aggregate takes effect only in a view with
    ///     another identity.
    ///   - query: the query of the entities. A different query also takes effect only in a view
    ///     with another identity.
    public init<Group: Hashable & Sendable, Part: Sendable>(
      _ aggregate: Aggregate<E, Part>, of query: GroupedQuery<E, Group>
    ) where Value == [Group: Part] {
      request = LiveRequest(.all, nil)
      make = { view, _ in view.live(aggregate, of: query) }
    }

    /// The value, unsaved edits included; nil until loaded.
    public var wrappedValue: Value? { followed.value }

    /// The live value itself; after a change of the query, the live value of the new query.
    public var projectedValue: LiveValue<Value> { followed.newest }

    private var followed: FollowedValue<E, Value> {
      held.live(request, in: view) { view in
        FollowedValue(view, request.query, make)
      } follow: { followed, query in
        followed.follow(query, make)
      }
    }
  }

  /// A live value, with the value before it as long as the new live value has nothing to show.
  @MainActor final class FollowedValue<E: Entity, Value: Sendable> {
    private let view: ViewContext
    private var query: Query<E>
    private(set) var newest: LiveValue<Value>
    private var last: LiveValue<Value>?

    init(
      _ view: ViewContext, _ query: Query<E>,
      _ make: (ViewContext, Query<E>) -> LiveValue<Value>
    ) {
      self.view = view
      self.query = query
      newest = make(view, query)
    }

    func follow(_ query: Query<E>, _ make: (ViewContext, Query<E>) -> LiveValue<Value>) {
      if view._isSame(query, as: self.query) { return }
      self.query = query
      if newest.value != nil { last = newest }
      newest = make(view, query)
    }

    /// The value to show. A read observes both live values while both matter.
    var value: Value? {
      guard let value = newest.value else { return newest.error == nil ? last?.value : nil }
      last = nil
      return value
    }
  }
#endif
