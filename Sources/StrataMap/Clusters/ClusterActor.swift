package import Strata

/// An actor that keeps the clusters of a registry off the main actor.
///
/// A request has batches of changes, the present view of the map, and the displayed items. The
/// answer says which items are to be displayed differently. The actor does not know how an answer
/// is used: the next request says which items are displayed.
package actor ClusterActor {
  typealias Index = ClusterIndex<[Double]>

  /// Batches of changes, with the view of the map.
  package struct Request: Sendable {
    /// A number that counts the requests with a new view. An answer to an older view is dropped.
    package var generation: UInt64
    /// The version of the registry's elements when the changes were taken.
    package var version: UInt64
    /// The batches in the order of their changes.
    var batches: [Batch]
    var region: GeoRegion
    var zoom: Int
    var displayed: [RecordKey: Index.Item]
  }

  /// The new annotations of some ids, nil for ids that are gone or withheld.
  enum Batch: Sendable {
    case some([RecordKey: SurfaceAnnotation?])
    case many(WantedElements)

    func forEach(_ body: (RecordKey, SurfaceAnnotation?) -> Void) {
      switch self {
      case .some(let changes):
        for (id, annotation) in changes { body(id, annotation) }
      case .many(let elements):
        for part in elements.parts {
          for (id, annotation) in part { body(id, annotation) }
        }
      }
    }
  }

  /// A group of annotations that are clustered with each other.
  private struct Group: Hashable, Sendable {
    /// The name of the group; nil for annotations that are never clustered.
    let name: String?
  }

  /// The items to display differently, in parts that fit into a turn of the main actor.
  package struct Answer: Sendable {
    package let generation: UInt64
    package let version: UInt64
    fileprivate(set) var parts: [[Difference]] = []

    fileprivate mutating func append(_ difference: Difference) {
      if parts.last?.count ?? 64 == 64 { parts.append([]) }
      parts[parts.count - 1].append(difference)
    }
  }

  enum Difference: Sendable {
    /// The id is no longer displayed.
    case gone(RecordKey)
    /// The id is displayed as a new or changed item, in a group.
    case shown(Index.Item, in: String?)
    /// The item is displayed as before, and its annotation may look different.
    case changed(RecordKey)

    var id: RecordKey {
      switch self {
      case .gone(let id), .changed(let id): id
      case .shown(let item, in: _): item.id
      }
    }
  }

  private let options: ClusterOptions
  private let combinations: [ClusterValues.Combination]
  private var indexes: [Group: Index] = [:]

  package init(_ options: ClusterOptions, _ combinations: [ClusterValues.Combination]) {
    self.options = options
    self.combinations = combinations
  }

  package func update(_ request: Request) -> Answer {
    var changed: Set<RecordKey> = []
    for batch in request.batches { apply(batch, request.displayed, &changed) }
    var answer = Answer(generation: request.generation, version: request.version)
    var seen: Set<RecordKey> = []
    var shown: [Difference] = []
    for (group, index) in indexes {
      for item in index.items(in: request.region, zoom: request.zoom) {
        seen.insert(item.id)
        let old = request.displayed[item.id]
        // A cluster that looks the same at its new zoom level is reported, too: the cluster of the
        // old level may change.
        if old?.looks(like: item) != true || item.count > 1 && old?.zoom != item.zoom {
          shown.append(.shown(item, in: group.name))
        } else if changed.contains(item.id) {
          shown.append(.changed(item.id))
        }
      }
    }
    for id in request.displayed.keys where !seen.contains(id) { answer.append(.gone(id)) }
    for difference in shown { answer.append(difference) }
    return answer
  }

  /// - Parameter changed: collects the displayed ids that the batch names.
  private func apply(
    _ batch: Batch, _ displayed: [RecordKey: Index.Item], _ changed: inout Set<RecordKey>
  ) {
    var removed: [Group: [RecordKey]] = [:]
    var put: [Group: [Index.Point]] = [:]
    batch.forEach { id, annotation in
      let group = annotation.map { Group(name: $0.clusterGroup) }
      if let old = self.group(of: id), old != group { removed[old, default: []].append(id) }
      if displayed[id] != nil { changed.insert(id) }
      guard let group, let annotation else { return }
      let point = Index.Point(
        id: id, coordinate: annotation.coordinate, value: annotation.values)
      if indexes[group]?.point(of: id) != point { put[group, default: []].append(point) }
    }
    for group in Set(removed.keys).union(put.keys) {
      // Taken out of the dictionary, so that the index is not copied.
      var index = indexes.removeValue(forKey: group) ?? emptyIndex(group)
      index.update(put[group] ?? [], removing: removed[group] ?? [])
      if index.count > 0 { indexes[group] = index }
    }
  }

  private func group(of id: RecordKey) -> Group? {
    indexes.first { $0.value.contains(id) }?.key
  }

  private func emptyIndex(_ group: Group) -> Index {
    var options = options
    if group.name == nil { options.minimumPoints = .max }
    let combinations = combinations
    if combinations.isEmpty { return Index(options, withoutValues: ()) }
    return Index(options) { ClusterValues.combine(combinations, $0, $1) }
  }

  package func clear() { indexes = [:] }

  // MARK: Questions

  private func index(of id: RecordKey) -> Index? {
    indexes.values.first { $0.contains(id) }
  }

  /// Returns the ids of the elements that an annotation at a zoom level stands for.
  package func leaves(of id: RecordKey, zoom: Int, from offset: Int, limit: Int) -> [RecordKey] {
    guard let index = index(of: id), let item = index.item(of: id, zoom: zoom) else { return [] }
    return index.leaves(of: item, from: offset, limit: limit)
  }

  /// Returns the least zoom level at which a cluster comes apart.
  package func expansionZoom(of id: RecordKey, zoom: Int) -> Int? {
    guard let index = index(of: id), let item = index.item(of: id, zoom: zoom) else { return nil }
    return index.expansionZoom(of: item)
  }

  /// Returns the ids of an annotation's leaders at each zoom level from 0 to where it leads itself.
  package func leaders(of id: RecordKey) -> [RecordKey] {
    guard let index = index(of: id) else { return [] }
    let leaders = (0...31).lazy.compactMap { index.leader(of: id, zoom: $0) }
    return Array(leaders.prefix { $0 != id })
  }

  /// Returns the least zoom level at which an annotation is displayed by itself.
  package func zoomAlone(_ id: RecordKey) -> Int? {
    guard let index = index(of: id) else { return nil }
    // A cluster of a finer level is a part of a cluster of a coarser level.
    return (0...31).first { index.item(of: id, zoom: $0)?.count == 1 }
  }
}

extension ClusterIndex.Item where Value: Equatable {
  /// Returns whether two items look the same.
  ///
  /// The zoom level does not count: a cluster with the same number of points looks the same at all
  /// levels.
  fileprivate func looks(like other: Self) -> Bool {
    id == other.id && count == other.count && coordinate == other.coordinate
      && value == other.value
  }
}
