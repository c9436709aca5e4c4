/// What one or more commits changed of a many-to-many relationship.
public struct LinkChanges<Root: Entity, Target: Entity>: Sendable {
  /// The keys of two linked entities.
  public struct Link: Sendable, Hashable {
    /// The key of the entity whose relationship it is.
    public let root: Root.ID
    /// The key of the entity that it is linked with.
    public let target: Target.ID
  }

  private let end: JoinTable.End
  private let changes: TableChanges?

  init(_ end: JoinTable.End, _ changes: TableChanges?) {
    self.end = end
    self.changes = changes
  }

  /// Whether more changed than is listed: fetch again what you need.
  public var isReset: Bool { if case .reset = changes { true } else { false } }

  /// Whether nothing changed.
  public var isEmpty: Bool { changes == nil }

  /// The links that are new. O(*n*) of the changes.
  public var linked: [Link] { links { $0.change.before == nil ? $0.change.after : nil } }

  /// The links that are gone, those that went with one of their ends included. O(*n*) of the
  /// changes.
  public var unlinked: [Link] { links { $0.change.after == nil ? $0.lastRecord : nil } }

  /// The links that have another place in their order. O(*n*) of the changes.
  public var moved: [Link] { links { $0.change.before != nil ? $0.change.after : nil } }

  private func links(_ record: (RowChange) -> Record?) -> [Link] {
    guard case .rows(let rows) = changes else { return [] }
    return rows.compactMap { row in
      // Keys that cannot be read, which only another program can cause, are left out.
      guard let record = record(row), let root = try? Root.ID(cell: record[end.root]),
        let target = try? Target.ID(cell: record[end.target])
      else { return nil }
      return Link(root: root, target: target)
    }
  }
}

extension ChangeSet {
  /// The changes of a many-to-many relationship, as one of its ends sees them.
  ///
  /// - Precondition: a schema of the stack lists the relationship.
  public func changes<Root: Entity, Target: Entity>(
    of relationship: ManyToMany<Root, Target>
  ) -> LinkChanges<Root, Target> {
    guard let end = model.join(relationship.reference) else {
      fatalError(
        "list the relationship of \(Root.self) and \(Target.self) in the schema of one of them")
    }
    return LinkChanges(end, tables[end.table.id])
  }
}

extension LinkChanges: CustomStringConvertible {
  public var description: String {
    isReset
      ? "reset" : "\(linked.count) linked, \(unlinked.count) unlinked, \(moved.count) moved"
  }
}
