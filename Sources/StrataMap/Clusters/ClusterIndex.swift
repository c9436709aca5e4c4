public import Strata

/// Clusters of a set of points at every zoom level of a map, kept up to date with every change.
///
///     var index = ClusterIndex<Int>(combining: +)
///     index.update([ClusterIndex.Point(id: key, coordinate: place, value: 1)])
///     let items = index.items(in: region, zoom: 4)
///
/// The displayed items depend only on the set of points, not on the order in which they were added:
/// an index after 10,000 changes equals an index that was built at once. A cluster is drawn at one
/// of its points, its *leader*, and has the leader's id. So it remains the same cluster after most
/// changes. At a whole zoom level no two items are nearer to each other than
/// ``ClusterOptions/radius``, if ``ClusterOptions/minimumPoints`` is 2. Longitude has no edge:
/// points at 179.99 and -179.99 degrees are neighbours. Points beyond 85.05 degrees of latitude are
/// clustered as if they were at that latitude.
///
/// Each point has a value, and each cluster has the combined value of its points. The function that
/// combines two values must not depend on order and grouping: use sums, least and greatest values,
/// or counts by kind. (Sums of floating-point numbers do depend on the order a little. They are
/// computed in an order that depends only on the set of points, so equal sets have equal sums.)
///
/// A single change costs O(zoom levels) expected, whatever the number of points.
///
/// ```swift
/// var index = ClusterIndex<Int>(combining: +)
/// index.update([ClusterIndex.Point(id: key, coordinate: place, value: 1)])
/// for item in index.items(in: region, zoom: 4) { print(item.coordinate, item.count, item.value) }
/// ```
public struct ClusterIndex<Value: Sendable>: Sendable {
  /// A point to be clustered.
  public struct Point: Sendable {
    /// The id of the point, unique in the index.
    public var id: RecordKey
    /// The coordinate of the point; a point with an invalid coordinate is in no cluster.
    public var coordinate: Coordinate
    /// The value that the point adds to its clusters.
    public var value: Value

    /// Creates a point.
    public init(id: RecordKey, coordinate: Coordinate, value: Value) {
      self.id = id
      self.coordinate = coordinate
      self.value = value
    }
  }

  /// A cluster or a single point, displayed as one item at a zoom level.
  public struct Item: Sendable {
    /// The id of the leader, which is unique among the items of the zoom level.
    public let id: RecordKey
    /// The coordinate of the leader.
    public let coordinate: Coordinate
    /// The zoom level; for a single point, one more than ``ClusterOptions/maximumZoom``.
    public let zoom: Int
    /// The number of points that the item stands for.
    public let count: Int
    /// The combined value of these points.
    public let value: Value
  }

  private var tree: ClusterTree
  /// The least number of points that make a cluster.
  private let minimum: Int
  /// The function that combines values; nil if there are none.
  private let combine: (@Sendable (Value, Value) -> Value)?
  private var coordinates: [Coordinate] = []
  private var values: [Value] = []
  /// By slot, the combined value of all points below; for a point that begins a run, that of the
  /// run.
  private var sums: [Value] = []

  /// Creates an index without points.
  public init(
    _ options: ClusterOptions = ClusterOptions(),
    combining combine: @escaping @Sendable (Value, Value) -> Value
  ) {
    self.init(options, combine: combine)
  }

  /// Creates an index without points that combines no values: an item has the value of its leader.
  init(_ options: ClusterOptions, withoutValues: Void) {
    self.init(options, combine: nil)
  }

  private init(_ options: ClusterOptions, combine: (@Sendable (Value, Value) -> Value)?) {
    minimum = max(options.minimumPoints, 2)
    self.combine = combine
    tree = ClusterTree(options)
  }

  /// The number of points in the index.
  public var count: Int { tree.count }

  func contains(_ id: RecordKey) -> Bool { tree.slot(of: id) != nil }

  func point(of id: RecordKey) -> Point? {
    tree.slot(of: id).map { Point(id: id, coordinate: coordinates[$0], value: values[$0]) }
  }

  // MARK: Changes

  /// Adds points, moves points that are in the index, and removes others.
  ///
  /// If several points have the same id, the last one counts. A point that is both removed and
  /// added is added. Points with an invalid coordinate are removed.
  ///
  /// - Complexity: O(k · zoom levels) expected, k being the number of changes. If more than 64
  ///   points and more than a sixth of all points change, the index is built again. This is O(n log
  ///   n), n being the number of points.
  public mutating func update(_ points: [Point], removing removed: [RecordKey] = []) {
    let changes = points.count + removed.count
    // An update and a build cost the same at 15 to 20 % moved points, whether they move a little or
    // far.
    let isLarge = changes > 64 && changes * 6 > tree.count
    reserve(for: points.count)
    var change = Change()
    for id in removed {
      if let slot = tree.slot(of: id) { leave(slot, &change) }
    }
    if tree.count == 0 && isLarge {
      for index in Self.byRank(points) { put(points[index], &change) }
    } else {
      for point in points { put(point, &change) }
    }
    var freed = change.leaving
    freed += change.arriving.filter { tree.nodes[$0].marks.contains(.gone) }
    change.arriving.removeAll { tree.nodes[$0].marks.contains(.gone) }
    for slot in change.arriving { tree.nodes[slot].marks.remove(.arriving) }
    if isLarge {
      tree.build(tree.slots())
    } else {
      tree.update(removing: change.leaving, adding: change.arriving)
    }
    sumUp()
    tree.free(freed)
  }

  /// Returns the positions of points by rank; points of the same id stay in order.
  ///
  /// A build goes through the points of each level by rank. With the slots in this order it goes
  /// through memory in order, too.
  private static func byRank(_ points: [Point]) -> [Int] {
    var ranked = points.indices.map { (rank: points[$0].id.stableHash, index: $0) }
    ranked.sort { $0.rank != $1.rank ? $0.rank > $1.rank : $0.index < $1.index }
    return ranked.map(\.index)
  }

  /// The slots that an update changes.
  private struct Change {
    var leaving: [Int] = []
    var arriving: [Int] = []
  }

  /// Reserves memory for more points and an eighth to spare. Arrays that grow by themselves double.
  private mutating func reserve(for count: Int) {
    guard let capacity = tree.reserve(for: count) else { return }
    coordinates.reserveCapacity(capacity)
    values.reserveCapacity(capacity)
    if combine != nil { sums.reserveCapacity(capacity) }
  }

  private mutating func leave(_ slot: Int, _ change: inout Change) {
    if !tree.nodes[slot].marks.contains(.arriving) { change.leaving.append(slot) }
    tree.abandon(slot)
  }

  private mutating func put(_ point: Point, _ change: inout Change) {
    let old = tree.slot(of: point.id)
    guard point.coordinate.isValid else {
      if let old { leave(old, &change) }
      return
    }
    let position = WorldPoint(point.coordinate)
    if let old, tree.nodes[old].position == position {
      coordinates[old] = point.coordinate
      values[old] = point.value
      if combine != nil && !tree.nodes[old].marks.contains(.arriving) { tree.valueChanged(old) }
      return
    }
    if let old { leave(old, &change) }
    let slot = tree.occupy(point.id, position)
    tree.nodes[slot].marks.insert(.arriving)
    change.arriving.append(slot)
    if slot == values.count {
      coordinates.append(point.coordinate)
      values.append(point.value)
      if combine != nil { sums.append(point.value) }
    } else {
      coordinates[slot] = point.coordinate
      values[slot] = point.value
    }
  }

  // MARK: Items

  /// Returns the items of a zoom level with coordinates in a region, in order of priority.
  ///
  /// - Parameters:
  ///   - region: the region, such as the visible region. An invalid region has no items.
  ///   - zoom: a whole zoom level: 0 where the world is as wide as ``ClusterOptions/tileSize``.
  /// - Complexity: O(k log k), k being the number of items; independent of the number of points.
  public func items(in region: GeoRegion, zoom: Int) -> [Item] {
    guard let rect = WorldRect(region) else { return [] }
    return tree.places(in: rect, zoom: max(zoom, 0), minimum: minimum).map(item)
  }

  /// Returns the item that stands for a point at a zoom level; nil if there is no such point.
  public func item(of id: RecordKey, zoom: Int) -> Item? {
    place(of: id, zoom).map { place in
      // The points are too few to be a cluster.
      let isApart = tree.count(place) < minimum
      guard isApart, let slot = tree.slot(of: id) else { return item(place) }
      return item(ClusterPlace(slot: slot, zoom: tree.levels.sites))
    }
  }

  /// Returns the id of the item that stands for a point at a zoom level; nil if there is no such
  /// point.
  func leader(of id: RecordKey, zoom: Int) -> RecordKey? {
    place(of: id, zoom).map { tree.count($0) < minimum ? id : tree.ids[$0.slot] }
  }

  /// Returns the parts of an item at the zoom level where it first comes apart, its leader's part
  /// first.
  ///
  /// If the item has changed meanwhile, the result is for the item that stands for its leader at
  /// present.
  public func children(of item: Item) -> [Item] {
    place(of: item.id, item.zoom)
      .map { tree.children($0, minimum: minimum).map(self.item) } ?? []
  }

  /// Returns the points that an item stands for, in an order that depends only on the set of
  /// points.
  ///
  /// - Parameters:
  ///   - item: an item that ``items(in:zoom:)`` returned.
  ///   - offset: the number of points to skip.
  ///   - limit: the maximum number of points to return.
  /// - Complexity: O(limit + zoom levels) expected, and O(offset) in a stack of points at one
  ///   place.
  public func leaves(of item: Item, from offset: Int = 0, limit: Int = .max) -> [RecordKey] {
    guard let place = place(of: item.id, item.zoom) else { return [] }
    return tree.leaves(place, from: offset, limit: limit).map { tree.ids[$0] }
  }

  /// Returns the least zoom level at which an item comes apart.
  ///
  /// The result is nil for a single point. Points at one place, or at nearly one place, come apart
  /// one level beyond ``ClusterOptions/maximumZoom``, where all points are displayed by themselves:
  /// see ``SpiderLayout``.
  ///
  /// - Complexity: O(k), k being the number of points that have joined the item's leader.
  public func expansionZoom(of item: Item) -> Int? {
    place(of: item.id, item.zoom).flatMap(tree.expansionZoom)
  }

  private func place(of id: RecordKey, _ zoom: Int) -> ClusterPlace? {
    tree.slot(of: id).map { tree.place(of: $0, zoom: max(zoom, 0)) }
  }

  private func item(_ place: ClusterPlace) -> Item {
    let count = tree.count(place)
    return Item(
      id: tree.ids[place.slot], coordinate: coordinates[place.slot],
      zoom: count == 1 ? tree.levels.sites : place.zoom, count: count, value: value(place))
  }

  // MARK: Values

  /// Returns the combined value of an item's points.
  private func value(_ place: ClusterPlace) -> Value {
    guard let combine, place.zoom <= tree.levels.maximum else { return values[place.slot] }
    if Int(tree.nodes[place.slot].top) == place.zoom { return sums[place.slot] }
    return sum(place, combine)
  }

  private func sum(_ place: ClusterPlace, _ combine: (Value, Value) -> Value) -> Value {
    var sum = values[place.slot]
    if let stack = tree.stack(place.slot) {
      sum = run(from: 0, of: stack.members, place.slot, combine)
      for member in stack.runs where Int(member) != place.slot {
        sum = combine(sum, sums[Int(member)])
      }
    }
    for member in tree.members(of: place) { sum = combine(sum, sums[member]) }
    return sum
  }

  /// Returns the combined value of a run: the points from `start` on, before the next run begins.
  private func run(
    from start: Int, of members: [Int32], _ first: Int, _ combine: (Value, Value) -> Value
  ) -> Value {
    var sum = values[first]
    for member in members.dropFirst(start + 1) {
      if ClusterStack.beginsRun(tree.nodes[Int(member)].rank) { break }
      sum = combine(sum, values[Int(member)])
    }
    return sum
  }

  /// Computes the sums that a change has touched again, each after the sums that it depends on.
  private mutating func sumUp() {
    let stale = tree.takeStale()
    guard let combine else { return }
    for slot in stale {
      let node = tree.nodes[slot]
      if Int(node.top) == tree.levels.none {
        guard let leader = tree.siteLeader(at: node.position) else { continue }
        let members = tree.members(leader)
        sums[slot] = run(from: tree.position(of: slot, in: members), of: members, slot, combine)
      } else {
        sums[slot] = sum(ClusterPlace(slot: slot, zoom: Int(node.top)), combine)
      }
    }
  }
}

extension ClusterIndex where Value == Void {
  /// Creates an index without points, whose clusters have no value.
  public init(_ options: ClusterOptions = ClusterOptions()) {
    self.init(options, withoutValues: ())
  }
}

extension ClusterIndex.Point where Value == Void {
  /// Creates a point.
  public init(id: RecordKey, coordinate: Coordinate) {
    self.init(id: id, coordinate: coordinate, value: ())
  }
}

extension ClusterIndex.Item: Equatable where Value: Equatable {}
extension ClusterIndex.Item: Hashable where Value: Hashable {}
extension ClusterIndex.Point: Equatable where Value: Equatable {}
