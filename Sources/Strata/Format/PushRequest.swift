/// One change that a server is to make.
public struct PushRequest: Sendable {
  /// What is to be done.
  public enum Kind: Sendable, Hashable {
    /// The server does not know the entity yet.
    case insert
    /// The server is to change some of the entity's attributes.
    case update
    /// The server is to delete the entity.
    case delete
  }

  /// What is to be done.
  public let kind: Kind
  /// The key of the entity.
  public let key: RecordKey
  /// The names of the attributes to send: all of them for an insertion, those edited here for an
  /// update, none for a deletion.
  public let attributes: Set<String>
  let table: Table
  /// The row as it is to be; for a deletion as it was, if that can still be read.
  let record: Record?
  /// The last commit that edited the row.
  let commit: Int64
  /// Why the server refused it; nil if it waits to be sent.
  let refusal: String?
  private let columns: AttributeSet
  private let model: Model

  /// - Parameters:
  ///   - record: the stored row.
  ///   - original: the row as the server knows it.
  init?(
    _ entry: OutboxEntry, _ key: RecordKey, _ table: Table, _ model: Model, record: Record?,
    original: Record?
  ) {
    kind = entry.kind
    switch kind {
    case .insert: columns = .all(table.columns.count)
    case .update: columns = entry.editedAttributes
    case .delete: columns = AttributeSet()
    }
    attributes = table.attributeNames(columns)
    // What only another program, or a migration, can have taken away.
    if kind != .delete && (record == nil || attributes.isEmpty) { return nil }
    self.key = key
    self.table = table
    self.model = model
    self.record = kind == .delete ? original : record
    commit = entry.commit
    refusal = entry.refusal
  }

  /// The entity's name; for a link of a many-to-many relationship, those of both ends.
  public var entity: String { table.entity }

  /// The entity as it is to be, or as the server knew it before it was deleted here.
  ///
  /// Nil if it is another one, and for a deletion that was made before a migration changed the
  /// entity's attributes: then only the ``key`` is known.
  public func value<E: Entity>(as type: E.Type) -> E? {
    guard table.isTable(of: type), let record else { return nil }
    return table.decodeLeniently(record, as: type)
  }

  /// The row to be written and the columns that a server is to be sent; nil for a deletion, and if
  /// it is another entity.
  package func exported<E: Entity>(
    as type: E.Type
  ) -> (record: Record, columns: Set<Int>, model: Model)? {
    guard kind != .delete, table.isTable(of: type), let record else { return nil }
    return (record, Set(columns.positions), model)
  }

  /// The two ends, if the request is about a link of a many-to-many relationship; nil if it is
  /// about anything else.
  ///
  /// An insertion links them, a deletion unlinks them, and an update moves the link to another
  /// place in its order.
  public func link<Root: Entity, Target: Entity>(
    of relationship: ManyToMany<Root, Target>
  ) -> LinkChanges<Root, Target>.Link? {
    guard relationship.definition.tableName == table.name,
      let (owner, target) = JoinTable.ends(of: key.cell)
    else { return nil }
    let (rootCell, targetCell) = relationship.isInverse ? (target, owner) : (owner, target)
    guard let root = try? Root.ID(cell: rootCell), let target = try? Target.ID(cell: targetCell)
    else { return nil }
    return LinkChanges<Root, Target>.Link(root: root, target: target)
  }
}
