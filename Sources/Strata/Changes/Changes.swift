/// The changes of one entity in one or more commits.
///
/// An attribute that cannot be read has its default value. Only another program can write such an
/// attribute.
///
/// ```swift
/// for await changes in view.changes(of: Song.self) {
///   if changes.isReset { continue }  // any song may have changed
///   for song in changes.deleted { print("deleted:", song.title) }
/// }
/// ```
public struct Changes<E: Entity>: Sendable {
  /// An update of one entity.
  public struct Update: Sendable {
    /// The entity before the update.
    public let before: E
    /// The entity after the update.
    public let after: E
    /// The names of the attributes that changed, including attributes that changed and changed
    /// back.
    public let attributes: Set<String>
  }

  /// The number of the newest commit included.
  public let commit: Int64
  private let table: Table
  private let changes: TableChanges?

  init(commit: Int64, table: Table, changes: TableChanges?) {
    self.commit = commit
    self.table = table
    self.changes = changes
  }

  /// Whether the changes are too many to list, or unknown, so that the entities must be fetched
  /// again.
  public var isReset: Bool { if case .reset = changes { true } else { false } }

  /// Whether nothing changed.
  public var isEmpty: Bool { changes == nil }

  /// The new entities, by key. O(*n*) of the changes.
  public var inserted: [E] { decoded { $0.change.before == nil ? $0.change.after : nil } }

  /// The deleted entities, by key. O(*n*) of the changes.
  ///
  /// Each entity is as it was before the changes. Entities that several commits inserted and
  /// deleted are included, as they last were.
  public var deleted: [E] { decoded { $0.change.after == nil ? $0.lastRecord : nil } }

  /// The updated entities, by key. O(*n*) of the changes.
  ///
  /// Entities that several commits changed and changed back are included, with equal `before` and
  /// `after`.
  public var updated: [Update] {
    rows.compactMap { row in
      guard let before = row.change.before, let after = row.change.after else { return nil }
      let old = table.decodeLeniently(before, as: E.self)
      let new = table.decodeLeniently(after, as: E.self)
      return Update(
        before: old, after: new, attributes: table.attributeNames(row.attributes))
    }
  }

  /// The keys of all changed entities, in order.
  public var keys: [RecordKey] { rows.map(\.key) }

  var words: String? { changes?.words(of: table) }

  private var rows: ContiguousArray<RowChange> {
    if case .rows(let rows) = changes { rows } else { [] }
  }

  private func decoded(_ record: (RowChange) -> Record?) -> [E] {
    rows.compactMap { row in record(row).map { table.decodeLeniently($0, as: E.self) } }
  }
}
