internal import Foundation
internal import Strata

/// A mapping of one entity resolved against its table: makes its records from scanned rows, column
/// by column, and those of the entities inside of them.
struct EntityMapper {
  /// Where the value of a column comes from.
  struct Source {
    /// The slots that may have it; the first that does counts.
    var slot: Int
    var otherSlots: [Int] = []
    var convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
    /// What a value becomes that does not fit; nil if it is refused.
    var unknown: (@Sendable () throws(ValueError) -> Cell)?
    var fallback: Cell?
    /// Whether this mapper checks that there is a value; the parser cannot, if there are several
    /// slots, or if the object around them may be missing.
    var isRequired = false
    var isOnlyWhenInserted = false
    var positionKey: (@Sendable (Int) -> Cell)?
    /// What stands between the values of all slots, which together are the column's.
    var separator: String?
  }

  /// An object of the record that is an entity, and the column that refers to it.
  struct Object {
    let column: Int
    let mapper: EntityMapper
  }

  /// An array of the record whose elements are entities.
  struct Elements {
    let slots: [Int]
    let plan: JSONPlan
    let mapper: EntityMapper
    /// Their column that refers back; nil if they do not refer to the record themselves.
    let column: Int?
    /// What the record is linked with them in; nil if the array only adds to what there is.
    let links: ImportLinks?
  }

  /// An array of the record with the keys of what it is linked with.
  struct Linkage {
    let slots: [Int]
    let plan: JSONPlan
    let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
    let links: ImportLinks
  }

  /// When a record is that of a row that is gone.
  enum Deletion {
    case always
    case when(slot: Int, TombstoneSign)
  }

  /// A row on its way into a batch.
  struct Made {
    let table: Table
    let record: Record
    /// Those that the feed has; nil for all of them.
    let attributes: AttributeSet?
    /// Whether the row with the record's key is gone.
    var isDeletion = false
    /// What it is linked with.
    var links: [LinkSet] = []
  }

  /// A value that its attribute refused.
  struct Refusal: Error {
    var path: JSONPath
    let error: ValueError
  }

  let table: Table
  let defaults: NewEntity
  /// By column, what every record has, whatever the feed says.
  let constants: [Int: Cell]
  /// By column; nil for attributes that the feed does not have.
  let sources: [Source?]
  let objects: [Object]
  let arrays: [Elements]
  let linkages: [Linkage]
  /// The columns of the plan that the slots are of.
  let columns: [JSONColumn]
  /// Nil if every record is a row.
  let deletion: Deletion?
  /// The slots of the entity's own values, by the place in the record where the entity may be.
  let slots: [[Int]]
  /// Those of its key.
  private let keySlots: [[Int]]
  private let builder = RecordBuilder()
  /// What makes another new entity while a record is being made.
  private let newBuilder = RecordBuilder()

  init(
    _ table: Table, defaults: NewEntity, constants: [Int: Cell] = [:], sources: [Source?],
    objects: [Object], arrays: [Elements], linkages: [Linkage] = [], columns: [JSONColumn],
    places: Int, deletion: Deletion? = nil
  ) {
    self.table = table
    self.defaults = defaults
    self.constants = constants
    self.sources = sources
    self.objects = objects
    self.arrays = arrays
    self.linkages = linkages
    self.columns = columns
    self.deletion = deletion
    keySlots = Self.slots(of: [sources[Table.keyColumn]], places)
    slots = Self.slots(of: sources, places)
  }

  /// The slots of some sources by place: each name is looked for at one place after the other.
  private static func slots(of sources: [Source?], _ places: Int) -> [[Int]] {
    var slots = [[Int]](repeating: [], count: places)
    for source in sources.compactMap({ $0 }) {
      for (index, slot) in ([source.slot] + source.otherSlots).enumerated() {
        slots[index % places].append(slot)
      }
    }
    return slots
  }

  /// Whether a record without a key is known by its position.
  var hasPositionKey: Bool { sources[Table.keyColumn]?.positionKey != nil }

  /// Makes the record of a row, and of everything inside of it.
  ///
  /// - Parameters:
  ///   - position: how many records came before.
  ///   - parent: the record around it, and the column that refers to it.
  func make(
    _ row: JSONRow, position: Int, parent: (column: Int, record: Record)? = nil,
    into made: inout [Made]
  ) throws(Refusal) {
    if isGone(row) {
      let record = try keyRecord(row, position)
      made.append(Made(table: table, record: record, attributes: nil, isDeletion: true))
      return
    }
    var references: [(column: Int, record: Record)] = []
    if let parent { references.append(parent) }
    for object in objects where object.mapper.isPresent(in: row) {
      try object.mapper.make(row, position: position, into: &made)
      if let last = made.last { references.append((object.column, last.record)) }
    }
    let (record, attributes) = try ownRecord(row, position, references)
    var links: [LinkSet] = []
    for array in arrays {
      if let set = try make(array, of: record, row, into: &made) { links.append(set) }
    }
    for linkage in linkages {
      if let set = try linkSet(linkage, of: record, row) { links.append(set) }
    }
    made.append(Made(table: table, record: record, attributes: attributes, links: links))
  }

  /// Whether the entity is at one of its places: an object with something in it, that is not null.
  private func isPresent(in row: JSONRow) -> Bool {
    slots.indices.contains { place in
      !slots[place].allSatisfy { row.cells[$0] == .missing } && !isNull(place, in: row)
    }
  }

  /// Whether the object at a place is null, or has a key that is null and nothing else.
  private func isNull(_ place: Int, in row: JSONRow) -> Bool {
    keySlots[place].contains { row.cells[$0] == .null }
      && slots[place].allSatisfy { row.cells[$0] == .null || row.cells[$0] == .missing }
  }

  // MARK: What is gone

  private func isGone(_ row: JSONRow) -> Bool {
    switch deletion {
    case nil: false
    case .always: true
    case .when(let slot, let sign):
      switch (sign, row.cells[slot]) {
      case (_, .missing), (_, .null): false
      case (.isThere, _): true
      case (.isTrue, let cell): cell == .integer(1)
      case (.isText(let text), .text(let bytes)): row.string(bytes) == text
      case (.isText, _): false
      }
    }
  }

  /// A record of which only the key counts.
  private func keyRecord(_ row: JSONRow, _ position: Int) throws(Refusal) -> Record {
    builder.begin(columns: sources.count)
    for column in sources.indices {
      if column == Table.keyColumn, let source = sources[column] {
        var new: Record?
        _ = try append(source, column, row, position, &new)
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
    _ row: JSONRow, _ position: Int, _ references: [(column: Int, record: Record)]
  ) throws(Refusal) -> (Record, AttributeSet?) {
    var written = AttributeSet()
    var new: Record?
    builder.begin(columns: sources.count)
    for column in sources.indices {
      if !constants.isEmpty, let constant = constants[column] {
        builder.append(constant)
        written.insert(column)
      } else if let reference = references.last(where: { $0.column == column }) {
        builder.append(Table.keyColumn, of: reference.record)
        written.insert(column)
      } else if isNull(objectAt: column, in: row) {
        builder.appendNull()
        written.insert(column)
      } else if let source = sources[column] {
        if try append(source, column, row, position, &new), !source.isOnlyWhenInserted {
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

  /// Whether the object that an optional column refers to is null, not just missing, and nothing
  /// else says what the column refers to.
  private func isNull(objectAt column: Int, in row: JSONRow) -> Bool {
    guard let object = objects.first(where: { $0.column == column }),
      table.columns[column].isOptional,
      !object.mapper.isPresent(in: row),
      object.mapper.slots.indices.contains(where: { object.mapper.isNull($0, in: row) })
    else { return false }
    guard let source = sources[column] else { return true }
    return row.cells[source.slot] == .missing
      && source.otherSlots.allSatisfy { row.cells[$0] == .missing }
  }

  /// Appends what a new entity has.
  ///
  /// - Parameter new: the entity of the record, made when it is needed: one for all of its columns.
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

  /// Appends a column's value; whether the feed has one.
  private func append(
    _ source: Source, _ column: Int, _ row: JSONRow, _ position: Int, _ new: inout Record?
  ) throws(Refusal) -> Bool {
    var slot = source.slot
    if row.cells[slot] == .missing,
      let other = source.otherSlots.first(where: { row.cells[$0] != .missing })
    {
      slot = other
    }
    let cell = row.cells[slot]
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
    case .unfit: if let unknown = source.unknown { try append(unknown, slot) }
    case .integer, .real, .text, .blob:
      if let separator = source.separator {
        builder.append(.text(try joined(source, separator, row)))
      } else if let convert = source.convert {
        do throws(ValueError) { builder.append(try convert(row.cell(cell))) } catch {
          throw refusal(slot, error)
        }
      } else {
        append(cell, of: row)
      }
    }
    return true
  }

  /// The values of several members as one text, from which no other values have the same.
  private func joined(
    _ source: Source, _ separator: String, _ row: JSONRow
  ) throws(Refusal) -> String {
    var parts: [String] = []
    for slot in [source.slot] + source.otherSlots {
      guard case .text(let bytes) = row.cells[slot] else {
        throw refusal(slot, ValueError("required and missing"))
      }
      let part = row.string(bytes)
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

  private func append(_ cell: JSONRow.Cell, of row: JSONRow) {
    switch cell {
    case .integer(let value): builder.append(value)
    case .real(let value): builder.append(value)
    case .text(let bytes): row.withBytes(bytes) { builder.append(text: $0) }
    case .blob(let bytes): row.withBytes(bytes) { builder.append(blob: $0) }
    case .missing, .null, .unfit: builder.appendNull()
    }
  }

  private func refusal(_ slot: Int, _ error: ValueError) -> Refusal {
    Refusal(path: columns[slot].path, error: error)
  }

  // MARK: Arrays

  /// Makes the entities of an array; what links the record with them, if that is replaced.
  private func make(
    _ array: Elements, of parent: Record, _ row: JSONRow, into made: inout [Made]
  ) throws(Refusal) -> LinkSet? {
    guard let slot = array.slots.first(where: { row.cells[$0] != .missing }) else { return nil }
    let owner = parent.key(Table.keyColumn)
    guard case .text(let bytes) = row.cells[slot] else {
      return array.links.map { LinkSet($0, of: owner, to: []) }
    }
    var targets = LinkTargets()
    try forEachElement(of: bytes, array.plan, at: slot, in: row) {
      element, index throws(Refusal) in
      try array.mapper.make(
        element, position: index, parent: array.column.map { ($0, parent) }, into: &made)
      if array.links != nil, let last = made.last, !last.isDeletion {
        targets.add(last.record.key(Table.keyColumn))
      }
    }
    return array.links.map { LinkSet($0, of: owner, to: targets.keys) }
  }

  /// Reads the elements of an array; refusals have their whole path.
  private func forEachElement(
    of bytes: JSONRow.Bytes, _ plan: JSONPlan, at slot: Int, in row: JSONRow,
    _ body: (_ element: JSONRow, _ index: Int) throws(Refusal) -> Void
  ) throws(Refusal) {
    let path = columns[slot].path
    guard var elements = JSONElements(bytes, of: row, plan) else {
      throw refusal(slot, ValueError("expected array"))
    }
    var index = 0
    while true {
      let place = path.steps + [.index(index)]
      do throws(JSONElements.Fault) {
        guard try elements.next() else { return }
      } catch {
        throw Refusal(path: JSONPath(place + error.path.steps), error: ValueError(error.reason))
      }
      do throws(Refusal) { try body(elements.row, index) } catch {
        throw Refusal(path: JSONPath(place + error.path.steps), error: error.error)
      }
      index += 1
    }
  }
}

// MARK: - Links

extension EntityMapper {
  /// Whether it has links, or what is inside of it.
  var hasLinks: Bool {
    !linkages.isEmpty || objects.contains(where: \.mapper.hasLinks)
      || arrays.contains { $0.links != nil || $0.mapper.hasLinks }
  }

  /// Nil if the record has no such array.
  private func linkSet(
    _ linkage: Linkage, of record: Record, _ row: JSONRow
  ) throws(Refusal) -> LinkSet? {
    guard let slot = linkage.slots.first(where: { row.cells[$0] != .missing }) else { return nil }
    let owner = record.key(Table.keyColumn)
    guard case .text(let bytes) = row.cells[slot] else {
      return LinkSet(linkage.links, of: owner, to: [])
    }
    var targets = LinkTargets()
    try forEachElement(of: bytes, linkage.plan, at: slot, in: row) { element, _ throws(Refusal) in
      let cell = element.cell(element.cells[0])
      do throws(ValueError) { targets.add(RecordKey(try linkage.convert?(cell) ?? cell)) } catch {
        throw Refusal(path: JSONPath([]), error: error)
      }
    }
    return LinkSet(linkage.links, of: owner, to: targets.keys)
  }
}

/// The keys of what a record is linked with, each once.
private struct LinkTargets {
  private(set) var keys: [RecordKey] = []
  private var seen: Set<RecordKey> = []

  mutating func add(_ key: RecordKey) { if seen.insert(key).inserted { keys.append(key) } }
}

extension JSONRow {
  /// A scanned cell as a value of the store.
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
