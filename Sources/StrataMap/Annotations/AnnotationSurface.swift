/// An object that shows annotations, such as a map view, a terminal, or a recorder in a test.
///
/// A registry holds its surface weakly and calls it on the main actor, with one operation per call.
/// Each operation is valid after the operations before it: an id is added only when it is not
/// shown. It is moved, restyled or removed only when it is shown.
///
/// ```swift
/// @MainActor final class ListSurface: AnnotationSurface {
///   private(set) var titles: [RecordKey: String] = [:]
///
///   func apply(_ operation: AnnotationOperation) {
///     switch operation {
///     case .add(let pin), .restyle(let pin): titles[pin.id] = pin.title
///     case .move: break
///     case .remove(let id): titles[id] = nil
///     }
///   }
/// }
/// ```
@MainActor public protocol AnnotationSurface: AnyObject {
  /// Shows one operation.
  ///
  /// The call may use the registry. ``AnnotationRegistry/detach()`` and
  /// ``AnnotationRegistry/close(_:)`` take effect at once, and the turn delivers nothing more. The
  /// call is never made from inside a change of the live query.
  func apply(_ operation: AnnotationOperation)

  /// Called when the gate has closed or has opened again, and once with true when a registry begins.
  ///
  /// The gate is open when a registry begins and when it ends. An earlier registry of the surface may have
  /// been released while its gate was closed, so the first call comes before any change of the gate. Every
  /// other call comes before
  /// ``AnnotationRegistry/close(_:)``, ``AnnotationRegistry/open(_:)`` or
  /// ``AnnotationRegistry/detach()`` returns. It is for the surface's own work, such as animations
  /// that have to end, or differences that have to wait. The default implementation does nothing.
  func gateDidChange(isOpen: Bool)
}

extension AnnotationSurface {
  public func gateDidChange(isOpen: Bool) {}
}
