extension Dictionary<RecordKey, Record> {
  /// Creates a dictionary of records by the cell of their key column.
  init(byKey records: some Sequence<Record>) {
    self.init(minimumCapacity: records.underestimatedCount)
    for record in records { self[record.key(Table.keyColumn)] = record }
  }
}
