internal import Foundation
public import Observation

/// A live query in sections, as a table view with headers shows them.
///
/// Sections are in the order of their names, of which no two are equal, elements in the order of the
/// query within their section. A section exists as long as it has elements.
///
/// `Observable`: reading ``sections`` in a SwiftUI body or in `withObservationTracking` is enough.
///
/// ```swift
/// let genres = view.live(Song.sorted(by: \.title), sectionedBy: \.genre)
/// try await genres.waitUntilLoaded()
/// for genre in genres.sections { print(genre.name, genre.elements.count) }
/// ```
@MainActor
public final class SectionedLiveQuery<E: Entity, Name: Sendable>: Observable {
  /// The same elements without sections.
  public let live: LiveQuery<E>
  private let sectioning: LiveSectioning<E, Name>

  init(_ live: LiveQuery<E>, _ sectioning: LiveSectioning<E, Name>) {
    self.live = live
    self.sectioning = sectioning
  }

  /// The sections with their elements, unsaved edits included; empty until loaded.
  public var sections: LiveSections<E, Name> { LiveSections(live.elements, sectioning.name) }

  /// The elements of all sections, section by section.
  public var elements: LiveElements<E> { live.elements }

  /// Whether the first result has arrived.
  public var isLoaded: Bool { live.isLoaded }

  /// Why the result could not be loaded, or why the query could not be changed; see
  /// ``LiveQuery/error``. A section whose name cannot be read, or is stored in another form than its type
  /// writes, is an `invalidValue`.
  public var error: StoreError? { live.error }

  /// Waits for the first result, and for that of the query that was set last; see
  /// ``LiveQuery/waitUntilLoaded()``.
  ///
  /// - Throws: the error of a load or of a change that failed, `cancelled` or `closed`.
  public func waitUntilLoaded() async throws { try await live.waitUntilLoaded() }

  /// The query that was set last; setting another query changes it in place, see
  /// ``LiveQuery/query``.
  public var query: Query<E> {
    get { live.query }
    set { live.query = newValue }
  }

  /// Changes the query in place, with the same rule for sections; see ``LiveQuery/change(to:)``.
  ///
  /// If the change brings the sections into another order, the update is a reset.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's;
  ///   then the old query stays.
  public func change(to query: Query<E>) async throws {
    try await live.change(to: query)
  }

  /// Changes the query, unless the new query equals the one that was followed last.
  public func _follow(_ query: Query<E>) { live._follow(query) }

  /// The changes from now on, as sections and elements that are inserted, deleted, moved and
  /// edited.
  public var updates: SectionUpdates<E, Name> {
    SectionUpdates(live.differences(nil), live.result.plan.table, sectioning.name)
  }

  /// Returns the changes from now on, with at most one update in each interval; see
  /// ``LiveQuery/updates(every:clock:)``.
  public func updates<C: Clock>(
    every interval: C.Duration, clock: C = ContinuousClock()
  ) -> SectionUpdates<E, Name> {
    SectionUpdates(
      live.differences(LivePace(interval, clock)), live.result.plan.table, sectioning.name)
  }
}

/// The rule that divides a live query into sections.
struct LiveSectioning<E: Entity, Name: Sendable>: Sendable {
  /// The name of a section with some elements, of which there is at least one.
  let name: @Sendable (LiveElements<E>) -> Name
  /// Makes the plan of a query with these sections.
  let plan: @Sendable (Query<E>, Model) throws(StoreError) -> LivePlan

  /// Makes sections by an attribute, which becomes the first sort.
  init(by path: any KeyPath<E, Name> & Sendable) where Name: ComparableValue {
    name = { $0[0][keyPath: path] }
    plan = { query, model throws(StoreError) in
      // If the order is another one, entities of one section may not be neighbours.
      if Name.storage != .text, query.sorts.first?.isBytewise(by: path) == true,
        query.ranking?.position != 0
      {
        return try Self.plan(query, model, Name.self)
      }
      let own = query.sorts.first.flatMap { $0.isBytewise(by: path) ? $0.order : nil }
      return try Self.plan(
        query.sorted(first: .attribute(path), own ?? .forward, Name.self), model, Name.self)
    }
  }

  /// Makes sections by a value that the store computes, which becomes the first sort.
  init<Value: ComparableValue>(
    by value: QueryExpression<E, Value>, order: SortOrder
  ) where Name == Value.Unwrapped? {
    name = { elements in
      // The first value of an order is the last cell of a row.
      let record = elements.shown.record(at: 0)
      return try? Value.Unwrapped(cell: record[record.count - 1])
    }
    plan = { query, model throws(StoreError) in
      try Self.plan(
        query.sorted(first: .computed(value.node), order, Value.self), model,
        Value.Unwrapped?.self)
    }
  }

  /// Returns the plan of a query with sections by its first sort.
  private static func plan<Value: AttributeValue>(
    _ query: Query<E>, _ model: Model, _: Value.Type
  ) throws(StoreError) -> LivePlan {
    LivePlan(
      try QueryPlan(query, model), isSectioned: true, checking: SectionCheck(Value.self))
  }

  /// Makes sections by a computed name, which is computed once each time an entity changes.
  init(by name: @escaping @Sendable (E) -> Name) where Name: ComparableValue {
    self.name = { name($0[0]) }
    plan = { query, model throws(StoreError) in
      let table = model.table(of: E.self)
      // The store cannot tell which rows come first in the order of computed names.
      if query.limit != nil || query.offset > 0 {
        throw .query(
          "a query in computed sections cannot have a limit or an offset", entity: table.entity)
      }
      let rule = LivePlan.SectionRule { record throws(ValueError) in
        try name(table.decodeLeniently(record, as: E.self)).cell
      }
      return LivePlan(try QueryPlan(query, model), sections: rule)
    }
  }
}

extension Query {
  /// Returns the query sorted first by a value that names sections, in which the spellings of a text
  /// are equal.
  fileprivate func sorted<Value: AttributeValue>(
    first key: Sort.Key, _ order: SortOrder, _: Value.Type
  ) -> Query {
    var copy = self
    let text = Value.storage == .text ? TextOrder.canonical : nil
    var sort = Sort(key, order, text: text)
    sort.isOfSections = true
    copy.sorts.insert(sort, at: 0)
    copy.ranking = ranking.map { Ranking(kind: $0.kind, position: $0.position + 1) }
    return copy
  }
}
