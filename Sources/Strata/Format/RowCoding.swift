/// The encoded form of the rows of a table in outbox entries.
struct RowCoding {
  let encode: (Record) -> [UInt8]
  /// Returns the row; nil if a migration has changed its table too much.
  let decode: ([UInt8]) -> Record?
}

extension RowCoding {
  init(of table: Table, _ layout: HistoryLayout, _ builder: RecordBuilder) {
    var encoder = HistoryEncoder(layout)
    self.init {
      encoder.encode($0, of: table.id)
    } decode: {
      HistoryDecoder.record($0, of: table, layout, builder)
    }
  }
}
