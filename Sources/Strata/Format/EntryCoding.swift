/// The encoded form of the rows in an outbox's entries.
struct EntryCoding {
  let layout: HistoryLayout
  let builder: RecordBuilder

  /// The coding of the rows of one table.
  subscript(table: Table) -> RowCoding {
    var encoder = HistoryEncoder(layout)
    return RowCoding {
      encoder.encode($0, of: table.id)
    } decode: {
      HistoryDecoder.record($0, of: table, layout, builder)
    }
  }
}

/// The encoded form of the rows of a table in outbox entries.
struct RowCoding {
  let encode: (Record) -> [UInt8]
  /// Returns the row; nil if a migration has changed its table too much.
  let decode: ([UInt8]) -> Record?
}
