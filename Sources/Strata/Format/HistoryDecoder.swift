/// Reads the bytes that ``HistoryEncoder`` wrote.
///
/// The decoder trusts no byte. Damaged bytes, and bytes of a newer version or of another layout,
/// are ``Unreadable`` and never misread.
struct HistoryDecoder {
  struct Unreadable: Error {}

  private let layout: HistoryLayout
  private let builder: RecordBuilder
  /// The changes of one commit that are read so far, by table.
  private(set) var tables: [TableID: TableChanges] = [:]

  init(_ layout: HistoryLayout, _ builder: RecordBuilder) {
    self.layout = layout
    self.builder = builder
  }

  /// Returns the record of a table that ``HistoryEncoder/encode(_:of:)`` wrote; nil if it cannot be
  /// read.
  static func record(
    _ bytes: [UInt8], of table: Table, _ layout: HistoryLayout, _ builder: RecordBuilder
  ) -> Record? {
    var decoder = HistoryDecoder(layout, builder)
    let isReadable = bytes.withUnsafeBytes { bytes in
      do throws(Unreadable) { try decoder.decode(bytes) } catch { return false }
      return true
    }
    guard isReadable, case .rows(let rows)? = decoder.tables[table.id] else { return nil }
    return rows.first?.change.after
  }

  /// Returns a record of a table that is not in the model; nil if it has another layout, or is damaged.
  ///
  /// - Parameters:
  ///   - name: the name in ``HistoryLayout`` of the table that the record was written with.
  ///   - columns: the number of the table's columns.
  static func record(
    _ bytes: [UInt8], named name: [UInt8], columns: Int, _ builder: RecordBuilder
  ) -> Record? {
    bytes.withUnsafeBytes { bytes in
      do throws(Unreadable) {
        var reader = HistoryBytes(bytes)
        guard try reader.byte() == HistoryEncoder.version,
          try reader.bytes(count: reader.count()).elementsEqual(name),
          try reader.byte() == HistoryMark.insertion.rawValue
        else { return nil }
        return try reader.record(columns: columns, builder)
      } catch {
        return nil
      }
    }
  }

  /// Adds the changes of one part; the parts must come in order.
  mutating func decode(_ part: UnsafeRawBufferPointer) throws(Unreadable) {
    var reader = HistoryBytes(part)
    guard try reader.byte() == HistoryEncoder.version else { throw Unreadable() }
    while !reader.isAtEnd {
      guard let table = layout.table(try reader.bytes(count: reader.count())) else {
        throw Unreadable()
      }
      try decodeSection(of: table, &reader)
    }
  }

  private mutating func decodeSection(
    of table: Table, _ reader: inout HistoryBytes
  ) throws(Unreadable) {
    var rows = ContiguousArray<RowChange>()
    var isReset = false
    if case .rows(let earlier)? = tables.removeValue(forKey: table.id) { rows = earlier }
    section: while true {
      guard let mark = HistoryMark(rawValue: try reader.byte()) else { throw Unreadable() }
      let change: Change
      switch mark {
      case .end: break section
      case .reset:
        isReset = true
        continue
      case .insertion: change = Change(before: nil, after: try reader.record(of: table, builder))
      case .deletion: change = Change(before: try reader.record(of: table, builder), after: nil)
      case .update:
        let before = try reader.record(of: table, builder)
        change = Change(before: before, after: try update(before, &reader))
      }
      guard let key = (change.before ?? change.after)?.key(Table.keyColumn) else { continue }
      // All users of the changes find keys by binary search, so the keys must ascend.
      if let last = rows.last, !(last.key < key) { throw Unreadable() }
      rows.append(RowChange(key: key, change: change))
    }
    tables[table.id] = isReset ? .reset : .rows(rows)
  }

  private func update(_ before: Record, _ reader: inout HistoryBytes) throws(Unreadable) -> Record {
    var remaining = try reader.count()
    var changed = remaining > 0 ? try reader.count() : before.count
    builder.begin(columns: before.count)
    for column in 0..<before.count {
      guard column == changed else {
        builder.append(column, of: before)
        continue
      }
      try reader.cell(into: builder)
      remaining -= 1
      changed = remaining > 0 ? try reader.count() : before.count
    }
    let after = try builder.finished()
    // A column that is out of order or that does not exist is left over at the end.
    if remaining > 0 || after == before { throw Unreadable() }
    return after
  }
}

extension RecordBuilder {
  fileprivate func finished() throws(HistoryDecoder.Unreadable) -> Record {
    do { return try finish() } catch { throw HistoryDecoder.Unreadable() }
  }
}

/// A reader of bytes from the front, which checks every length.
struct HistoryBytes {
  private var rest: UnsafeRawBufferPointer.SubSequence

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() throws(HistoryDecoder.Unreadable) -> UInt8 {
    guard let byte = rest.popFirst() else { throw HistoryDecoder.Unreadable() }
    return byte
  }

  /// Reads a number that is stored in groups of seven bits.
  mutating func count() throws(HistoryDecoder.Unreadable) -> Int {
    var value = 0
    var shift = 0
    while true {
      let byte = try byte()
      value |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
      // A number of 56 bits is far above any length, and its sign bit is still clear.
      if shift > 49 { throw HistoryDecoder.Unreadable() }
    }
  }

  mutating func bytes(count: Int) throws(HistoryDecoder.Unreadable) -> UnsafeRawBufferPointer {
    guard count <= rest.count else { throw HistoryDecoder.Unreadable() }
    defer { rest = rest.dropFirst(count) }
    return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
  }

  mutating func record(
    of table: Table, _ builder: RecordBuilder
  ) throws(HistoryDecoder.Unreadable) -> Record {
    try record(columns: table.columns.count, builder)
  }

  /// Reads all cells of a record.
  mutating func record(
    columns: Int, _ builder: RecordBuilder
  ) throws(HistoryDecoder.Unreadable) -> Record {
    builder.begin(columns: columns)
    for _ in 0..<columns { try cell(into: builder) }
    return try builder.finished()
  }

  /// Appends the next cell to the record that is being built.
  mutating func cell(into builder: RecordBuilder) throws(HistoryDecoder.Unreadable) {
    let head = try count()
    let payload = try bytes(count: head >> 3)
    switch CellTag(rawValue: UInt32(head & 7)) {
    case .null where payload.isEmpty: builder.appendNull()
    case .integer where [0, 1, 2, 4, 8].contains(payload.count):
      builder.append(RecordView.integer(payload))
    case .real where payload.count == 8: builder.append(RecordView.real(payload))
    case .text: builder.append(text: payload)
    case .blob: builder.append(blob: payload)
    case .null, .integer, .real, nil: throw HistoryDecoder.Unreadable()
    }
  }
}
