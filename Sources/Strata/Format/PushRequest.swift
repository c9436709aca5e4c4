public import Foundation

/// A change that a server is to make.
///
/// ```swift
/// try await stack.outbox().push { request in
///   switch request.change(of: Song.self) {
///   case .insert(let song): try await server.create(song)
///   case .update(let song, let attributes): try await server.patch(song, attributes)
///   case .delete(let id): try await server.delete("songs/\(id)")
///   case nil: return .refused("another entity")
///   }
///   return .done
/// }
/// ```
public struct PushRequest: Sendable, Identifiable {
  /// A kind of change.
  public enum Kind: Sendable, Hashable {
    /// The server does not know the entity yet.
    case insert
    /// The server is to change some of the entity's attributes.
    case update
    /// The server is to delete the entity.
    case delete
  }

  /// The change of an entity of a known type.
  public enum Change<E: Entity>: Sendable {
    /// The server does not know the entity yet.
    case insert(E)
    /// The server is to change the named attributes.
    case update(E, attributes: Set<String>)
    /// The server is to delete the entity with this key.
    case delete(E.ID)
  }

  /// The kind of the change.
  public let kind: Kind
  /// The key of the entity.
  public let key: RecordKey
  /// The names of the attributes to send.
  ///
  /// An insertion sends all attributes, an update the attributes that were edited here, and a
  /// deletion none. A row that the server knows and that was deleted and inserted again is an update of
  /// all attributes, the key among them.
  public var attributes: Set<String> { table.attributeNames(columns) }
  let table: Table
  /// The row as it is to be; for a deletion the row as it was, if that can still be read.
  let record: Record?
  /// The row from which the edits started; nil for an insertion, or if it cannot be read any more.
  let original: Record?
  /// The newest row that the server is known to have.
  private let server: Record?
  /// The last commit that edited the row.
  package let commit: Int64
  /// The server's reason for refusing the request; nil if the request waits to be sent.
  let refusal: String?
  private let columns: AttributeSet
  private let model: Model

  /// The identity of the store, which its copies have, too.
  private let store: UUID

  /// The identity of the request: the same when it is sent again, and another after an edit.
  ///
  /// Send it as an idempotency key, so that a server which has done the request, and whose answer was
  /// lost, does not do it twice. It is a hash (FNV-1a of 128 bits, as a UUID of version 8) of the store's
  /// identity, the row, its last edit and the values to send.
  ///
  /// - Complexity: O(*n*) of the bytes of the values.
  public var id: UUID {
    var hash = StableHash()
    hash.combine("\(store) \(kind) \(commit) \(table.name)".utf8)
    hash.combine(key.cell)
    if let record, kind != .delete {
      for column in columns.positions where column < record.count {
        hash.combine(table.columns[column].name.utf8)
        hash.combine(record[column])
      }
    }
    var bytes = hash.bytes
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
        bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  /// Creates the request of an entry; nil if the row or all attributes to send are gone.
  ///
  /// - Parameters:
  ///   - record: the stored row.
  ///   - store: the identity of the store.
  init?(
    _ entry: OutboxEntry, _ key: RecordKey, _ table: Table, _ model: Model, record: Record?,
    store: UUID, _ coding: RowCoding
  ) {
    kind = entry.kind
    switch kind {
    case .insert: columns = .all(table.columns.count)
    case .update: columns = entry.editedAttributes
    case .delete: columns = AttributeSet()
    }
    // Only another program, or a migration, can have taken the row or the attributes away.
    if kind != .delete && (record == nil || !table.hasAttribute(of: columns)) { return nil }
    self.key = key
    self.table = table
    self.model = model
    self.store = store
    original = entry.original.flatMap(coding.decode)
    server = entry.newest == nil ? original : entry.server(coding)
    self.record = kind == .delete ? original : record
    commit = entry.commit
    refusal = entry.refusal
  }

  /// The number of bytes of the row and of the row from which the edits started, about.
  var size: Int { (record?.byteCount ?? 0) + (original?.byteCount ?? 0) }

  package var tableName: String { table.name }

  /// The name of the entity; for a link of a many-to-many relationship, the names of both ends.
  public var entity: String { table.entity }

  /// Returns the change that the server is to make to an entity; nil if the request is about another
  /// entity.
  public func change<E: Entity>(of type: E.Type) -> Change<E>? {
    guard let id = id(of: type) else { return nil }
    switch (kind, value(as: type)) {
    case (.insert, let entity?): return .insert(entity)
    case (.update, let entity?): return .update(entity, attributes: attributes)
    case (.delete, _): return .delete(id)
    case (.insert, nil), (.update, nil): return nil
    }
  }

  /// Returns the key of the entity with its own type; nil if the request is about another entity.
  public func id<E: Entity>(of type: E.Type) -> E.ID? {
    table.isTable(of: type) ? key.id(of: type) : nil
  }

  /// Returns the entity as it is to be, or as the server knew it before it was deleted here.
  ///
  /// The result is nil if the request is about another entity. It is also nil for a deletion that
  /// was made before a migration changed the entity's attributes. Only the ``key`` is known then.
  public func value<E: Entity>(as type: E.Type) -> E? { entity(record, as: type) }

  /// Returns the entity from which the edits started, as the user saw it.
  ///
  /// Its version, such as an ETag, is the version that was edited: send it with `If-Match`, so that the
  /// server refuses to overwrite what it has changed since. If an import has brought a newer row and
  /// none of its attributes conflicts with the edits, the edits start from that row.
  ///
  /// The result is nil for an insertion, and if the request is about another entity. It is also nil if a
  /// migration has changed the entity's attributes so much that the row cannot be read.
  public func before<E: Entity>(as type: E.Type) -> E? { entity(original, as: type) }

  /// Returns the entity as the server has it, as far as imports and requests have told.
  ///
  /// It differs from ``before(as:)`` only while edits conflict with it (``Outbox/conflicts()``). The
  /// result is nil for an insertion, for a row that the server has deleted, and if the request is about
  /// another entity.
  public func server<E: Entity>(as type: E.Type) -> E? { entity(server, as: type) }

  private func entity<E: Entity>(_ record: Record?, as type: E.Type) -> E? {
    guard table.isTable(of: type), let record else { return nil }
    return table.decodeLeniently(record, as: type)
  }

  /// Returns the row to write, the columns to send to a server, and the model.
  ///
  /// The result is nil for a deletion, and if the request is about another entity.
  package func exported<E: Entity>(
    as type: E.Type
  ) -> (record: Record, columns: Set<Int>, model: Model)? {
    guard kind != .delete, table.isTable(of: type), let record else { return nil }
    return (record, Set(columns.positions), model)
  }

  /// Returns the verdict for a server that has done the request and keeps the row under a key of its own.
  ///
  /// ```swift
  /// try await outbox.push { request in
  ///   guard case .insert(let song) = request.change(of: Song.self) else { return .refused("no song") }
  ///   return try request.done(as: Song.self, id: try await server.create(song))
  /// }
  /// ```
  ///
  /// The row gets the key in the commit that notes the verdict. So do the rows and links that refer to
  /// it, and the edits of all of them that wait. If an import has brought a row of the new key
  /// meanwhile, the two become one row. If the row was deleted here meanwhile, its deletion is sent
  /// with the new key. A context's unsaved edits of the row keep the old key; their save meets a
  /// deleted row.
  ///
  /// If another row with the new key waits to be inserted, ``Outbox/push(_:)`` notes the request as
  /// done and throws `uniquenessViolated`; the row keeps its key.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery` if the request is about another entity, or if the
  ///   key cannot be stored.
  public func done<E: Entity>(as type: E.Type, id: E.ID) throws -> PushVerdict {
    guard table.isTable(of: type) else {
      throw StoreError.query(
        "a request of \(table.entity) gets no key of \(type)", entity: table.entity)
    }
    return .done(key: try table.key(id))
  }

  /// Returns the two ends of the link of a many-to-many relationship that the request is about.
  ///
  /// The result is nil if the request is about anything else. An insertion links the ends, a
  /// deletion unlinks them, and an update moves the link to another position in its order. Migrations
  /// that convert the keys of the ends convert those of the link, also if it is removed.
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

/// The kind, the entity, the key and the edited attributes, without values.
extension PushRequest: CustomStringConvertible {
  public var description: String {
    let names = kind == .update ? ": " + attributes.sorted().joined(separator: ", ") : ""
    return "\(kind) \(entity) \(key)\(names)"
  }
}
