/// Which entities, in what order, how many.
///
/// ```swift
/// Song.where { $0.bpm > 100 && $0.title.contains("grace") }.sorted(by: \.title).limit(50)
/// ```
///
/// A query is a value: building one touches no store. The order always ends with the key, so it
/// is complete and never changes by itself.
public struct Query<Root: Entity>: Sendable {
  var filter: FilterNode?
  var sorts: [Sort] = []
  /// An order that no attribute has, among the sorts.
  var ranking: Ranking?
  var limit: Int?
  var offset = 0
  /// Set for the query of a relationship.
  var source: RelationshipSource?

  init(filter: FilterNode? = nil) { self.filter = filter }

  init(filter: FilterNode? = nil, from source: RelationshipSource) {
    self.filter = filter
    self.source = source
  }

  /// No table has more rows, and adding some of it overflows nothing.
  private static var most: Int { Int(Int32.max) / 4 }

  /// Every entity.
  public static var all: Self { Query() }

  /// No entity, whatever conditions are added: nothing is read to find that out.
  ///
  /// For a live query that has nothing to show yet:
  ///
  /// ```swift
  /// let selected = view.live(Song.none)
  /// selected.query = Song.where { $0.id == id }
  /// ```
  public static var none: Self { Query(filter: .isIn(.literal(.null), [])) }

  /// The entities that meet a condition.
  public static func `where`(_ condition: (Fields<Root, Root>) -> Filter<Root>) -> Self {
    Query(filter: condition(Fields()).node)
  }

  /// Only those that also meet `condition`.
  public func `where`(_ condition: (Fields<Root, Root>) -> Filter<Root>) -> Self {
    let added = condition(Fields()).node
    var copy = self
    copy.filter = filter.map { .and($0, added) } ?? added
    return copy
  }

  /// Sorted by an attribute, within the order given so far; nil comes before every value.
  public func sorted<Value: ComparableValue>(
    by path: any KeyPath<Root, Value> & Sendable, _ direction: SortDirection = .ascending
  ) -> Self {
    var copy = self
    copy.sorts.append(Sort(path: path, direction: direction))
    return copy
  }

  /// At most the first `count` entities.
  ///
  /// - Precondition: `count` is not negative.
  public func limit(_ count: Int) -> Self {
    guard count >= 0 else { fatalError("a limit cannot be negative: \(count)") }
    var copy = self
    copy.limit = min(limit ?? count, count, Self.most)
    return copy
  }

  /// Without the first `count` entities.
  ///
  /// - Precondition: `count` is not negative.
  public func offset(_ count: Int) -> Self {
    guard count >= 0 else { fatalError("an offset cannot be negative: \(count)") }
    var copy = self
    copy.offset = min(count, Self.most)
    return copy
  }
}

/// The direction of a sort.
///
/// Not called as Foundation's `SortOrder`, so that both can be used in one file.
public enum SortDirection: Sendable {
  /// The smallest first, nil before every value.
  case ascending
  /// The largest first, nil behind every value.
  case descending
}

/// One attribute that a query is sorted by.
struct Sort: Sendable {
  let path: SendablePath
  let direction: SortDirection
  var text: TextOrder?
}

extension Entity {
  /// The query for every entity of this type.
  public static var all: Query<Self> { Query() }

  /// The query for no entity: nothing is read to find that out.
  public static var none: Query<Self> { .none }

  /// The query for the entities that meet a condition.
  public static func `where`(_ condition: (Fields<Self, Self>) -> Filter<Self>) -> Query<Self> {
    Query.where(condition)
  }

  /// The query for every entity, sorted by an attribute.
  public static func sorted<Value: ComparableValue>(
    by path: any KeyPath<Self, Value> & Sendable, _ direction: SortDirection = .ascending
  ) -> Query<Self> {
    Query().sorted(by: path, direction)
  }
}
