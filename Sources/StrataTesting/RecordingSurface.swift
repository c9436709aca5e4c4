public import Strata
public import StrataMap
public import Testing

/// A surface that records its operations, and records an issue for every operation that is not
/// minimal.
///
/// ```swift
/// let surface = RecordingSurface()
/// let registry = AnnotationRegistry(live, mapping: Stop.pins, on: surface)
/// await registry.drain()
/// #expect(surface.shown.count == 1)
/// ```
@MainActor public final class RecordingSurface: AnnotationSurface {
  /// Every operation since the last ``clear()``, in order.
  public private(set) var operations: [AnnotationOperation] = []
  /// The annotations that a map would show at present.
  public private(set) var shown: [RecordKey: SurfaceAnnotation] = [:]
  /// Called inside every operation, after the operation was recorded.
  public var onApply: @MainActor (AnnotationOperation) -> Void = { _ in }

  /// Creates a surface that shows no annotations.
  public init() {}

  /// Records and shows one operation.
  public func apply(_ operation: AnnotationOperation) {
    operations.append(operation)
    operation.replay(on: &shown)
    onApply(operation)
  }

  /// Removes the recorded operations and keeps the shown annotations.
  public func clear() { operations = [] }
}

extension AnnotationOperation {
  /// Applies the operation to shown annotations; records an issue if it is not valid or has no
  /// effect.
  public func replay(
    on shown: inout [RecordKey: SurfaceAnnotation],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let old = shown[id]
    switch self {
    case .add(let annotation):
      #expect(old == nil, "\(self), which is shown", sourceLocation: sourceLocation)
      shown[annotation.id] = annotation
    case .move(let id, to: let coordinate):
      #expect(old != nil, "\(self), which is not shown", sourceLocation: sourceLocation)
      #expect(old?.coordinate != coordinate, "\(self), where it is", sourceLocation: sourceLocation)
      shown[id]?.coordinate = coordinate
    case .restyle(let annotation):
      #expect(
        old?.coordinate == annotation.coordinate, "\(self), which is elsewhere",
        sourceLocation: sourceLocation)
      #expect(old != annotation, "\(self), as it is", sourceLocation: sourceLocation)
      shown[annotation.id] = annotation
    case .remove(let id):
      #expect(old != nil, "\(self), which is not shown", sourceLocation: sourceLocation)
      shown[id] = nil
    }
  }
}
