internal import Foundation
internal import Strata

/// A surface for a map in a browser: it turns operations into differences of a GeoJSON source.
///
///     let surface = GeoJSONSurface()
///     let registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: surface)
///     surface.onChange = { [weak surface] in
///       // After the slice.
///       Task { if let difference = surface?.take() { send(difference.json) } }
///     }
///
/// What happens between two calls of ``take()`` is one difference, and no more than that: an
/// annotation that came and went is not in it, and one that moved ten times is moved once. A page
/// that connects begins with ``featureCollection`` and applies every difference taken after it.
///
/// While the registry's gate is closed there is nothing to take, not even what came before that;
/// when it opens, ``onChange`` is called again.
@MainActor public final class GeoJSONSurface: AnnotationSurface {
  private var current: [RecordKey: Annotation] = [:]
  /// What the pages have.
  private var taken: [RecordKey: Annotation] = [:]
  private var changed: Set<RecordKey> = []
  /// The gate is closed.
  private var isHeld = false

  /// Called after the first operation since the last ``take()``; the rest of its slice comes after
  /// it.
  ///
  /// Called when it is set, too, and when the gate opens, if there is something to take already.
  public var onChange: @MainActor () -> Void = {} {
    didSet { tellIfChanged() }
  }

  /// A surface without annotations.
  public init() {}

  /// Notes one operation.
  public func apply(_ operation: AnnotationOperation) {
    let wasUnchanged = changed.isEmpty
    switch operation {
    case .add(let annotation), .restyle(let annotation): current[annotation.id] = annotation
    case .move(let id, to: let coordinate): current[id]?.coordinate = coordinate
    case .remove(let id): current[id] = nil
    }
    if current[operation.id] == nil && taken[operation.id] == nil {
      // It came and went.
      changed.remove(operation.id)
    } else {
      changed.insert(operation.id)
    }
    if wasUnchanged && !changed.isEmpty { onChange() }
  }

  /// Holds differences back, or has them taken again.
  public func gateDidChange(isOpen: Bool) {
    isHeld = !isOpen
    tellIfChanged()
  }

  private func tellIfChanged() {
    if !changed.isEmpty && !isHeld { onChange() }
  }

  /// What has changed since the last call; nil if nothing has, or the gate is closed.
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

  /// Everything, as it was when ``take()`` was last called: a GeoJSON `FeatureCollection`, as
  /// UTF-8.
  ///
  /// - Complexity: O(n log n), n being the number of annotations.
  public var featureCollection: [UInt8] {
    let features = taken.values.sorted { $0.id < $1.id }.map(GeoJSONFeature.init)
    return GeoJSONEncoding.bytes(GeoJSONFeature.Collection(features: features))
  }
}
