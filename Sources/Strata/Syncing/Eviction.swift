public import Foundation

/// Which rows a cache can do without.
///
/// ```swift
/// let report = try await stack.evict(
///   .older(than: .seconds(30 * 86_400), by: \Quake.time).where { !$0.isFavourite })
/// ```
public struct Eviction<Root: Entity>: Sendable {
  /// What happens to a row that other rows refer to.
  public enum ReferencedRows: Sendable {
    /// It stays, whatever the delete rule: nobody's reference becomes nil, no link of a
    /// many-to-many relationship and nothing else goes with it.
    case keep
    /// It goes, and the delete rules run; it stays if a rule forbids that, or if a row that would
    /// go with it has unsaved edits.
    case followDeleteRules
  }

  /// The rows that go, the newest first, given what time it is.
  let query: @Sendable (Date) -> Query<Root>

  /// The rows whose date lies longer ago than an age.
  public static func older(
    than age: Duration, by path: any KeyPath<Root, Date> & Sendable
  ) -> Self {
    Self { now in
      Root.where { $0[path] < now.addingTimeInterval(-(age / .seconds(1))) }
        .sorted(by: path, .descending)
    }
  }

  /// The rows whose date lies longer ago than an age; those without a date stay.
  public static func older(
    than age: Duration, by path: any KeyPath<Root, Date?> & Sendable
  ) -> Self {
    Self { now in
      Root.where { $0[path] < now.addingTimeInterval(-(age / .seconds(1))) }
        .sorted(by: path, .descending)
    }
  }

  /// All rows but the newest ones: those with the greatest values of an attribute; nil is the
  /// least.
  ///
  /// - Precondition: `count` is not negative.
  public static func beyond<Value: ComparableValue>(
    newest count: Int, by path: any KeyPath<Root, Value> & Sendable
  ) -> Self {
    guard count >= 0 else { fatalError("an eviction cannot keep \(count) rows") }
    return Self { _ in Root.sorted(by: path, .descending).offset(count) }
  }

  /// Only among the rows that meet a condition: neither do others go, nor do they count.
  public func `where`(_ condition: (Fields<Root, Root>) -> Filter<Root>) -> Self {
    let added = condition(Fields())
    return Self { [query] now in query(now).where { _ in added } }
  }
}

/// How far an eviction is.
public struct EvictionProgress: Sendable, Hashable {
  /// What it has done so far.
  public let report: EvictionReport
  /// Rows that were looked at.
  public let done: Int
  /// Rows that the rule had found when the eviction began.
  public let total: Int
}
