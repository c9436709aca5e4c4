internal import StrataSQLite

/// Encodes a commit's changes compactly and independently of the machine.
///
/// A part is a version byte and sections, one for each table. A section is the table's name in
/// ``HistoryLayout``, then the rows, then an end mark. A row is a ``HistoryMark`` and cells. An
/// insertion or a deletion has all cells. An update has all cells of the record before, then the
/// number of changed cells, then each changed cell with its column. A cell is its length and tag as
/// one number, then its payload as in a record. The key is the first cell.
struct HistoryEncoder {
  static let version: UInt8 = 1
  /// The size in bytes at which a part ends, so that a commit of any size takes bounded memory.
  static let partLimit = 256 * 1024

  private let layout: HistoryLayout
  private var bytes: [UInt8] = []

  init(_ layout: HistoryLayout) { self.layout = layout }

  /// Passes the changes to `write`, part by part; each part names the tables that it is about.
  mutating func encode(
    _ changes: [TableID: TableChanges],
    _ write: (UnsafeRawBufferPointer, _ isLast: Bool) throws(StoreError) -> Void
  ) throws(StoreError) {
    bytes.reserveCapacity(4096)
    begin()
    for id in changes.keys.sorted() {
      guard let changes = changes[id] else { continue }
      let header = layout.headers[id.index]
      bytes += header
      switch changes {
      case .reset: bytes.append(HistoryMark.reset.rawValue)
      case .rows(let rows):
        for row in rows {
          if bytes.count >= Self.partLimit {
            bytes.append(HistoryMark.end.rawValue)
            try hand(to: write, isLast: false)
            begin()
            bytes += header
          }
          append(row.change)
        }
      }
      bytes.append(HistoryMark.end.rawValue)
    }
    try hand(to: write, isLast: true)
    // The buffer of a large commit must not stay in memory.
    if bytes.capacity > Self.partLimit * 4 { bytes = [] }
  }

  /// Returns a record in the form that ``HistoryDecoder/record(_:of:_:_:)`` reads.
  mutating func encode(_ record: Record, of table: TableID) -> [UInt8] {
    let header = layout.headers[table.index]
    bytes = []
    bytes.reserveCapacity(header.count + record.byteCount + 3)
    begin()
    bytes += header
    bytes.append(HistoryMark.insertion.rawValue)
    append(record)
    bytes.append(HistoryMark.end.rawValue)
    return bytes
  }

  private mutating func begin() {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(Self.version)
  }

  private func hand(
    to write: (UnsafeRawBufferPointer, Bool) throws(StoreError) -> Void, isLast: Bool
  ) throws(StoreError) {
    let result = bytes.withUnsafeBytes { bytes -> Result<Void, StoreError> in
      do throws(StoreError) { return .success(try write(bytes, isLast)) } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private mutating func append(_ change: Change) {
    switch (change.before, change.after) {
    case (nil, nil): break
    case (nil, let after?):
      bytes.append(HistoryMark.insertion.rawValue)
      append(after)
    case (let before?, nil):
      bytes.append(HistoryMark.deletion.rawValue)
      append(before)
    case (let before?, let after?):
      bytes.append(HistoryMark.update.rawValue)
      append(before)
      let columns = after.differences(from: before).positions
      bytes.appendVarint(UInt64(columns.count))
      after.withView { view in
        for column in columns {
          bytes.appendVarint(UInt64(column))
          append(view, column)
        }
      }
    }
  }

  private mutating func append(_ record: Record) {
    record.withView { view in
      for column in 0..<view.count { append(view, column) }
    }
  }

  @inline(__always)
  private mutating func append(_ view: RecordView, _ column: Int) {
    let payload = view.payload(column)
    bytes.appendVarint(UInt64(payload.count) << 3 | UInt64(view.tag(column)))
    bytes.append(contentsOf: payload)
  }
}

/// The mark that says which item comes next in a section of changes.
enum HistoryMark: UInt8 {
  case end = 0
  case insertion = 1
  case deletion = 2
  case update = 3
  /// More rows changed than the section lists.
  case reset = 4
}
