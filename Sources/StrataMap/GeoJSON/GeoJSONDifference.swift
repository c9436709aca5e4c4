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
  var remove: [GeoJSONID] = []
  var add: [GeoJSONFeature] = []
  var update: [Update] = []

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

  /// The number of added features.
  public var addedCount: Int { add.count }
  /// The number of updated features.
  public var updatedCount: Int { update.count }
  /// The number of removed features.
  public var removedCount: Int { remove.count }

  /// Whether the difference has no changes.
  public var isEmpty: Bool { remove.isEmpty && add.isEmpty && update.isEmpty }

  /// The difference as JSON, in UTF-8.
  public var json: [UInt8] { GeoJSONEncoding.bytes(self) }

  /// Adds the difference between two annotations; nil means that there is no annotation.
  mutating func note(from old: SurfaceAnnotation?, to new: SurfaceAnnotation?) {
    switch (old, new) {
    case (nil, nil): break
    case (nil, let new?): add.append(GeoJSONFeature(new))
    case (let old?, nil): remove.append(GeoJSONID(old.id))
    case (let old?, let new?): note(from: GeoJSONFeature(old), to: GeoJSONFeature(new))
    }
  }

  private mutating func note(from old: GeoJSONFeature, to new: GeoJSONFeature) {
    if old == new { return }
    var update = Update(id: new.id)
    if old.geometry != new.geometry { update.newGeometry = new.geometry }
    let gone = old.properties.keys.filter { new.properties[$0] == nil }.sorted()
    if !gone.isEmpty { update.removeProperties = gone }
    let set = new.properties.filter { old.properties[$0.key] != $0.value }
    if !set.isEmpty {
      update.addOrUpdateProperties = set.sorted { $0.key < $1.key }
        .map { Property(key: $0.key, value: $0.value) }
    }
    self.update.append(update)
  }
}
