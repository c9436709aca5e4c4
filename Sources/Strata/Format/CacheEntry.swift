internal import Foundation

/// The part of the store that an import brings up to date: the result of a query, or a feed.
///
/// A feed has a name of your own. A query is identified by its filter, sort, limit and values, in
/// the same way on every launch. After the attributes of its entity have changed, the query is a
/// different entry, because earlier imports lack the new attributes.
///
/// ```swift
/// if try await stack.isStale(.feed("charts"), olderThan: .seconds(3_600)) { … }
/// ```
public struct CacheEntry: Sendable {
  private enum Kind: Sendable {
    case query(@Sendable (Model) throws(StoreError) -> SQLBuilder)
    case feed(String)
  }

  private let kind: Kind

  /// Returns the entry for the result of a query.
  public static func query<E: Entity>(_ query: Query<E>) -> Self {
    Self(
      kind: .query { model throws(StoreError) in
        let plan = try QueryPlan(query, model)
        return plan.select(limit: plan.limit, offset: plan.offset)
      })
  }

  /// Returns the entry for the feed with this name.
  public static func feed(_ name: String) -> Self { Self(kind: .feed(name)) }

  /// Returns the identity of the entry in a store with this model.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  func identity(_ model: Model) throws(StoreError) -> CacheIdentity {
    switch kind {
    case .feed(let name): return CacheIdentity("feed", name, [])
    case .query(let sql):
      let sql = try sql(model)
      return CacheIdentity("query", sql.text, sql.parameters)
    }
  }
}

/// The identity of a cache entry in a store: a hash of 16 bytes, and a text for people.
struct CacheIdentity: Sendable, Hashable {
  /// The number of characters after which a text is cut; a thousand parameters are not readable.
  private static let textLimit = 1000

  let hash: [UInt8]
  let text: String

  init(_ kind: String, _ text: String, _ parameters: [Cell]) {
    var hash = StableHash()
    hash.combine(kind.utf8)
    hash.combine(text.utf8)
    for parameter in parameters { hash.combine(parameter) }
    self.hash = hash.bytes
    let values = parameters.isEmpty ? "" : " \(parameters)"
    self.text = String("\(kind): \(text)\(values)".prefix(Self.textLimit))
  }

  static func == (left: Self, right: Self) -> Bool { left.hash == right.hash }
  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
