internal import Strata

/// The changes of a GeoJSON source, in the form that MapLibre's `GeoJSONSource.updateData` takes.
///
///     {"remove": [7], "add": [{"type": "Feature", "id": 8, …}], "update": [{"id": 9,
///      "newGeometry": {…}, "addOrUpdateProperties": [{"key": …, "value": …}]}]}
///
/// Features have the properties `id`, `title`, `subtitle`, `style`, `priority` and `values`,
/// without empty properties. Clusters also have `cluster`, `point_count` and `zoom`. An id that is
/// an integer of at most 53 bits is a number. Any other id is a string: a UUID in its usual form,
/// other bytes in hexadecimal. MapLibre keeps only numbers as ids of drawn features, so give the
/// source `promoteId: "id"`.
///
/// ```swift
/// let surface = GeoJSONSurface()
/// if let difference = surface.take() {
///   print(difference.addedCount, difference.updatedCount, difference.removedCount)
///   send(difference.json)
/// }
/// ```
public struct GeoJSONDifference: Sendable, Encodable {
  private var changes: [Change] = []
  /// The number of added features.
  public private(set) var addedCount = 0
  /// The number of updated features.
  public private(set) var updatedCount = 0
  /// The number of removed features.
  public private(set) var removedCount = 0

  /// The annotation that a page has, and the annotation that it should have; nil for none.
  private struct Change: Sendable {
    let old: SurfaceAnnotation?
    let new: SurfaceAnnotation?

    /// The id of the annotation.
    var id: RecordKey {
      guard let id = (old ?? new)?.id else { fatalError("a change without an annotation") }
      return id
    }
  }

  struct Update: Sendable, Encodable {
    let id: GeoJSONID
    var newGeometry: GeoJSONFeature.Geometry?
    var removeProperties: [String]?
    var addOrUpdateProperties: [Property]?
  }

  struct Property: Sendable, Encodable {
    let key: String
    let value: GeoJSONValue
  }

  /// Whether the difference has no changes.
  public var isEmpty: Bool { changes.isEmpty }

  /// The difference as JSON, in UTF-8.
  ///
  /// The features are made here and not by ``GeoJSONSurface/take(limit:)``, so encode a large
  /// difference away from the main actor.
  ///
  /// - Complexity: O(n log n), n being the number of changes.
  public var json: [UInt8] { GeoJSONEncoding.bytes(self) }

  /// Adds the difference between two annotations; nil means that there is no annotation.
  mutating func note(from old: SurfaceAnnotation?, to new: SurfaceAnnotation?) {
    switch (old, new) {
    case (nil, nil): return
    case (nil, .some): addedCount += 1
    case (.some, nil): removedCount += 1
    case (.some, .some): updatedCount += 1
    }
    changes.append(Change(old: old, new: new))
  }

  private enum CodingKeys: CodingKey { case add, remove, update }

  /// Encodes the difference, with its changes by id.
  ///
  /// - Throws: the errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var added: [GeoJSONFeature] = []
    var removed: [GeoJSONID] = []
    var updates: [Update] = []
    for change in changes.sorted(by: { $0.id < $1.id }) {
      switch (change.old, change.new) {
      case (nil, nil): break
      case (nil, let new?): added.append(GeoJSONFeature(new))
      case (let old?, nil): removed.append(GeoJSONID(old.id))
      case (let old?, let new?): updates.append(Update(GeoJSONFeature(old), GeoJSONFeature(new)))
      }
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(removed, forKey: .remove)
    try container.encode(added, forKey: .add)
    try container.encode(updates, forKey: .update)
  }
}

extension GeoJSONDifference.Update {
  fileprivate init(_ old: GeoJSONFeature, _ new: GeoJSONFeature) {
    id = new.id
    if old.geometry != new.geometry { newGeometry = new.geometry }
    let gone = old.properties.keys.filter { new.properties[$0] == nil }.sorted()
    if !gone.isEmpty { removeProperties = gone }
    let set = new.properties.filter { old.properties[$0.key] != $0.value }
    if !set.isEmpty {
      addOrUpdateProperties = set.sorted { $0.key < $1.key }
        .map { GeoJSONDifference.Property(key: $0.key, value: $0.value) }
    }
  }
}
