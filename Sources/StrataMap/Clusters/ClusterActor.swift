package import Strata

/// Keeps the clusters of a registry off the main actor.
///
/// It is told of changes in batches, each with the view that the map has then, and answers with
/// what is to be displayed differently. It knows nothing of what becomes of an answer: the next
/// batch says what is displayed.
package actor ClusterActor {
  typealias Index = ClusterIndex<[Double]>

  /// What one batch changes, and what the map shows.
  package struct Request: Sendable {
    /// Counts requests whose view differs: answers to older ones are dropped.
    package var generation: UInt64
    /// What the registry's elements were when the changes were taken.
    package var version: UInt64
    /// In the order in which they happened.
    var batches: [Batch]
    var region: GeoRegion
    var zoom: Int
    var displayed: [RecordKey: Index.Item]
  }

  /// The new states of some annotations, nil for those that are gone or withheld.
  enum Batch: Sendable {
    case some([RecordKey: Annotation?])
    case many(WantedElements)

    func forEach(_ body: (RecordKey, Annotation?) -> Void) {
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

  /// Annotations that are clustered with each other.
  private struct Group: Hashable, Sendable {
    /// Nil for those that stay alone.
    let name: String?
  }

  /// What is to be displayed differently, in parts that a turn of the main actor can take.
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
    /// It is displayed no more.
    case gone(RecordKey)
    /// It is displayed as one that it was not, in a group.
    case shown(Index.Item, in: String?)
    /// It is displayed as it was, and may look different.
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
        // A cluster that stays is told all the same: what it was made of at its old level may
        // change.
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

  /// - Parameter changed: the displayed ids that are told of.
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
      // Taken out of the dictionary, so that it is not copied.
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

  /// The ids of what stands for an annotation at every zoom level from 0, to where it is by itself.
  package func leaders(of id: RecordKey) -> [RecordKey] {
    guard let index = index(of: id) else { return [] }
    let leaders = (0...31).lazy.compactMap { index.leader(of: id, zoom: $0) }
    return Array(leaders.prefix { $0 != id })
  }

  /// The least zoom level at which an annotation is displayed by itself.
  package func zoomAlone(_ id: RecordKey) -> Int? {
    guard let index = index(of: id) else { return nil }
    // A cluster of a finer level is a part of one of a coarser one.
    return (0...31).first { index.item(of: id, zoom: $0)?.count == 1 }
  }
}

extension ClusterIndex.Item where Value: Equatable {
  /// Whether nobody can tell two items apart. The zoom level does not count: a cluster of as many
  /// points is the same at all levels.
  fileprivate func looks(like other: Self) -> Bool {
    id == other.id && count == other.count && coordinate == other.coordinate
      && value == other.value
  }
}
