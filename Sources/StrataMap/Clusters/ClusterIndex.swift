public import Strata

/// Clusters of a set of points at every zoom level of a map, kept up to date with every change.
///
///     var index = ClusterIndex<Int>(combining: +)
///     index.update([ClusterIndex.Point(id: key, coordinate: place, value: 1)])
///     let items = index.items(in: region, zoom: 4)
///
/// What is displayed depends on the set of points alone, not on the order in which they came: an
/// index that took 10,000 changes equals one that was built at once. A cluster is drawn at one of
/// its points, its *leader*, and has its id, so that it is the same cluster after most changes. At
/// a whole zoom level no two items are nearer to each other than ``ClusterOptions/radius``, if
/// ``ClusterOptions/minimumPoints`` is 2. Longitude has no end: points at 179.99 and -179.99
/// degrees are neighbours. What lies beyond 85.05 degrees of latitude is taken for what lies there.
///
/// Each point has a value, and each cluster that of its points, combined. The function that
/// combines two values must not care about order and grouping: sums, least and greatest values,
/// counts by kind. (Sums of floating-point numbers do care a little; they are taken in an order
/// that depends on the set of points alone, so equal sets have equal sums.)
///
/// One change costs O(zoom levels) expected, whatever the number of points.
public struct ClusterIndex<Value: Sendable>: Sendable {
  /// A point to be clustered.
  public struct Point: Sendable {
    /// What it is, in the index once.
    public var id: RecordKey
    /// Where it is; a point whose coordinate is invalid is in no cluster.
    public var coordinate: Coordinate
    /// What it adds to the values of its clusters.
    public var value: Value

    /// Creates a point.
    public init(id: RecordKey, coordinate: Coordinate, value: Value) {
      self.id = id
      self.coordinate = coordinate
      self.value = value
    }
  }

  /// What is displayed as one at a zoom level: a cluster, or a point by itself.
  public struct Item: Sendable {
    /// The id of the leader, which no other item of the zoom level has.
    public let id: RecordKey
    /// Where the leader is.
    public let coordinate: Coordinate
    /// The zoom level; for a point by itself one more than ``ClusterOptions/maximumZoom``.
    public let zoom: Int
    /// How many points it stands for.
    public let count: Int
    /// The values of these points, combined.
    public let value: Value
  }

  private var tree: ClusterTree
  /// How many points make a cluster.
  private let minimum: Int
  /// Nil if there are no values.
  private let combine: (@Sendable (Value, Value) -> Value)?
  private var coordinates: [Coordinate] = []
  private var values: [Value] = []
  /// By slot, the values of everything below; of a run that begins in a stack, those of the run.
  private var sums: [Value] = []

  /// Creates an index without points.
  public init(
    _ options: ClusterOptions = ClusterOptions(),
    combining combine: @escaping @Sendable (Value, Value) -> Value
  ) {
    self.init(options, combine: combine)
  }

  /// Creates an index without points that combines nothing: an item has the value of its leader.
  init(_ options: ClusterOptions, withoutValues: Void) {
    self.init(options, combine: nil)
  }

  private init(_ options: ClusterOptions, combine: (@Sendable (Value, Value) -> Value)?) {
    minimum = max(options.minimumPoints, 2)
    self.combine = combine
    tree = ClusterTree(options)
  }

  /// How many points are clustered.
  public var count: Int { tree.count }

  func contains(_ id: RecordKey) -> Bool { tree.slot(of: id) != nil }

  func point(of id: RecordKey) -> Point? {
    tree.slot(of: id).map { Point(id: id, coordinate: coordinates[$0], value: values[$0]) }
  }

  // MARK: Changes

  /// Puts points in, moves those that are there, and takes others out.
  ///
  /// Of several points with one id the last one counts, and what is removed as well as put in is
  /// put in. Points with an invalid coordinate are taken out.
  ///
  /// - Complexity: O(k · zoom levels) expected, k being the number of changes; everything is built
  ///   anew if more than a sixth changes, which is O(n log n), n being the number of points.
  public mutating func update(_ points: [Point], removing removed: [RecordKey] = []) {
    let changes = points.count + removed.count
    // Where both cost the same: between 15 and 20 % moved points, a little or far.
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

  /// The places of points by rank, those of one id in order.
  ///
  /// A build goes through the points of each level by rank: with slots in that order it goes
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

  /// Makes room for more points, with an eighth to spare: arrays that grow by themselves double.
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

  // MARK: What is displayed

  /// The items of a zoom level whose place is in a region, those of highest priority first.
  ///
  /// - Parameters:
  ///   - region: what is looked at.
  ///   - zoom: a whole zoom level, 0 being that at which the world is as wide as
  ///     ``ClusterOptions/tileSize``.
  /// - Complexity: O(k log k), k being the number of items; independent of the number of points.
  public func items(in region: GeoRegion, zoom: Int) -> [Item] {
    guard let rect = WorldRect(region) else { return [] }
    return tree.places(in: rect, zoom: max(zoom, 0), minimum: minimum).map(item)
  }

  /// The item that stands for a point at a zoom level; nil if there is no such point.
  public func item(of id: RecordKey, zoom: Int) -> Item? {
    place(of: id, zoom).map { place in
      // Too few to be a cluster.
      let isApart = tree.count(place) < minimum
      guard isApart, let slot = tree.slot(of: id) else { return item(place) }
      return item(ClusterPlace(slot: slot, zoom: tree.levels.sites))
    }
  }

  /// The id of the item that stands for a point at a zoom level; nil if there is no such point.
  func leader(of id: RecordKey, zoom: Int) -> RecordKey? {
    place(of: id, zoom).map { tree.count($0) < minimum ? id : tree.ids[$0.slot] }
  }

  /// What an item is made of when it first comes apart, its leader's part first.
  ///
  /// If it is made of an item that has changed meanwhile, the answer is for the one that stands for
  /// its leader now.
  public func children(of item: Item) -> [Item] {
    place(of: item.id, item.zoom)
      .map { tree.children($0, minimum: minimum).map(self.item) } ?? []
  }

  /// The points that an item stands for, in an order that depends on the set of points alone.
  ///
  /// - Parameters:
  ///   - item: one of those that ``items(in:zoom:)`` returned.
  ///   - offset: how many to pass over.
  ///   - limit: how many to return at most.
  /// - Complexity: O(limit + zoom levels) expected, and O(offset) in a stack of points at one
  ///   place.
  public func leaves(of item: Item, from offset: Int = 0, limit: Int = .max) -> [RecordKey] {
    guard let place = place(of: item.id, item.zoom) else { return [] }
    return tree.leaves(place, from: offset, limit: limit).map { tree.ids[$0] }
  }

  /// The least zoom level at which an item comes apart; nil if it never does, because it is one
  /// point or all of its points are at one place.
  ///
  /// - Complexity: O(k), k being the number of its points if they are all at nearly one place.
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

  /// The values of an item's points, combined.
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

  /// The values of a stack's points from one to the last before the next run.
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

  /// Makes the sums anew that a change has touched, the lower ones first.
  private mutating func sumUp() {
    let stale = tree.takeStale()
    guard let combine else { return }
    for slot in stale {
      let node = tree.nodes[slot]
      if Int(node.top) == tree.levels.none {
        guard let leader = tree.siteLeader(at: node.position) else { continue }
        let members = tree.members(leader)
        sums[slot] = run(from: tree.place(of: slot, in: members), of: members, slot, combine)
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
