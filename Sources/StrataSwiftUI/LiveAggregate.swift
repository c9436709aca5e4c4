#if canImport(SwiftUI)
  public import Strata
  public import SwiftUI

  /// A value made of a query's entities in a SwiftUI view, kept up to date: their number, a sum, an
  /// average, the least or greatest value of an attribute, or one of these for each group.
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
  /// Nil until it is loaded. A change that leaves the value as it is does not evaluate the view.
  /// Unsaved edits count in the same turn.
  ///
  /// A view whose query depends on what it is made with names the types, sets it in its `init`, and
  /// shows the old value until that of the new query is there:
  ///
  /// ```swift
  /// import SwiftUI
  ///
  /// struct GenreBadge: View {
  ///   @LiveAggregate<Song, Int> private var number: Int?
  ///
  ///   init(genre: String) { _number = LiveAggregate(.count, of: Song.where { $0.genre == genre }) }
  ///
  ///   var body: some View { Text("\(number ?? 0)") }
  /// }
  /// ```
  ///
  /// `$number` is the `LiveValue`: its error and its statistics. Everything else is as with
  /// ``LiveFetch``.
  @MainActor @propertyWrapper
  public struct LiveAggregate<E: Entity, Value: Sendable>: DynamicProperty {
    @Environment(ViewContext.self) private var view: ViewContext?
    @State private var held = HeldLive<E, FollowedValue<E, Value>>()
    private let request: LiveRequest<E>
    private let make: @MainActor (ViewContext, Query<E>) -> LiveValue<Value>

    /// One value of all of a query's entities.
    ///
    /// - Parameters:
    ///   - aggregate: what is made of them. Another one takes effect in a view with another
    ///     identity.
    ///   - query: whose entities.
    public init(_ aggregate: Aggregate<E, Value>, of query: Query<E> = .all) {
      request = LiveRequest(query, nil)
      make = { $0.live(aggregate, of: $1) }
    }

    /// A value for each group of a query's entities.
    ///
    /// - Parameters:
    ///   - aggregate: what is made of them. Another one takes effect in a view with another
    ///     identity.
    ///   - query: whose entities. Another one takes effect in a view with another identity, too.
    public init<Group: Hashable & Sendable, Part: Sendable>(
      _ aggregate: Aggregate<E, Part>, of query: GroupedQuery<E, Group>
    ) where Value == [Group: Part] {
      request = LiveRequest(.all, nil)
      make = { view, _ in view.live(aggregate, of: query) }
    }

    /// The value, unsaved edits included; nil until loaded.
    public var wrappedValue: Value? { followed.value }

    /// The live value itself; after the query has changed, the new one's.
    public var projectedValue: LiveValue<Value> { followed.newest }

    private var followed: FollowedValue<E, Value> {
      held.live(request, in: view) { view in
        FollowedValue(view, request.query, make)
      } follow: { followed, query in
        followed.follow(query, make)
      }
    }
  }

  /// A live value, and the one before it for as long as the newest has nothing to show.
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
      if view.isSame(query, as: self.query) { return }
      self.query = query
      if newest.value != nil { last = newest }
      newest = make(view, query)
    }

    /// Reading it observes both for as long as both matter.
    var value: Value? {
      guard let value = newest.value else { return newest.error == nil ? last?.value : nil }
      last = nil
      return value
    }
  }
#endif
