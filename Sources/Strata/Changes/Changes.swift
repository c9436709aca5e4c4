/// What one or more commits changed of one entity.
///
/// An attribute that cannot be read, which only another program can cause, has its default value.
public struct Changes<E: Entity>: Sendable {
  /// An update of one entity.
  public struct Update: Sendable {
    /// The entity before.
    public let before: E
    /// The entity after.
    public let after: E
    /// The names of the attributes that changed; those that changed and changed back are among
    /// them.
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

  /// Whether more changed than is listed: fetch again what you need.
  public var isReset: Bool { if case .reset = changes { true } else { false } }

  /// Whether nothing changed.
  public var isEmpty: Bool { changes == nil }

  /// The entities that are new, by key. O(*n*) of the changes.
  public var inserted: [E] { decoded { $0.change.before == nil ? $0.change.after : nil } }

  /// The entities that are gone, as they last were, by key. O(*n*) of the changes.
  ///
  /// Entities that several commits inserted and deleted are among them.
  public var deleted: [E] { decoded { $0.change.after == nil ? $0.lastRecord : nil } }

  /// The entities that changed, by key. O(*n*) of the changes.
  ///
  /// Entities that several commits changed and changed back are among them, with equal `before` and
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

  /// The keys of everything that changed, in order.
  public var keys: [RecordKey] { rows.map(\.key) }

  var words: String? { changes?.words(of: table) }

  private var rows: ContiguousArray<RowChange> {
    if case .rows(let rows) = changes { rows } else { [] }
  }

  private func decoded(_ record: (RowChange) -> Record?) -> [E] {
    rows.compactMap { row in record(row).map { table.decodeLeniently($0, as: E.self) } }
  }
}
