/// Something that shows annotations: a map view, a terminal, a recorder in a test.
///
/// A registry holds its surface weakly and calls it on the main actor, one operation per call, each
/// one valid on what the calls before it left: an id is added only when it is not shown, and moved,
/// restyled or removed only when it is.
@MainActor public protocol AnnotationSurface: AnyObject {
  /// Shows one operation.
  ///
  /// The call may use the registry: whatever it calls there (``AnnotationRegistry/detach()``,
  /// ``AnnotationRegistry/close(_:)``) takes effect at once, and nothing more is delivered in this
  /// turn. It is never made from inside a change of the live query.
  func apply(_ operation: AnnotationOperation)

  /// The gate has been closed, or is open again; it is open when a registry begins, and when it
  /// ends.
  ///
  /// Called before ``AnnotationRegistry/close(_:)``, ``AnnotationRegistry/open(_:)`` or
  /// ``AnnotationRegistry/detach()`` returns, for what a surface does by itself: animations that
  /// are to end, or differences that are to wait. By default nothing happens.
  func gateDidChange(isOpen: Bool)
}

extension AnnotationSurface {
  public func gateDidChange(isOpen: Bool) {}
}
