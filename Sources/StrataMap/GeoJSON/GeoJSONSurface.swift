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
/// The operations between two calls of ``take()`` become a single minimal difference. An annotation
/// that was added and removed is not in it, and an annotation that moved ten times is moved once. A
/// page that connects begins with ``featureCollection`` and applies every difference that is taken
/// after it.
///
/// While the registry's gate is closed, ``take()`` returns nil, even for operations before the
/// closing. When the gate opens, ``onChange`` is called again.
///
/// ```swift
/// let surface = GeoJSONSurface()
/// let registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: surface)
/// await registry.drain()
/// send(surface.featureCollection)  // a page that connects
/// if let difference = surface.take() { send(difference.json) }  // later
/// ```
@MainActor public final class GeoJSONSurface: AnnotationSurface {
  private var current: [RecordKey: SurfaceAnnotation] = [:]
  /// The annotations that the pages have.
  private var taken: [RecordKey: SurfaceAnnotation] = [:]
  private var changed: Set<RecordKey> = []
  /// Whether the gate is closed.
  private var isHeld = false

  /// Called after the first operation since the last ``take()``, and before the rest of its slice.
  ///
  /// It is also called when it is set and when the gate opens, if there is a difference to take.
  public var onChange: @MainActor () -> Void = {} {
    didSet { reportIfChanged() }
  }

  /// Creates a surface without annotations.
  public init() {}

  /// Records one operation.
  public func apply(_ operation: AnnotationOperation) {
    let wasUnchanged = changed.isEmpty
    switch operation {
    case .add(let annotation), .restyle(let annotation): current[annotation.id] = annotation
    case .move(let id, to: let coordinate): current[id]?.coordinate = coordinate
    case .remove(let id): current[id] = nil
    }
    if current[operation.id] == nil && taken[operation.id] == nil {
      // The annotation was added and removed.
      changed.remove(operation.id)
    } else {
      changed.insert(operation.id)
    }
    if wasUnchanged && !changed.isEmpty { onChange() }
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
  /// - Complexity: O(n log n), n being the number of changed annotations.
  public func take() -> GeoJSONDifference? {
    if isHeld { return nil }
    var difference = GeoJSONDifference()
    for id in changed.sorted() {
      difference.note(from: taken[id], to: current[id])
      taken[id] = current[id]
    }
    changed.removeAll(keepingCapacity: true)
    return difference.isEmpty ? nil : difference
  }

  /// All features as of the last ``take()``: a GeoJSON `FeatureCollection` in UTF-8.
  ///
  /// - Complexity: O(n log n), n being the number of annotations.
  public var featureCollection: [UInt8] {
    let features = taken.values.sorted { $0.id < $1.id }.map(GeoJSONFeature.init)
    return GeoJSONEncoding.bytes(GeoJSONFeature.Collection(features: features))
  }
}
