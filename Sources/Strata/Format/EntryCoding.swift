/// The encoded form of the rows in an outbox's entries.
struct EntryCoding {
  let layout: HistoryLayout
  let builder: RecordBuilder

  func encode(_ row: Record, of table: Table) -> [UInt8] {
    var encoder = HistoryEncoder(layout)
    return encoder.encode(row, of: table.id)
  }

  /// Returns the row; nil if a migration has changed its table too much.
  func decode(_ bytes: [UInt8], of table: Table) -> Record? {
    HistoryDecoder.record(bytes, of: table, layout, builder)
  }
}
