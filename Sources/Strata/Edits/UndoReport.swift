/// What undoing or redoing a group of edits did, and what it could not do.
public struct UndoReport: Sendable {
  /// Why something was left as it is.
  public enum Reason: Sendable {
    /// The attributes do not have the values any more that the group gave them.
    case changed
    /// The entity was deleted by somebody else; it does not come back.
    case gone
    /// The group deleted the entity, and somebody made another one with its key.
    case exists
    /// A blind edit, such as a link, is being saved: what it does is known only afterwards. The
    /// group stays and can be undone then.
    case beingSaved
  }

  /// An entity of which something was left as it is.
  public struct Skipped: Sendable {
    /// The entity's name.
    public let entity: String
    /// The entity's key.
    public let key: RecordKey
    /// The attributes that were left alone, by name.
    public let attributes: [String]
    /// Why they were left alone.
    public let reason: Reason
  }

  /// The group's name.
  public internal(set) var name: String?
  /// The number of entities that were changed.
  public internal(set) var count = 0
  /// What was left as it is, by entity and key.
  public internal(set) var skipped: [Skipped] = []

  /// Whether everything was done.
  public var isComplete: Bool { skipped.isEmpty }

  init(name: String?) { self.name = name }
}
