public import Observation
internal import Strata

/// A surface for views that observe it, with its annotations as a list for SwiftUI's `Map`.
///
///     Map {
///       ForEach(surface.annotations) { pin in
///         Marker(pin.title, coordinate: CLLocationCoordinate2D(pin.coordinate))
///       }
///     }
///
/// Reading ``annotations`` in a view's body, or in `withObservationTracking`, is enough. For a view
/// that is evaluated once a frame, a slice of operations is a single change.
///
/// ```swift
/// let surface = ObservableSurface()
/// let registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: surface)
/// await registry.drain()
/// for pin in surface.annotations { print(pin.title) }
/// ```
@MainActor public final class ObservableSurface: AnnotationSurface, Observable {
  private let registrar = ObservationRegistrar()
  private var list: [SurfaceAnnotation] = []
  private var positions: [RecordKey: Int] = [:]

  /// Creates a surface without annotations.
  public init() {}

  /// The shown annotations, in no particular order.
  public var annotations: [SurfaceAnnotation] {
    registrar.access(self, keyPath: \.annotations)
    return list
  }

  /// Shows one operation.
  ///
  /// - Complexity: O(1), if no copy of the list exists elsewhere.
  public func apply(_ operation: AnnotationOperation) {
    registrar.withMutation(of: self, keyPath: \.annotations) {
      switch operation {
      case .add(let annotation):
        positions[annotation.id] = list.count
        list.append(annotation)
      case .move(let id, to: let place):
        if let index = positions[id] { list[index].coordinate = place }
      case .restyle(let annotation):
        if let index = positions[annotation.id] { list[index] = annotation }
      case .remove(let id):
        guard let index = positions.removeValue(forKey: id), let last = list.popLast() else {
          return
        }
        guard index < list.count else { return }
        list[index] = last
        positions[last.id] = index
      }
    }
  }
}
