public import Observation
internal import Strata

/// A surface for views that observe: its annotations as a list for SwiftUI's `Map`.
///
///     Map {
///       ForEach(surface.annotations) { pin in
///         Marker(pin.title, coordinate: CLLocationCoordinate2D(pin.coordinate))
///       }
///     }
///
/// Reading ``annotations`` in a view's body, or in `withObservationTracking`, is enough. A view
/// that is evaluated once a frame sees a slice of operations as one change.
@MainActor public final class ObservableSurface: AnnotationSurface, Observable {
  private let registrar = ObservationRegistrar()
  private var list: [Annotation] = []
  private var places: [RecordKey: Int] = [:]

  /// A surface without annotations.
  public init() {}

  /// What is shown, in no order that means anything: on a map there is none.
  public var annotations: [Annotation] {
    registrar.access(self, keyPath: \.annotations)
    return list
  }

  /// Shows one operation.
  ///
  /// - Complexity: O(1), if nobody holds on to the list.
  public func apply(_ operation: AnnotationOperation) {
    registrar.withMutation(of: self, keyPath: \.annotations) {
      switch operation {
      case .add(let annotation):
        places[annotation.id] = list.count
        list.append(annotation)
      case .move(let id, to: let place):
        if let index = places[id] { list[index].coordinate = place }
      case .restyle(let annotation):
        if let index = places[annotation.id] { list[index] = annotation }
      case .remove(let id):
        guard let index = places.removeValue(forKey: id), let last = list.popLast() else { return }
        guard index < list.count else { return }
        list[index] = last
        places[last.id] = index
      }
    }
  }
}
