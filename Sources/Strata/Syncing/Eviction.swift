public import Foundation

/// A rule for the rows that a cache can do without.
///
/// ```swift
/// let report = try await stack.evict(
///   .older(than: .seconds(30 * 86_400), by: \Quake.time).where { !$0.isFavourite })
/// ```
public struct Eviction<Root: Entity>: Sendable {
  /// The treatment of rows that other rows refer to.
  public enum ReferencedRows: Sendable {
    /// The row stays, whatever the delete rule.
    ///
    /// So no reference becomes nil. No link of a many-to-many relationship and no other row is
    /// deleted together with an evicted row.
    case keep
    /// The row is deleted, and the delete rules run.
    ///
    /// The row stays if a rule forbids its deletion, or if a row that would be deleted with it has
    /// unsaved edits or waits to be pushed.
    case followDeleteRules
  }

  /// Returns the query for the rows to delete, the newest first, at a given time.
  let query: @Sendable (Date) -> Query<Root>

  /// Returns a rule for the rows whose date is longer ago than an age.
  public static func older(
    than age: Duration, by path: any KeyPath<Root, Date> & Sendable
  ) -> Self {
    Self { now in
      Root.where { $0[path] < now.addingTimeInterval(-(age / .seconds(1))) }
        .sorted(by: path, order: .reverse)
    }
  }

  /// Returns a rule for the rows whose date is longer ago than an age; rows without a date stay.
  public static func older(
    than age: Duration, by path: any KeyPath<Root, Date?> & Sendable
  ) -> Self {
    Self { now in
      Root.where { $0[path] < now.addingTimeInterval(-(age / .seconds(1))) }
        .sorted(by: path, order: .reverse)
    }
  }

  /// Returns a rule for all rows but the `count` newest rows.
  ///
  /// The newest rows are the rows with the greatest values of an attribute. Nil is the least value. With a
  /// condition, the newest are counted among the rows that meet it; see ``where(_:)``.
  ///
  /// - Precondition: `count` is not negative.
  public static func beyond<Value: ComparableValue>(
    newest count: Int, by path: any KeyPath<Root, Value> & Sendable
  ) -> Self {
    guard count >= 0 else { fatalError("an eviction cannot keep \(count) rows") }
    return Self { _ in Root.sorted(by: path, order: .reverse).offset(count) }
  }

  /// Restricts the rule to rows that meet a condition; all other rows stay and are not counted.
  ///
  /// So ``beyond(newest:by:)`` counts the newest among the rows that meet the condition:
  ///
  /// ```swift
  /// // Keeps every favourite, and the hundred newest of the other quakes.
  /// try await stack.evict(.beyond(newest: 100, by: \Quake.time).where { !$0.isFavourite })
  /// ```
  public func `where`(_ condition: (Fields<Root, Root>) -> Filter<Root>) -> Self {
    let added = condition(Fields())
    return Self { [query] now in query(now).where { _ in added } }
  }
}

/// The progress of an eviction.
///
/// ```swift
/// try await stack.evict(.older(than: .seconds(86_400), by: \Song.released)) { progress in
///   print("\(progress.done) of \(progress.total)")
/// }
/// ```
public struct EvictionProgress: Sendable, Hashable {
  /// The report of the eviction so far.
  public let report: EvictionReport
  /// The number of rows that were checked.
  public let done: Int
  /// The number of rows that the rule found when the eviction began.
  public let total: Int
}
