/// The changes of a many-to-many relationship in one or more commits.
///
/// ```swift
/// for await changes in stack.changes {
///   for link in changes.changes(of: Note.tags).linked { print(link.root, "got", link.target) }
/// }
/// ```
public struct LinkChanges<Root: Entity, Target: Entity>: Sendable {
  /// The keys of two linked entities.
  public struct Link: Sendable, Hashable {
    /// The key of the entity that has the relationship.
    public let root: Root.ID
    /// The key of the entity with which it is linked.
    public let target: Target.ID
  }

  private let end: JoinTable.End
  private let changes: TableChanges?

  init(_ end: JoinTable.End, _ changes: TableChanges?) {
    self.end = end
    self.changes = changes
  }

  /// Whether more links changed than are listed.
  ///
  /// If so, fetch the links again.
  public var isReset: Bool { if case .reset = changes { true } else { false } }

  /// Whether nothing changed.
  public var isEmpty: Bool { changes == nil }

  /// The new links.
  ///
  /// - Complexity: O(*n*) in the number of changes.
  public var linked: [Link] { links { $0.change.before == nil ? $0.change.after : nil } }

  /// The removed links, including links that were removed with one of their ends.
  ///
  /// - Complexity: O(*n*) in the number of changes.
  public var unlinked: [Link] { links { $0.change.after == nil ? $0.lastRecord : nil } }

  /// The links with a new position in their order.
  ///
  /// - Complexity: O(*n*) in the number of changes.
  public var moved: [Link] { links { $0.change.before != nil ? $0.change.after : nil } }

  private func links(_ record: (RowChange) -> Record?) -> [Link] {
    guard case .rows(let rows) = changes else { return [] }
    return rows.compactMap { row in
      // Unreadable keys, which only another program can write, are left out.
      guard let record = record(row), let root = try? Root.ID(cell: record[end.root]),
        let target = try? Target.ID(cell: record[end.target])
      else { return nil }
      return Link(root: root, target: target)
    }
  }
}

extension ChangeSet {
  /// Returns the changes of a many-to-many relationship, as seen from one of its ends.
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
