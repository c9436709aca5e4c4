public import Strata

/// A change of the annotations on a surface.
///
/// Operations are minimal. An annotation that has moved is moved, never removed and added. If both
/// the coordinate and the look have changed, the annotation gets a ``move(_:to:)`` and then a
/// ``restyle(_:)``.
///
/// ```swift
/// final class PrintingSurface: AnnotationSurface {
///   func apply(_ operation: AnnotationOperation) {
///     switch operation {
///     case .add(let pin): print("add", pin.title)
///     case .move(let id, let place): print("move", id, place.latitude)
///     case .restyle(let pin): print("restyle", pin.title)
///     case .remove(let id): print("remove", id)
///     }
///   }
/// }
/// ```
public enum AnnotationOperation: Sendable, Hashable {
  /// Show an annotation whose id is not shown.
  case add(SurfaceAnnotation)
  /// Put a shown annotation at another coordinate; its other values have not changed.
  case move(RecordKey, to: Coordinate)
  /// Redraw a shown annotation where it is, because another of its values has changed.
  case restyle(SurfaceAnnotation)
  /// Take a shown annotation away.
  case remove(RecordKey)

  /// The id of the annotation that the operation is about.
  public var id: RecordKey {
    switch self {
    case .add(let annotation), .restyle(let annotation): annotation.id
    case .move(let id, to: _), .remove(let id): id
    }
  }
}

extension AnnotationOperation: CustomStringConvertible {
  public var description: String {
    func words(_ place: Coordinate) -> String { "at \(place.latitude), \(place.longitude)" }
    func words(_ annotation: SurfaceAnnotation) -> String {
      let title = annotation.title.isEmpty ? "" : " \"\(annotation.title)\""
      let style = annotation.style.isEmpty ? "" : " in \(annotation.style)"
      return "\(annotation.id)\(title)\(style) \(words(annotation.coordinate))"
    }
    return switch self {
    case .add(let annotation): "add \(words(annotation))"
    case .move(let id, to: let place): "move \(id) \(words(place))"
    case .restyle(let annotation): "restyle \(words(annotation))"
    case .remove(let id): "remove \(id)"
    }
  }
}
