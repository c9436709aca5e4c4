public import Foundation

/// A choice of entities with a filter, an order, a limit and an offset.
///
/// ```swift
/// Song.where { $0.bpm > 100 && $0.title.contains("grace") }.sorted(by: \.title).limit(50)
/// ```
///
/// A query is a value, and building it touches no store. The order always ends with the key, in the
/// direction of the last sort. So it is complete and never changes by itself, and a query whose sorts
/// are all reversed has the same rows from last to first.
///
/// The order of the calls does not matter: conditions come first, then sorts, then the offset, then the
/// limit, as in SQL. So `limit(5).where { … }` is the first five of the entities that meet the condition,
/// not a part of the first five. Several conditions must be met together. Several sorts count in the
/// order in which they are given. Of several limits the least counts, and of several offsets the last.
/// This holds wherever a query is taken: in fetches, counts, values and groups, live queries,
/// relationships, updates and deletions.
public struct Query<Root: Entity>: Sendable {
  var filter: FilterNode?
  var sorts: [Sort] = []
  /// An order by relevance or distance, among the sorts.
  var ranking: Ranking?
  /// The places in the order between which the entities are.
  var bounds: [OrderBound<Root>] = []
  var limit: Int?
  var offset = 0
  /// The start of a relationship's query; nil for other queries.
  var source: RelationshipSource?

  init(filter: FilterNode? = nil) { self.filter = filter }

  init(filter: FilterNode? = nil, from source: RelationshipSource) {
    self.filter = filter
    self.source = source
  }

  /// The greatest limit or offset.
  ///
  /// No table has more rows, and sums with this number do not overflow.
  private static var most: Int { Int(Int32.max) / 4 }

  /// Every entity.
  public static var all: Self { Query() }

  /// The query for no entity, even with additional conditions.
  ///
  /// Running it reads nothing. It suits a live query that has nothing to show yet:
  ///
  /// ```swift
  /// let selected = view.live(Song.none)
  /// selected.query = Song.where { $0.id == id }
  /// ```
  public static var none: Self { Query(filter: .never) }

  /// Creates the query for the entities that meet a condition.
  public static func `where`(_ condition: (Fields<Root, Root>) -> Filter<Root>) -> Self {
    Query().where(condition)
  }

  /// Returns the query for only the entities that also meet `condition`.
  ///
  /// A condition comes before the query's limit and offset, also if it is given after them.
  public func `where`(_ condition: (Fields<Root, Root>) -> Filter<Root>) -> Self {
    let added = condition(Fields()).node
    var copy = self
    if added.constant != true { copy.filter = filter.map { .and($0, added) } ?? added }
    return copy
  }

  /// Returns the query sorted by an attribute, within the order given so far.
  ///
  /// Nil comes before every value in ascending order. A sort comes before the query's limit and offset,
  /// also if it is given after them.
  public func sorted<Value: ComparableValue>(
    by path: any KeyPath<Root, Value> & Sendable, order: SortOrder = .forward
  ) -> Self {
    var copy = self
    copy.sorts.append(Sort(.attribute(path), order))
    return copy
  }

  /// Returns the query sorted by a computed value, within the order given so far.
  ///
  /// A sort comes before the query's limit and offset, also if it is given after them. The value may
  /// come from a related entity, or be the number of related entities:
  ///
  /// ```swift
  /// Song.all.sorted { $0.artist.name }.sorted(by: \.title)
  /// Artist.all.sorted(order: .reverse) { $0.songs.count }
  /// ```
  ///
  /// Nil comes before every value in ascending order, also where a reference leads nowhere. A live
  /// query sorts an edited row by its committed value until the edit is saved, if the value comes
  /// from other rows.
  ///
  /// - Complexity: SQLite computes the value of each row that meets the filter, and sorts the rows
  ///   without an index.
  public func sorted<Value: ComparableValue>(
    order: SortOrder = .forward, by value: (Fields<Root, Root>) -> QueryExpression<Root, Value>
  ) -> Self {
    var copy = self
    copy.sorts.append(Sort(Sort.Key(value(Fields()).node), order))
    return copy
  }

  /// Returns the query for at most the first `count` entities that meet its conditions, in its order
  /// and after its offset.
  ///
  /// The limit comes last, also if conditions, sorts or an offset are given after it. If the query has a
  /// limit already, the lesser one counts.
  ///
  /// - Precondition: `count` is not negative.
  public func limit(_ count: Int) -> Self {
    guard count >= 0 else { fatalError("a limit cannot be negative: \(count)") }
    var copy = self
    copy.limit = min(limit ?? count, count, Self.most)
    return copy
  }

  /// Returns the query without the first `count` entities that meet its conditions, in its order.
  ///
  /// The offset comes before the limit, also if it is given after it. It replaces an offset that the
  /// query has already.
  ///
  /// - Precondition: `count` is not negative.
  public func offset(_ count: Int) -> Self {
    guard count >= 0 else { fatalError("an offset cannot be negative: \(count)") }
    var copy = self
    copy.offset = min(count, Self.most)
    return copy
  }
}

/// A value by which a query is sorted.
struct Sort: Sendable {
  enum Key: Sendable {
    case attribute(SendablePath)
    case computed(ExpressionNode)

    /// Creates the key of an expression, which may be an attribute of the query's own entity.
    init(_ node: ExpressionNode) {
      if case .attribute(let reference) = node, reference.hops.isEmpty {
        self = .attribute(reference.path)
      } else {
        self = .computed(node)
      }
    }
  }

  let key: Key
  let order: SortOrder
  var text: TextOrder?
  /// Whether the sort only brings the rows of a section together.
  var isOfSections = false

  init(_ key: Key, _ order: SortOrder, text: TextOrder? = nil) {
    self.key = key
    self.order = order
    self.text = text
  }

  /// Whether the sort is by an attribute of the query's own entity, in the order of its bytes.
  func isBytewise(by path: SendablePath) -> Bool {
    guard case .attribute(let own) = key, text == nil else { return false }
    return own as AnyKeyPath == path as AnyKeyPath
  }
}

extension Entity {
  /// The query for every entity of this type.
  public static var all: Query<Self> { Query() }

  /// The query for no entity, which reads nothing.
  public static var none: Query<Self> { .none }

  /// Returns the query for the entities that meet a condition.
  public static func `where`(_ condition: (Fields<Self, Self>) -> Filter<Self>) -> Query<Self> {
    Query.where(condition)
  }

  /// Returns the query for every entity, sorted by an attribute.
  public static func sorted<Value: ComparableValue>(
    by path: any KeyPath<Self, Value> & Sendable, order: SortOrder = .forward
  ) -> Query<Self> {
    Query().sorted(by: path, order: order)
  }

  /// Returns the query for every entity, sorted by a computed value.
  ///
  /// See ``Query/sorted(order:by:)``.
  public static func sorted<Value: ComparableValue>(
    order: SortOrder = .forward, by value: (Fields<Self, Self>) -> QueryExpression<Self, Value>
  ) -> Query<Self> {
    Query().sorted(order: order, by: value)
  }
}
