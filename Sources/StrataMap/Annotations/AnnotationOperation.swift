public import Strata

/// One change to what a surface shows.
///
/// Operations are minimal: an annotation that moved is moved, never removed and added, and one whose
/// place and look both changed gets a ``move(_:to:)`` and then a ``restyle(_:)``.
public enum AnnotationOperation: Sendable, Hashable {
  /// Show an annotation whose id is not shown.
  case add(Annotation)
  /// Put a shown annotation somewhere else; nothing else about it changed.
  case move(RecordKey, to: Coordinate)
  /// Redraw a shown annotation where it is: its title, subtitle, style or priority changed.
  case restyle(Annotation)
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
