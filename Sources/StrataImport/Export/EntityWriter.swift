internal import Foundation
internal import Strata

/// A reversed mapping: it writes the records of a table as the JSON that the mapping reads.
struct EntityWriter: Sendable {
  /// A part of the JSON value.
  indirect enum Node: Sendable {
    case object([(key: String, node: Node)])
    case array([Node?])
    case value(ValueWriter)
    /// The entity to which a column refers.
    case target(column: Int, EntityWriter)
    /// The key of the entity to which a column refers, inside an object.
    case reference(column: Int, Node)
    /// The entities whose column refers to this entity.
    case elements(EntityWriter, column: Int)
    /// A column's value, which must not be the sign of a deletion.
    case checked(Node, column: Int, TombstoneSign)
  }

  let table: Table
  private let root: Node
  /// The writer of the name of the member that has the record; nil if the mapping reads no name.
  private let name: ValueWriter?

  /// Whether the mapping reads an attribute from the name of the member that has the record.
  var hasName: Bool { name != nil }

  // MARK: - Writing

  /// Appends a record with its nested entities.
  func write(
    _ record: Record, _ relations: ExportedRelations?, to writer: inout JSONWriter
  ) throws(StoreError) {
    try write(root, record, relations, &writer)
  }

  /// Appends the name of the member that has a record, and a colon.
  ///
  /// Without a name in the mapping, the key is the name.
  func writeName(of record: Record, to writer: inout JSONWriter) throws(StoreError) {
    var text = JSONWriter()
    let type = table.columns[Table.keyColumn].valueType
    try (name ?? type.map { ValueWriter($0, Table.keyColumn) })?.write(record, of: table, &text)
    let quote = text.bytes.first == UInt8(ascii: "\"") ? "" : "\""
    writer.append(json: quote + String(decoding: text.bytes, as: UTF8.self) + quote)
    writer.append(mark: ":")
  }

  private func write(
    _ node: Node, _ record: Record, _ relations: ExportedRelations?, _ writer: inout JSONWriter
  ) throws(StoreError) {
    switch node {
    case .object(let members):
      writer.append(mark: "{")
      for (index, member) in members.enumerated() {
        if index > 0 { writer.append(mark: ",") }
        writer.append(member.key)
        writer.append(mark: ":")
        try write(member.node, record, relations, &writer)
      }
      writer.append(mark: "}")
    case .array(let elements):
      writer.append(mark: "[")
      for (index, element) in elements.enumerated() {
        if index > 0 { writer.append(mark: ",") }
        if let element {
          try write(element, record, relations, &writer)
        } else {
          writer.appendNull()
        }
      }
      writer.append(mark: "]")
    case .value(let value): try value.write(record, of: table, &writer)
    case .reference(let column, let inner):
      if record[column] == .null { return writer.appendNull() }
      try write(inner, record, relations, &writer)
    case .target(let column, let target):
      // A reference without a target reads as nil.
      guard record[column] != .null,
        let other = try relations?.record(record.key(column), of: target.table)
      else { return writer.appendNull() }
      try target.write(other, relations, to: &writer)
    case .elements(let element, let column):
      let key = record.key(Table.keyColumn)
      let others = try relations?.records(of: element.table, referringTo: key, in: column) ?? []
      writer.append(mark: element.hasName ? "{" : "[")
      for (index, other) in others.enumerated() {
        if index > 0 { writer.append(mark: ",") }
        if element.hasName { try element.writeName(of: other, to: &writer) }
        try element.write(other, relations, to: &writer)
      }
      writer.append(mark: element.hasName ? "}" : "]")
    case .checked(let inner, let column, let sign):
      let start = writer.bytes.count
      try write(inner, record, relations, &writer)
      if sign.isMet(by: writer.bytes[start...]) {
        throw table.unwritable(
          ValueError("the record would be read as that of a row that is gone"), column, of: record)
      }
    }
  }

  // MARK: - Reversing a mapping

  /// - Parameter isWhole: whether nested entities are written with all their mapped attributes.
  ///   Otherwise an entity to which the record refers is written as its key, and entities that
  ///   refer to the record are left out.
  init(
    _ mapping: MappingDefinition, in model: Model, isWhole: Bool = true
  ) throws(ImportError) {
    table = try model.mappingTarget(mapping.entity).table
    guard let parts = mapping.parts else {
      // By convention an attribute has its own name. Nested entities are written by exports of
      // their own.
      self.name = nil
      root = .object(
        table.columns.enumerated().compactMap { index, column in
          column.valueType.map { (column.name, .value(ValueWriter($0, index))) }
        })
      return
    }
    var tree: Node?
    var name: ValueWriter?
    for part in parts {
      switch part {
      case .field(let field):
        let column = try field.attribute.column(of: table)
        if field.isReadOnly {
          if column == Table.keyColumn { throw .mapping("the key of \(table.entity) is read-only") }
          continue
        }
        if field.readsRecord {
          try Self.insert(
            .value(ValueWriter(field, column, part: 0)), at: JSONPath([]), into: &tree, table)
          continue
        }
        if field.keys.isEmpty { name = ValueWriter(field, column, part: 0) }
        // A value is written at its first key, a joined value at all keys.
        let count = field.separator == nil ? 1 : field.keys.count
        for (index, key) in field.keys.prefix(count).enumerated() {
          try Self.insert(
            .value(ValueWriter(field, column, part: index)), at: try table.path(of: key),
            into: &tree, table)
        }
      case .object(let attribute, let keys, let inner):
        let column = try attribute.column(of: table)
        let node: Node =
          isWhole
          ? .target(column: column, try EntityWriter(inner, in: model))
          : try Self.reference(column, inner, model)
        try Self.insert(node, at: try Self.path(keys, table), into: &tree, table)
      case .array(let keys, let inner, let membership):
        guard isWhole else { continue }
        let writer = try EntityWriter(inner, in: model)
        guard let column = try membership.column(of: writer.table, in: model) else {
          throw Self.unwritableLinks(table, keys.first ?? "")
        }
        try Self.insert(
          .elements(writer, column: column), at: try Self.path(keys, table), into: &tree, table)
      case .tombstone: continue
      case .links(let links):
        guard isWhole else { continue }
        throw Self.unwritableLinks(table, links.key)
      }
    }
    guard var tree = tree ?? (name == nil ? nil : .object([])) else {
      throw .mapping("the mapping of \(table.entity) has no fields")
    }
    self.name = name
    // A written record must not read as a deletion. A push request may tell a server of a
    // deletion.
    if isWhole {
      for part in parts {
        guard case .tombstone(let key, let sign) = part else { continue }
        guard let checked = Self.checked(tree, sign, try Self.path([key], table).steps[...]) else {
          throw .mapping(
            "the mapping of \(table.entity) cannot be turned round: what is at \"\(key)\" would say "
              + "of every record that it is gone")
        }
        tree = checked
      }
    }
    root = tree
  }

  private static func unwritableLinks(_ table: Table, _ key: String) -> ImportError {
    .mapping(
      "\(table.entity) has links at \"\(key)\", which are not written; export with a mapping "
        + "without them")
  }

  /// Returns a tree that refuses the sign at a path; nil if the tree always writes the sign.
  private static func checked(
    _ node: Node, _ sign: TombstoneSign, _ path: ArraySlice<JSONPath.Step>
  ) -> Node? {
    guard let step = path.first else {
      switch node {
      case .value(let value): return .checked(node, column: value.column, sign)
      case .target(let column, _), .reference(let column, _):
        return .checked(node, column: column, sign)
      case .object, .array, .elements: return sign == .isThere ? nil : node
      case .checked: return node
      }
    }
    switch (step, node) {
    case (.key(let key), .object(var members)):
      guard let index = members.firstIndex(where: { $0.key == key }) else { return node }
      guard let inner = checked(members[index].node, sign, path.dropFirst()) else { return nil }
      members[index].node = inner
      return .object(members)
    case (.index(let index), .array(var elements)):
      guard index < elements.count, let element = elements[index] else { return node }
      guard let inner = checked(element, sign, path.dropFirst()) else { return nil }
      elements[index] = inner
      return .array(elements)
    default: return node
    }
  }

  private init(_ table: Table, _ root: Node) {
    self.table = table
    self.root = root
    name = nil
  }

  /// Returns a writer of the key and some columns; nil if this writer has none of the columns.
  ///
  /// The elements of an array stay together.
  func only(_ columns: Set<Int>) -> EntityWriter? {
    guard Self.only(columns, root) != nil else { return nil }
    return Self.only(columns.union([Table.keyColumn]), root).map { EntityWriter(table, $0) }
  }

  private static func only(_ columns: Set<Int>, _ node: Node) -> Node? {
    switch node {
    case .object(let members):
      let kept = members.compactMap { member in
        only(columns, member.node).map { (key: member.key, node: $0) }
      }
      return kept.isEmpty ? nil : .object(kept)
    case .array(let elements):
      return elements.contains { $0.flatMap { only(columns, $0) } != nil } ? node : nil
    case .value(let value): return columns.contains(value.column) ? node : nil
    case .target(let column, _), .reference(let column, _), .checked(_, let column, _):
      return columns.contains(column) ? node : nil
    case .elements: return nil
    }
  }

  /// Returns the first path at which an import looks.
  private static func path(_ keys: [String], _ table: Table) throws(ImportError) -> JSONPath {
    try table.path(of: keys.first ?? "")
  }

  /// Returns a node for the key of a column's target, where the target's mapping reads it.
  private static func reference(
    _ column: Int, _ mapping: MappingDefinition, _ model: Model
  ) throws(ImportError) -> Node {
    let target = try EntityWriter(mapping, in: model, isWhole: false)
    guard let key = target.only([Table.keyColumn]) else {
      throw .mapping("the mapping of \(target.table.entity) has no field for its key")
    }
    return .reference(column: column, moved(key.root, to: column))
  }

  /// Returns a tree of the key alone that takes the key's value from another column.
  private static func moved(_ node: Node, to column: Int) -> Node {
    switch node {
    case .object(let members): .object(members.map { ($0.key, moved($0.node, to: column)) })
    case .array(let elements): .array(elements.map { $0.map { moved($0, to: column) } })
    case .value(let value): .value(value.at(column))
    case .target, .reference, .elements, .checked: node
    }
  }

  /// Puts a node at a path. Nodes that exist there must be objects or arrays that it fits into.
  private static func insert(
    _ node: Node, at path: JSONPath, into tree: inout Node?, _ table: Table
  ) throws(ImportError) {
    guard let merged = merged(tree, node, path.steps[...]) else {
      throw .mapping(
        "the mapping of \(table.entity) cannot be turned round: two attributes come from \(path); "
          + "mark the field of one of them readOnly()")
    }
    tree = merged
  }

  private static func merged(
    _ tree: Node?, _ node: Node, _ path: ArraySlice<JSONPath.Step>
  ) -> Node? {
    guard let step = path.first else { return tree == nil ? node : nil }
    switch (step, tree ?? (step.isKey ? .object([]) : .array([]))) {
    case (.key(let key), .object(var members)):
      let index = members.firstIndex { $0.key == key }
      guard let inner = merged(index.map { members[$0].node }, node, path.dropFirst()) else {
        return nil
      }
      if let index { members[index].node = inner } else { members.append((key, inner)) }
      return .object(members)
    case (.index(let index), .array(var elements)):
      while elements.count <= index { elements.append(nil) }
      guard let inner = merged(elements[index], node, path.dropFirst()) else { return nil }
      elements[index] = inner
      return .array(elements)
    default: return nil
    }
  }
}

extension TombstoneSign {
  /// Returns whether a written value is the sign.
  fileprivate func isMet(by bytes: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .isThere: return !bytes.elementsEqual("null".utf8)
    case .isTrue:
      return ["true", "1", "\"true\"", "\"1\""].contains { bytes.elementsEqual($0.utf8) }
    case .isText(let text):
      var sign = JSONWriter()
      sign.append(text)
      return bytes.elementsEqual(sign.bytes) || bytes.elementsEqual(text.utf8)
    }
  }
}

extension JSONPath.Step {
  fileprivate var isKey: Bool { if case .key = self { true } else { false } }
}
