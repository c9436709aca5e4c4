public import Foundation
internal import StrataSQLite

/// An order of texts other than that of their bytes.
///
/// ```swift
/// Song.sorted(by: \.title, .localized)
/// Song.where { $0.title.localized(Locale(identifier: "sv_SE")) >= "ö" }
/// ```
///
/// A query has its order's locale by name from the moment it is made: it does not change when the
/// user changes the system's settings, and every process that names the same locale sorts alike, as
/// long as the systems' language data are of one version. Nothing in the store depends on it: no
/// index has such an order, so another program can read and write the file.
///
/// Texts that sort alike are put in the order of what the query sorts by next, at last its key.
public struct TextOrder: Sendable, Hashable {
  let collation: TextCollation

  /// Without regard to case, and not by the rules of any language: "a" and "A" sort alike.
  public static let ignoringCase = TextOrder(collation: .ignoringCase)

  /// As the current locale sorts.
  public static var localized: TextOrder { localized(.current) }

  /// As a locale sorts.
  public static func localized(_ locale: Locale) -> TextOrder {
    // By name alone: the store's connections know no more of it.
    TextOrder(collation: .localized(Locale(identifier: locale.identifier)))
  }
}

extension Query {
  /// Sorted by a text in an order other than that of its bytes, within the order given so far;
  /// nil comes before every text.
  ///
  /// Costs a comparison of texts in their language, 1 to 3 µs, where the order of bytes costs
  /// nanoseconds, and uses no index.
  public func sorted<Value: TextValue>(
    by path: any KeyPath<Root, Value> & Sendable, _ text: TextOrder,
    _ direction: SortDirection = .ascending
  ) -> Self {
    var copy = self
    copy.sorts.append(Sort(path: path, direction: direction, text: text))
    return copy
  }
}

extension Entity {
  /// The query for every entity, sorted by a text in an order other than that of its bytes.
  public static func sorted<Value: TextValue>(
    by path: any KeyPath<Self, Value> & Sendable, _ text: TextOrder,
    _ direction: SortDirection = .ascending
  ) -> Query<Self> {
    Query().sorted(by: path, text, direction)
  }
}
