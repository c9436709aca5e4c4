internal import Foundation
internal import Strata

/// A mapping of one entity, resolved against its table.
///
/// It makes records from scanned records, column by column, and the records of nested entities. It and its
/// sources are classes, because a copy of so many closures and arrays for each value costs as much as the
/// value.
final class EntityMapper {
  /// A nested object that is an entity, and the column that refers to it.
  struct Object {
    let column: Int
    let mapper: EntityMapper
  }

  /// An array of the record whose elements are entities.
  struct Elements {
    let member: ArrayMember
    let mapper: EntityMapper
    /// The elements' column that refers to the record; nil for a many-to-many relationship.
    let column: Int?
    /// The relationship whose links the array replaces; nil if the array only adds elements.
    let links: ImportLinks?
  }

  /// An array of the record with the keys of linked entities.
  struct Linkage {
    let member: ArrayMember
    let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
    let links: ImportLinks
  }

  /// A record on its way into a batch.
  struct Made {
    let table: Table
    let record: Record
    /// The attributes that the feed has; nil for all attributes.
    let attributes: AttributeSet?
    /// Whether the record deletes the row with its key.
    var isDeletion = false
    /// The links that the feed gives the record, by relationship.
    var links: [LinkSet] = []
  }

  /// A value that its attribute refused.
  struct Refusal: Error {
    var path: JSONPath
    let error: ValueError
    /// The suggested remedy; nil for that of a field.
    var advice: String?
  }

  let table: Table
  let defaults: NewEntity
  /// Values of every record, by column. They replace the feed's values.
  let constants: [Int: Cell]
  /// The unique column by which a row that was made here is found; nil for none.
  private let match: Int?
  /// The origin of each column's value; nil for attributes that the feed does not have.
  let sources: [ColumnSource?]
  let objects: [Object]
  let arrays: [Elements]
  let linkages: [Linkage]
  /// The plan's columns, by slot.
  let columns: [JSONColumn]
  /// The rule for deletions; nil if no record is a deletion.
  let deletion: DeletionRule?
  /// The slots of the entity's own values, for each path where the entity may be in the record.
  let slots: [[Int]]
  /// The slots of the entity's key, for each such path.
  let keySlots: [[Int]]
  /// The slot of each column that takes its value as the parser gives it; nil for the others.
  private let plainSlots: [Int?]
  private let builder = RecordBuilder()
  /// Encodes a new entity while `builder` has an unfinished record.
  private let newBuilder = RecordBuilder()
  /// Whether a value of this entity did not fit and became the value for unknown ones.
  private var hasUnknownValue = false

  init(
    _ table: Table, defaults: NewEntity, constants: [Int: Cell] = [:], match: Int? = nil,
    sources: [ColumnSource?], objects: [Object], arrays: [Elements], linkages: [Linkage] = [],
    columns: [JSONColumn],
    pathCount: Int, deletion: DeletionRule? = nil
  ) {
    self.table = table
    self.defaults = defaults
    self.constants = constants
    self.match = match
    self.sources = sources
    self.objects = objects
    self.arrays = arrays
    self.linkages = linkages
    self.columns = columns
    self.deletion = deletion
    keySlots = Self.slots(of: [sources[Table.keyColumn]], pathCount)
    slots = Self.slots(of: sources, pathCount)
    plainSlots = sources.map { source in source.flatMap { $0.isPlain ? $0.slot : nil } }
  }

  /// Returns the slots of sources by path. A source's slots are ordered by key, then by path.
  private static func slots(of sources: [ColumnSource?], _ pathCount: Int) -> [[Int]] {
    var slots = [[Int]](repeating: [], count: pathCount)
    for source in sources.compactMap({ $0 }) {
      for (index, slot) in ([source.slot] + source.otherSlots).enumerated() {
        slots[index % pathCount].append(slot)
      }
    }
    return slots
  }

  /// The slots that may have each value of the record and of its nested objects.
  var valueSlots: [[Int]] {
    sources.compactMap { source in
      source.flatMap { $0.positionKey == nil ? [$0.slot] + $0.otherSlots : nil }
    } + objects.flatMap(\.mapper.valueSlots)
  }

  /// Whether the mapping, or a nested mapping, makes links.
  var hasLinks: Bool {
    !linkages.isEmpty || objects.contains(where: \.mapper.hasLinks)
      || arrays.contains { $0.links != nil || $0.mapper.hasLinks }
  }

  /// Whether a value that does not fit became the value for unknown ones, also in nested mappings.
  var hasUnknownValues: Bool {
    hasUnknownValue || objects.contains { $0.mapper.hasUnknownValues }
      || arrays.contains { $0.mapper.hasUnknownValues }
  }

  /// The columns by which rows of the mapping, and of nested mappings, are found.
  var matches: [RowMatch] {
    (match.map { [RowMatch(table: table, column: $0)] } ?? [])
      + objects.flatMap(\.mapper.matches) + arrays.flatMap(\.mapper.matches)
  }

  /// The tables of the records, of the nested entities and of the links.
  var tables: Set<TableID> {
    var tables: Set = [table.id]
    for object in objects { tables.formUnion(object.mapper.tables) }
    for array in arrays { tables.formUnion(array.mapper.tables) }
    for links in arrays.compactMap(\.links) + linkages.map(\.links) { tables.insert(links.table) }
    return tables
  }

  /// Whether a record without a key gets its position as the key.
  var hasPositionKey: Bool { sources[Table.keyColumn]?.positionKey != nil }

  /// Makes the record of a scanned record, and the records of its nested entities.
  ///
  /// - Parameters:
  ///   - position: the number of records before this one.
  ///   - parent: the enclosing record, and the column that refers to it.
  func make(
    _ scanned: ScannedRecord, position: Int, parent: (column: Int, record: Record)? = nil,
    into made: inout [Made]
  ) throws(Refusal) {
    if try deletion?.deletes(scanned, columns) == true {
      let record = try keyRecord(scanned, position)
      made.append(Made(table: table, record: record, attributes: nil, isDeletion: true))
      return
    }
    var references: [(column: Int, record: Record)] = []
    if let parent { references.append(parent) }
    for object in objects where object.mapper.isPresent(in: scanned) {
      try object.mapper.make(scanned, position: position, into: &made)
      if let last = made.last { references.append((object.column, last.record)) }
    }
    let (record, attributes) = try ownRecord(scanned, position, references)
    var links: [LinkSet] = []
    for array in arrays {
      let keys = try array.member.keys(in: scanned, columns) { element, index throws(Refusal) in
        try array.mapper.make(
          element, position: index, parent: array.column.map { ($0, record) }, into: &made)
        guard array.links != nil, let last = made.last, !last.isDeletion else { return nil }
        return last.record.key(Table.keyColumn)
      }
      if let keys, let set = array.links {
        links.append(LinkSet(set, of: record.key(Table.keyColumn), to: keys))
      }
    }
    for linkage in linkages {
      let keys = try linkage.member.keys(in: scanned, columns) { element, _ throws(Refusal) in
        let cell = element.cell(element.cells[0])
        do throws(ValueError) { return RecordKey(try linkage.convert?(cell) ?? cell) } catch {
          throw Refusal(path: JSONPath([]), error: error)
        }
      }
      if let keys {
        links.append(LinkSet(linkage.links, of: record.key(Table.keyColumn), to: keys))
      }
    }
    made.append(Made(table: table, record: record, attributes: attributes, links: links))
  }

  /// Whether one of the entity's paths has an object that is not null and has a mapped member.
  private func isPresent(in scanned: ScannedRecord) -> Bool {
    slots.indices.contains { index in
      !slots[index].allSatisfy { scanned.cells[$0] == .missing } && !isNull(index, in: scanned)
    }
  }

  /// Whether the object at a path is null, or has a null key and no other value.
  private func isNull(_ index: Int, in scanned: ScannedRecord) -> Bool {
    keySlots[index].contains { scanned.cells[$0] == .null }
      && slots[index].allSatisfy { scanned.cells[$0] == .null || scanned.cells[$0] == .missing }
  }

  // MARK: A deletion

  /// Makes the record of a deletion, of which only the key counts.
  private func keyRecord(_ scanned: ScannedRecord, _ position: Int) throws(Refusal) -> Record {
    builder.begin(columns: sources.count)
    for column in sources.indices {
      if column == Table.keyColumn, let source = sources[column] {
        var new: Record?
        _ = try append(source, column, scanned, position, &new)
      } else {
        builder.append(column, of: defaults.record)
      }
    }
    do throws(ValueError) { return try builder.finish() } catch {
      throw Refusal(path: JSONPath([]), error: error)
    }
  }

  // MARK: The record itself

  private func ownRecord(
    _ scanned: ScannedRecord, _ position: Int, _ references: [(column: Int, record: Record)]
  ) throws(Refusal) -> (Record, AttributeSet?) {
    var written = AttributeSet()
    var new: Record?
    builder.begin(columns: sources.count)
    let isFlat = constants.isEmpty && references.isEmpty && objects.isEmpty
    for column in sources.indices {
      if isFlat, let slot = plainSlots[column], append(scanned.cells[slot], of: scanned) {
        written.insert(column)
      } else if !constants.isEmpty, let constant = constants[column] {
        builder.append(constant)
        written.insert(column)
      } else if let reference = references.last(where: { $0.column == column }) {
        builder.append(Table.keyColumn, of: reference.record)
        written.insert(column)
      } else if isNull(objectAt: column, in: scanned) {
        builder.appendNull()
        written.insert(column)
      } else if let source = sources[column] {
        if try append(source, column, scanned, position, &new), !source.isOnlyWhenInserted {
          written.insert(column)
        }
      } else {
        try appendDefault(column, &new)
      }
    }
    do throws(ValueError) {
      let record = try builder.finish()
      return (record, written.count == sources.count ? nil : written)
    } catch {
      throw Refusal(path: JSONPath([]), error: error)
    }
  }

  /// Whether the nested object of an optional column is null, and no field gives a value.
  ///
  /// A missing object does not count as null.
  private func isNull(objectAt column: Int, in scanned: ScannedRecord) -> Bool {
    guard let object = objects.first(where: { $0.column == column }),
      table.columns[column].isOptional,
      !object.mapper.isPresent(in: scanned),
      object.mapper.slots.indices.contains(where: { object.mapper.isNull($0, in: scanned) })
    else { return false }
    guard let source = sources[column] else { return true }
    return scanned.cells[source.slot] == .missing
      && source.otherSlots.allSatisfy { scanned.cells[$0] == .missing }
  }

  /// Appends the column's value in a new entity.
  ///
  /// - Parameter new: the new entity, made on first use and shared by all columns of a record.
  private func appendDefault(_ column: Int, _ new: inout Record?) throws(Refusal) {
    guard defaults.changing.contains(column) else {
      return builder.append(column, of: defaults.record)
    }
    do throws(ValueError) {
      if new == nil { new = try defaults.another(newBuilder) }
    } catch {
      throw Refusal(path: JSONPath([]), error: error)
    }
    if let new { builder.append(column, of: new) }
  }

  /// Appends a column's value.
  ///
  /// - Returns: false if the feed gives no value, and the default of a new entity was appended.
  private func append(
    _ source: ColumnSource, _ column: Int, _ scanned: ScannedRecord, _ position: Int,
    _ new: inout Record?
  ) throws(Refusal) -> Bool {
    var slot = source.slot
    if scanned.cells[slot] == .missing,
      let other = source.otherSlots.first(where: { scanned.cells[$0] != .missing })
    {
      slot = other
    }
    let cell = scanned.cells[slot]
    switch cell {
    case .missing, .null:
      if source.isRequired {
        throw refusal(
          slot, ValueError(cell == .null ? "required and null" : "required and missing"))
      } else if let key = source.positionKey {
        builder.append(key(position))
      } else if let fallback = source.fallback {
        builder.append(fallback)
      } else if cell == .null && table.columns[column].isOptional {
        builder.appendNull()
      } else if cell == .null, let unknown = source.unknown {
        try append(unknown, slot)
      } else {
        try appendDefault(column, &new)
        return false
      }
    case .unfit:
      guard let unknown = source.unknown else {
        throw refusal(slot, ValueError("the name does not fit the attribute"))
      }
      hasUnknownValue = true
      try append(unknown, slot)
    case .integer, .real, .text, .blob:
      if let separator = source.separator {
        builder.append(.text(try joined(source, separator, scanned)))
      } else if let convert = source.convert {
        let converted: Strata.Cell
        do throws(ValueError) { converted = try convert(scanned.cell(cell)) } catch {
          guard let unknown = source.unknown else { throw refusal(slot, error) }
          hasUnknownValue = true
          try append(unknown, slot)
          return true
        }
        builder.append(converted)
      } else {
        _ = append(cell, of: scanned)
      }
    }
    return true
  }

  /// Joins the values of several members into one text.
  ///
  /// No value contains the separator, so different values give different texts.
  private func joined(
    _ source: ColumnSource, _ separator: String, _ scanned: ScannedRecord
  ) throws(Refusal) -> String {
    var parts: [String] = []
    for slot in [source.slot] + source.otherSlots {
      guard case .text(let bytes) = scanned.cells[slot] else {
        throw refusal(slot, ValueError("required and missing"))
      }
      let part = scanned.string(bytes)
      if part.contains(separator) {
        throw refusal(slot, ValueError("contains the separator \"\(separator)\""))
      }
      parts.append(part)
    }
    return parts.joined(separator: separator)
  }

  private func append(
    _ unknown: () throws(ValueError) -> Cell, _ slot: Int
  ) throws(Refusal) {
    do throws(ValueError) { builder.append(try unknown()) } catch { throw refusal(slot, error) }
  }

  /// Appends a value as the parser gives it; returns false, and appends nothing, if there is none.
  private func append(_ cell: ScannedRecord.Cell, of scanned: ScannedRecord) -> Bool {
    switch cell {
    case .integer(let value): builder.append(value)
    case .real(let value): builder.append(value)
    case .text(let bytes): scanned.withBytes(bytes) { builder.append(text: $0) }
    case .blob(let bytes): scanned.withBytes(bytes) { builder.append(blob: $0) }
    case .missing, .null, .unfit: return false
    }
    return true
  }

  private func refusal(_ slot: Int, _ error: ValueError) -> Refusal {
    Refusal(path: columns[slot].path, error: error)
  }
}

extension ScannedRecord {
  /// Returns a scanned cell as a cell of the store.
  fileprivate func cell(_ cell: Cell) -> Strata.Cell {
    switch cell {
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let bytes): .text(string(bytes))
    case .blob(let bytes): .blob(.init(self.bytes(bytes)))
    case .missing, .null, .unfit: .null
    }
  }
}
