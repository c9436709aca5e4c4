import Foundation
import Strata
import StrataImport

/// Imports feeds into the store, away from the main actor.
///
/// The scratch context belongs to the worker: no other code compiles that touches it.
actor Worker {
  private let scratch: ScratchContext

  init(_ stack: Stack) { scratch = stack.makeScratch() }

  /// Makes the store equal to a feed: inserts new features, updates changed ones, deletes absent
  /// ones.
  func refresh(
    from source: JSONSource, monitor: ImportMonitor? = nil
  ) async throws -> ImportResult {
    try await scratch.importJSON(
      Quake.self, from: source, as: .featureCollection, mapping: Quake.json, absent: .delete,
      monitor: monitor)
  }
}

/// A later edition of a feed, with a few revised, moved and withdrawn features.
///
/// All other features are unchanged.
struct EditedFeed {
  let revised: [Quake]
  let moved: [Quake]
  let withdrawn: [Quake]
  let json: Data

  init(_ quakes: [Quake]) throws {
    let pinned = quakes.filter { $0.latitude != nil && $0.longitude != nil }
    revised = Array(pinned.prefix(4))
    moved = Array(pinned.dropFirst(4).prefix(3))
    withdrawn = Array(pinned.dropFirst(7).prefix(2))
    let edits = Dictionary(
      uniqueKeysWithValues: revised.map { ($0.id, \Quake.revised) }
        + moved.map { ($0.id, \Quake.moved) })
    let gone = Set(withdrawn.map(\.id))
    let features = quakes.filter { !gone.contains($0.id) }.map { quake in
      (edits[quake.id].map { quake[keyPath: $0] } ?? quake).feature
    }
    json = try JSONSerialization.data(
      withJSONObject: ["type": "FeatureCollection", "features": features])
  }
}

extension Quake {
  fileprivate var revised: Quake {
    var copy = self
    copy.magnitude = (magnitude ?? 0) + 0.3
    return copy
  }

  fileprivate var moved: Quake {
    var copy = self
    copy.latitude = latitude.map { $0 > 0 ? $0 - 20 : $0 + 20 }
    return copy
  }

  /// The quake as GeoJSON.
  fileprivate var feature: [String: Any] {
    var geometry: [String: Any]?
    if let latitude, let longitude {
      geometry = ["type": "Point", "coordinates": [longitude, latitude]]
    }
    return [
      "type": "Feature", "id": id, "geometry": geometry ?? NSNull(),
      "properties": [
        "mag": magnitude ?? NSNull(), "place": place ?? NSNull(),
        "time": time?.milliseconds ?? NSNull(),
      ] as [String: Any],
    ]
  }
}
