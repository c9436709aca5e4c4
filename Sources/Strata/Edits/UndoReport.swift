/// The result of undoing or redoing a group of edits, with the parts that were left as they are.
///
/// ```swift
/// if let report = view.undo(), !report.isComplete {
///   for skipped in report.skipped { print(skipped) }
/// }
/// ```
public struct UndoReport: Sendable {
  /// The reason why attributes were left as they are.
  public enum Reason: Sendable {
    /// The attributes no longer have the values that the group gave them.
    case changed
    /// Another commit deleted the entity, and it does not come back.
    case gone
    /// The group deleted the entity, and another commit inserted a new entity with its key.
    case exists
    /// A blind edit, such as a link, is being saved, so its effect is not known yet.
    ///
    /// The group stays, and can be undone after the save.
    case beingSaved
  }

  /// An entity with attributes that were left as they are.
  public struct Skipped: Sendable {
    /// The entity's name.
    public let entity: String
    /// The entity's key.
    public let key: RecordKey
    /// The names of the attributes that were left as they are.
    public let attributes: [String]
    /// The reason why the attributes were left as they are.
    public let reason: Reason
  }

  /// The group's name.
  public internal(set) var name: String?
  /// The number of changed entities.
  public internal(set) var count = 0
  /// The entities with attributes that were left as they are.
  ///
  /// The order is by entity and key, or undefined for ``Reason/beingSaved``.
  public internal(set) var skipped: [Skipped] = []

  /// Whether the whole group was undone or redone.
  public var isComplete: Bool { skipped.isEmpty }

  init(name: String?) { self.name = name }
}
