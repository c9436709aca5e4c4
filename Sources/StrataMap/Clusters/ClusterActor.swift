package import Strata

/// Keeps the clusters of a registry off the main actor.
///
/// It is told of changes in batches, each with the view that the map has then, and answers with what
/// is to be displayed differently. It knows nothing of what becomes of an answer: the next batch
/// says what is displayed.
package actor ClusterActor {
  typealias Index = ClusterIndex<[Double]>

  /// What one batch changes, and what the map shows.
  package struct Request: Sendable {
    /// Counts requests whose view differs: answers to older ones are dropped.
    package var generation: UInt64
    /// What the registry's elements were when the changes were taken.
    package var version: UInt64
    var changes: [RecordKey: Change]
    var region: GeoRegion
    var zoom: Int
    var displayed: [RecordKey: Index.Item]
  }

  /// The new state of one annotation.
  struct Change: Sendable {
    /// The group that it was clustered in when the last batch was taken; nil if it was not there.
    var oldGroup: Group?
    var annotation: Annotation?
  }

  /// Annotations that are clustered with each other.
  struct Group: Hashable, Sendable {
    /// Nil for those that stay alone.
    let name: String?
  }

  /// What is to be displayed differently.
  package struct Answer: Sendable {
    package let generation: UInt64
    package let version: UInt64
    let removed: [RecordKey]
    let shown: [Index.Item]
  }

  private let options: ClusterOptions
  private let combinations: [ClusterValues.Combination]
  private var indexes: [Group: Index] = [:]

  package init(_ options: ClusterOptions, _ combinations: [ClusterValues.Combination]) {
    self.options = options
    self.combinations = combinations
  }

  package func update(_ request: Request) -> Answer {
    apply(request.changes)
    var shown: [Index.Item] = []
    var seen: Set<RecordKey> = []
    for index in indexes.values {
      for item in index.items(in: request.region, zoom: request.zoom) {
        seen.insert(item.id)
        if request.displayed[item.id] != item { shown.append(item) }
      }
    }
    let removed = request.displayed.keys.filter { !seen.contains($0) }
    return Answer(
      generation: request.generation, version: request.version, removed: removed, shown: shown)
  }

  private func apply(_ changes: [RecordKey: Change]) {
    var removed: [Group: [RecordKey]] = [:]
    var put: [Group: [Index.Point]] = [:]
    for (id, change) in changes {
      let group = change.annotation.map { Group(name: $0.clusterGroup) }
      if let old = change.oldGroup, old != group { removed[old, default: []].append(id) }
      if let group, let annotation = change.annotation {
        put[group, default: []].append(
          Index.Point(id: id, coordinate: annotation.coordinate, value: annotation.values))
      }
    }
    for group in Set(removed.keys).union(put.keys) {
      // Taken out of the dictionary, so that it is not copied.
      var index = indexes.removeValue(forKey: group) ?? emptyIndex(group)
      index.update(put[group] ?? [], removing: removed[group] ?? [])
      if index.count > 0 { indexes[group] = index }
    }
  }

  private func emptyIndex(_ group: Group) -> Index {
    var options = options
    if group.name == nil { options.minimumPoints = .max }
    let combinations = combinations
    if combinations.isEmpty { return Index(options, withoutValues: ()) }
    return Index(options) { ClusterValues.combine(combinations, $0, $1) }
  }

  // MARK: Questions

  private func index(of id: RecordKey) -> Index? {
    indexes.values.first { $0.item(of: id, zoom: 0) != nil }
  }

  /// The ids of what an annotation of a zoom level stands for.
  package func leaves(of id: RecordKey, zoom: Int, from offset: Int, limit: Int) -> [RecordKey] {
    guard let index = index(of: id), let item = index.item(of: id, zoom: zoom) else { return [] }
    return index.leaves(of: item, from: offset, limit: limit)
  }

  /// The least zoom level at which it comes apart.
  package func expansionZoom(of id: RecordKey, zoom: Int) -> Int? {
    guard let index = index(of: id), let item = index.item(of: id, zoom: zoom) else { return nil }
    return index.expansionZoom(of: item)
  }

  /// The least zoom level at which an annotation is displayed by itself.
  package func zoomAlone(_ id: RecordKey) -> Int? {
    guard let index = index(of: id) else { return nil }
    // A cluster of a finer level is a part of one of a coarser one.
    return (0...31).first { index.item(of: id, zoom: $0)?.count == 1 }
  }
}
