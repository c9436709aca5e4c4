public import Foundation

extension Query {
  /// Creates the query for the entities that meet a predicate.
  ///
  /// ```swift
  /// let query = try Query(#Predicate<Song> { $0.title.contains("grace") && $0.plays > 100 })
  /// ```
  ///
  /// The predicate becomes an ordinary filter and keeps a filter's meaning. Texts are compared byte
  /// by byte. Arithmetic on a missing value gives a missing value. So do `!` on nil and a division
  /// by zero, where Foundation would throw.
  ///
  /// - Throws: ``QueryError`` with code `unsupported`, naming the part of the predicate that cannot
  ///   be translated.
  public init(_ predicate: Predicate<Root>) throws {
    self.init(filter: try PredicateTranslation.filter(predicate))
  }

  /// Returns the query for only the entities that also meet a predicate.
  ///
  /// - Throws: ``QueryError`` with code `unsupported`, naming the part of the predicate that cannot
  ///   be translated.
  public func `where`(_ predicate: Predicate<Root>) throws -> Self {
    let added = try PredicateTranslation.filter(predicate)
    return self.where { _ in Filter(node: added) }
  }
}

extension Entity {
  /// Returns the query for the entities that meet a predicate.
  ///
  /// - Throws: ``QueryError`` with code `unsupported`, naming the part of the predicate that cannot
  ///   be translated.
  public static func `where`(_ predicate: Predicate<Self>) throws -> Query<Self> {
    try Query(predicate)
  }
}
