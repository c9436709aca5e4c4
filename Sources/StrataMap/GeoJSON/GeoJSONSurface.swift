internal import Foundation
internal import Strata

/// A surface for a map in a browser, which turns operations into differences of a GeoJSON source.
///
///     let surface = GeoJSONSurface()
///     let registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: surface)
///     surface.onChange = { [weak surface] in
///       // After the slice.
///       Task { if let difference = surface?.take() { send(difference.json) } }
///     }
///
/// The operations between two calls of ``take(limit:)`` become a single minimal difference. An
/// annotation that was added and removed is not in it, and an annotation that moved ten times is
/// moved once. A page that connects begins with ``featureCollection`` and applies every difference
/// that is taken after it.
///
/// A difference of many annotations can be taken in pieces, so that neither the main actor nor the
/// page is busy for long. Take the next piece when the page has drawn the last, until there is none.
///
/// While the registry's gate is closed, ``take(limit:)`` returns nil, even for operations before
/// the closing. When the gate opens, ``onChange`` is called again.
///
/// ```swift
/// let surface = GeoJSONSurface()
/// let registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: surface)
/// await registry.drain()
/// send(surface.featureCollection)  // a page that connects
/// if let difference = surface.take() { send(difference.json) }  // later
/// ```
@MainActor public final class GeoJSONSurface: AnnotationSurface {
  private var shown = ShardedTable<SurfaceAnnotation>()
  /// The changed annotations as the pages have them; nil if they have none.
  private var changed = ShardedTable<SurfaceAnnotation?>()
  /// Whether the gate is closed.
  private var isHeld = false

  /// Called when an operation makes the first change to take, before the rest of its slice.
  ///
  /// It is also called when it is set and when the gate opens, if there is a difference to take. It
  /// is not called for changes that a ``take(limit:)`` has left.
  public var onChange: @MainActor () -> Void = {} {
    didSet { reportIfChanged() }
  }

  /// Creates a surface without annotations.
  public init() {}

  /// Records one operation.
  public func apply(_ operation: AnnotationOperation) {
    let wasUnchanged = changed.isEmpty
    let id = operation.id
    let old = shown[id]
    switch operation {
    case .add(let annotation), .restyle(let annotation): shown[id] = annotation
    case .move(_, to: let coordinate): shown.change(id) { $0.coordinate = coordinate }
    case .remove: shown[id] = nil
    }
    let taken = changed[id] ?? old
    changed[id] = Self.isSameFeature(taken, shown[id]) ? nil : .some(taken)
    if wasUnchanged && !changed.isEmpty { onChange() }
  }

  /// Returns whether two annotations of one id are the same GeoJSON feature.
  private static func isSameFeature(_ a: SurfaceAnnotation?, _ b: SurfaceAnnotation?) -> Bool {
    switch (a, b) {
    case (nil, nil): true
    case (nil, _?), (_?, nil): false
    case (let a?, let b?): a.looks(like: b) && a.cluster?.zoom == b.cluster?.zoom
    }
  }

  /// Holds differences back while the gate is closed.
  public func gateDidChange(isOpen: Bool) {
    isHeld = !isOpen
    reportIfChanged()
  }

  private func reportIfChanged() {
    if !changed.isEmpty && !isHeld { onChange() }
  }

  /// Returns the changes since the last call; nil if there are none, or if the gate is closed.
  ///
  /// - Parameter limit: The maximum number of changed annotations; positive. The next calls return
  ///   the changes beyond it. Between these calls the pages have a part of the changes.
  /// - Complexity: O(n), n being the number of returned changes.
  public func take(limit: Int = .max) -> GeoJSONDifference? {
    precondition(limit > 0, "a difference has at least one change")
    if isHeld { return nil }
    var difference = GeoJSONDifference()
    for (id, old) in changed.popFirst(limit) { difference.note(from: old, to: shown[id]) }
    return difference.isEmpty ? nil : difference
  }

  /// All features that the pages have after the last ``take(limit:)``: a GeoJSON
  /// `FeatureCollection` in UTF-8.
  ///
  /// - Complexity: O(n log n), n being the number of annotations.
  public var featureCollection: [UInt8] {
    var annotations = changed.values.compactMap(\.value)
    for (id, annotation) in shown.values where changed[id] == nil {
      annotations.append(annotation)
    }
    let features = annotations.sorted { $0.id < $1.id }.map(GeoJSONFeature.init)
    return GeoJSONEncoding.bytes(GeoJSONFeature.Collection(features: features))
  }
}
