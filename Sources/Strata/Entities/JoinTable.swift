internal import Foundation
internal import StrataSQLite

/// The table of a many-to-many relationship, an ordinary table whose rows are links.
///
/// A link's key is composed of the keys of its two ends. Every link of the same two entities is
/// therefore the same row.
struct JoinTable: Sendable {
  static let owner = 1
  static let target = 2
  static let position = 3

  let table: Table
  let definition: ManyToManyDefinition

  /// The links as one end sees them.
  struct End: Sendable {
    let table: Table
    /// The column with the key of the entity whose links are read.
    let root: Int
    /// The column with the key of the entity that it is linked with.
    let target: Int
    /// The column with the link's position in the root's order; nil if the links have no order.
    let position: Int?
  }

  func end(isInverse: Bool) -> End {
    isInverse
      ? End(table: table, root: Self.target, target: Self.owner, position: nil)
      : End(
        table: table, root: Self.owner, target: Self.target,
        position: definition.isOrdered ? Self.position : nil)
  }

  static func make(
    _ definition: ManyToManyDefinition, _ id: TableID, owner: TableDraft, target: TableDraft
  ) -> JoinTable {
    func reference(_ name: String, _ end: TableDraft) -> Column {
      Column(name: name, storage: end.keyStorage, isOptional: false, isIndexed: true)
    }
    var columns = [
      Column(name: "key", storage: .blob, isOptional: false, isIndexed: false),
      reference("owner", owner), reference("target", target),
    ]
    if definition.isOrdered {
      columns.append(Column(name: "position", storage: .real, isOptional: false, isIndexed: false))
    }
    let references = [(Self.owner, owner.id), (Self.target, target.id)].map { column, id in
      // Not required: a save drops a link to a row that is already deleted, as if the deletion had
      // come last.
      Reference(column: column, target: id, rule: .cascade, isRequired: false)
    }
    let table = Table(
      id: id, name: definition.tableName, entity: "link of \(owner.entity) and \(target.entity)",
      columns: columns, paths: ColumnPaths(), references: references, referrers: [], uniques: [],
      codec: EntityCodec([], size: 0), isJoin: true,
      evolution: evolution(definition, owner: owner, target: target))
    return JoinTable(table: table, definition: definition)
  }
}

extension JoinTable {
  /// Returns the table's possible names in stores of earlier versions.
  ///
  /// They are composed of the former names of the owner's table, the target's table and the
  /// relationship.
  static func formerNames(
    _ definition: ManyToManyDefinition, _ owner: TableDraft, _ target: TableDraft
  ) -> [String] {
    let owners = [owner.name] + owner.definition.formerNames
    let ends =
      definition.name.map { [$0] } ?? [target.name] + target.definition.formerNames
    let names = owners.flatMap { owner in
      (ends + definition.formerNames).map { ManyToManyDefinition.tableName(owner, $0) }
    }
    return names.filter { $0 != definition.tableName }
  }

  /// Returns the key of the link between two entities.
  ///
  /// Every pair of entities has a different key.
  static func key(_ owner: Cell, _ target: Cell) throws(ValueError) -> Cell {
    var bytes = Data()
    try append(owner, to: &bytes)
    try append(target, to: &bytes)
    return .blob(bytes)
  }

  /// Returns the keys of the two entities that a link joins, or nil if `key` is not a link's key.
  static func ends(of key: Cell) -> (owner: Cell, target: Cell)? {
    guard case .blob(let bytes) = key else { return nil }
    var rest = bytes[...]
    guard let owner = next(&rest), let target = next(&rest), rest.isEmpty else { return nil }
    return (owner, target)
  }

  /// Removes and returns the first cell of the rest, or returns nil if there is no valid cell.
  private static func next(_ rest: inout Data) -> Cell? {
    guard rest.count >= 9, let tag = rest.popFirst().flatMap({ CellTag(rawValue: UInt32($0)) })
    else { return nil }
    let word = rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    rest = rest.dropFirst(8)
    switch tag {
    case .null: return nil
    case .integer: return .integer(Int64(bitPattern: word ^ 1 << 63))
    case .real: return .real(Double(bitPattern: word))
    case .text, .blob:
      guard word <= UInt64(rest.count) else { return nil }
      let bytes = rest.prefix(Int(word))
      rest = rest.dropFirst(Int(word))
      return tag == .blob ? .blob(Data(bytes)) : .text(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Appends a tag, a word with the number or the length, and the bytes of a text or a blob.
  ///
  /// The bytes of one cell never begin with the bytes of a different cell.
  private static func append(_ cell: Cell, to bytes: inout Data) throws(ValueError) {
    func append(_ tag: CellTag, _ word: UInt64) {
      bytes.append(UInt8(truncatingIfNeeded: tag.rawValue))
      withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
    }
    switch cell {
    case .null: throw ValueError("a key cannot be null")
    // The flipped sign bit sorts positive numbers after negative ones. Links of entities with
    // neighbouring keys are then neighbours.
    case .integer(let value): append(.integer, UInt64(bitPattern: value) ^ 1 << 63)
    case .real(let value):
      if value.isNaN { throw .notANumber }
      // -0.0 and 0.0 make the same key.
      append(.real, (value == 0 ? 0 : value).bitPattern)
    case .text(let value):
      append(.text, UInt64(value.utf8.count))
      bytes.append(contentsOf: value.utf8)
    case .blob(let value):
      append(.blob, UInt64(value.count))
      bytes.append(value)
    }
  }
}
