public import Foundation

extension Query {
  /// The entities that meet a predicate.
  ///
  /// ```swift
  /// let query = try Query(#Predicate<Song> { $0.title.contains("grace") && $0.plays > 100 })
  /// ```
  ///
  /// The predicate becomes a filter like any other and keeps a filter's meaning: texts are compared
  /// byte by byte, arithmetic on a missing value makes a missing value, and so do `!` on nil and a
  /// division by zero, where Foundation would throw.
  ///
  /// - Throws: ``QueryError`` with code `unsupported`, naming the part of the predicate that cannot
  ///   be translated.
  public init(_ predicate: Predicate<Root>) throws(QueryError) {
    self.init(filter: try PredicateTranslation.filter(predicate))
  }

  /// Only those that also meet a predicate.
  ///
  /// - Throws: ``QueryError`` with code `unsupported`, naming the part of the predicate that cannot
  ///   be translated.
  public func `where`(_ predicate: Predicate<Root>) throws(QueryError) -> Self {
    let added = try PredicateTranslation.filter(predicate)
    return self.where { _ in Filter(node: added) }
  }
}

extension Entity {
  /// The query for the entities that meet a predicate.
  ///
  /// - Throws: ``QueryError`` with code `unsupported`, naming the part of the predicate that cannot
  ///   be translated.
  public static func `where`(_ predicate: Predicate<Self>) throws(QueryError) -> Query<Self> {
    try Query(predicate)
  }
}
