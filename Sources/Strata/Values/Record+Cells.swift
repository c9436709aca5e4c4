// Questions about single cells, and records made of the cells of another record.

extension Record {
  /// Returns whether the records differ in one column.
  func differs(from other: Record, at column: Int) -> Bool {
    withView { mine in other.withView { !mine.equals(column, in: $0) } }
  }

  /// Returns the differing columns among the columns that both records have.
  ///
  /// A row of a relationship's query may end with the position of its link.
  func sharedDifferences(from other: Record) -> AttributeSet {
    count <= other.count ? differences(from: other) : other.differences(from: self)
  }

  /// Returns whether a column refers to a key.
  func refers(to key: RecordKey, in column: Int) -> Bool {
    !isNull(column) && self.key(column) == key
  }

  /// Returns this record with another cell in one column.
  func setting(_ column: Int, to cell: Cell) throws(ValueError) -> Record {
    try rebuilt(count) { builder in
      builder.append(0..<column, of: self)
      builder.append(cell)
      builder.append(column + 1..<count, of: self)
    }
  }

  /// Returns this record with null in one column.
  ///
  /// This cannot fail, because the record is not larger than an existing record.
  func settingNull(_ column: Int) -> Record { (try? setting(column, to: .null)) ?? self }

  /// Returns this record with one more cell at its end.
  func appending(_ cell: Cell) throws(ValueError) -> Record {
    try rebuilt(count + 1) { builder in
      builder.append(0..<count, of: self)
      builder.append(cell)
    }
  }

  /// Returns this record with a number or null at its end.
  ///
  /// The record is at most eight bytes larger than an existing record.
  func appending(number: Cell) -> Record { (try? appending(number)) ?? self }

  /// Returns this record with one more cell at its end, or with null where the cell makes the record
  /// too large.
  func appending(orNull cell: Cell) -> Record {
    (try? appending(cell)) ?? appending(number: .null)
  }

  /// Returns a record with the first cells of this record.
  func prefix(_ count: Int) -> Record {
    if count >= self.count { return self }
    return (try? rebuilt(count) { $0.append(0..<count, of: self) }) ?? self
  }

  private func rebuilt(
    _ count: Int, _ cells: (RecordBuilder) -> Void
  ) throws(ValueError) -> Record {
    let builder = RecordBuilder()
    builder.begin(columns: count)
    cells(builder)
    return try builder.finish()
  }
}
