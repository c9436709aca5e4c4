internal import StrataSQLite

/// Copies a table's rows into a table of another shape, cell by cell.
struct TableCopy {
  enum CellSource {
    /// The cell of a column of the old row.
    case column(Int)
    case converted(Int, (Cell) throws -> Cell)
    case made(() throws(ValueError) -> Cell)
    /// A cell that is computed from all cells of the old row.
    case computed((Record) throws -> Cell)

    /// Returns the cell that is made of an old row.
    func cell(of row: Record) throws -> Cell {
      switch self {
      case .column(let column): row[column]
      case .converted(let column, let convert): try convert(row[column])
      case .made(let make): try make()
      case .computed(let compute): try compute(row)
      }
    }
  }

  let connection: Connection
  /// The old table's description; the table itself has the name `oldName` during the copy.
  let old: SchemaDescription.Table
  let oldName: String
  let new: SchemaDescription.Table
  /// The sources of the new table's columns, in the order of its SQL.
  let sources: [CellSource]
  let meter: ProgressMeter

  /// Copies every row in the order of the row numbers.
  ///
  /// The row numbers are kept, unless an integer key takes their place or column names hide them.
  ///
  /// - Complexity: O(n log n) in the number of rows; one row at a time is in memory.
  func run() throws(StoreError) {
    let builder = RecordBuilder()
    let columns = old.ordered
    let rowID = old.rowIDName
    let keepsRowID =
      rowID != nil && new.rowIDName != nil && new[column: new.key]?.storage != .integer
    let names = columns.map(\.name.quotedIdentifier) + (rowID.map { [$0] } ?? [])
    let rows = try connection.prepared(
      "SELECT \(names.joined(separator: ", ")) FROM \(oldName.quotedIdentifier)"
        + (rowID.map { " ORDER BY \($0)" } ?? ""))
    let targets =
      new.ordered.map(\.name.quotedIdentifier)
      + (keepsRowID ? [new.rowIDName].compactMap { $0 } : [])
    let insert = try connection.prepared(
      "INSERT INTO \(new.name.quotedIdentifier) (\(targets.joined(separator: ", "))) VALUES ("
        + (1...targets.count).map { "?\($0)" }.joined(separator: ", ") + ")")
    defer { rows.reset() }
    let waiting = try waitingKeys()
    while try rows.next() {
      let record: Record
      do throws(ValueError) { record = try builder.record(rows, columns: columns.count) } catch {
        throw failure(nil, RecordKey(rows, 0), nil, error)
      }
      let number = keepsRowID ? rows.integer(Int32(columns.count)) : nil
      let code = try insertRow(record, number, insert)
      if code != ResultCode.done {
        if ResultCode.isUniqueness(code) { throw try sameKey(record) }
        throw StoreError(insert.error(code))
      }
      if waiting.contains(record.key(0)), let key = newKey(record) {
        try GuestTables.move(record.key(0), of: oldName, to: key, of: new.name, connection)
      }
      meter.advance()
    }
    if !waiting.isEmpty { try moveDeletions() }
    meter.end()
  }

  // MARK: - Rows that wait to be pushed

  /// Returns the keys of the waiting rows if the copy changes keys; otherwise none.
  private func waitingKeys() throws(StoreError) -> Set<RecordKey> {
    if case .column(0) = sources[0] { return [] }
    return try GuestTables.keys(of: oldName, connection)
  }

  /// Moves the waiting deletions, of which only the keys are left.
  private func moveDeletions() throws(StoreError) {
    for key in try GuestTables.keys(of: oldName, connection) {
      guard let newKey = newKey(key) else { continue }
      try GuestTables.move(key, of: oldName, to: newKey, of: new.name, connection)
    }
  }

  /// Returns the key that a deleted row gets; nil if only the row itself would tell.
  private func newKey(_ key: RecordKey) -> Cell? {
    switch sources[0] {
    case .converted(0, let convert): return try? convert(key.cell)
    case .computed(let compute): return link(key).flatMap { try? compute($0) }
    case .column, .converted, .made: return nil
    }
  }

  /// Returns the link with a key, which is made of the keys of both ends; nil if it is no link's.
  private func link(_ key: RecordKey) -> Record? {
    guard let (owner, target) = JoinTable.ends(of: key.cell) else { return nil }
    let ends = ["owner": owner, "target": target]
    return try? Record(
      old.ordered.map { $0.name.isSameName(as: old.key) ? key.cell : ends[$0.name] ?? .null })
  }

  /// Returns the key of a row in the new table; nil if the key is made anew or not convertible.
  private func newKey(_ record: Record) -> Cell? {
    if case .made = sources[0] { return nil }
    return try? sources[0].cell(of: record)
  }

  // MARK: - Failures

  private func insertRow(
    _ record: Record, _ number: Int64?, _ insert: Statement
  ) throws(StoreError) -> Int32 {
    try record.withView { view throws(StoreError) in
      for (position, source) in sources.enumerated() {
        let parameter = Int32(truncatingIfNeeded: position + 1)
        switch source {
        case .column(let column): view.bind(column, to: insert, at: parameter)
        case .converted(let column, let convert):
          let cell = view.cell(column)
          do { try convert(cell).bind(to: insert, at: parameter) } catch {
            throw failure(position, record.key(0), cell, error)
          }
        case .made(let make):
          do throws(ValueError) { try make().bind(to: insert, at: parameter) } catch {
            throw failure(position, record.key(0), nil, error)
          }
        case .computed(let compute):
          do { try compute(record).bind(to: insert, at: parameter) } catch {
            throw failure(position, record.key(0), nil, error)
          }
        }
      }
      if let number { insert.bind(Int32(sources.count + 1), number) }
      // The statement runs here, because the record's bytes are bound without a copy.
      return insert.runReturningCode()
    }
  }

  private func failure(
    _ position: Int?, _ key: RecordKey, _ value: Cell?, _ error: any Error
  ) -> StoreError {
    let attribute = position.map { new.ordered[$0].name }
    return StoreError(
      .migrationFailed,
      "\(new.entity)\(attribute.map { ".\($0)" } ?? "") of \(key)"
        + (value.map { ": the value \($0) cannot be converted" } ?? "") + ": \(error)",
      advice: "make the conversion accept the value; the store was left as it was",
      entity: new.entity, attributes: attribute.map { [$0] } ?? [], keys: [key])
  }

  /// Returns the error for two rows that get the same key.
  ///
  /// The other row is found by converting every key once more.
  private func sameKey(_ record: Record) throws(StoreError) -> StoreError {
    let key = newKey(record) ?? .null
    let builder = RecordBuilder()
    var other: RecordKey?
    let names = old.ordered.map(\.name.quotedIdentifier).joined(separator: ", ")
    let rows = try connection.prepared("SELECT \(names) FROM \(oldName.quotedIdentifier)")
    defer { rows.reset() }
    while other == nil, try rows.next() {
      // A row that is too large is not the other row, because that row was copied before.
      guard let row = try? builder.record(rows, columns: old.columns.count) else { continue }
      if row.key(0) != record.key(0), newKey(row) == key { other = row.key(0) }
    }
    let both = [record.key(0)] + (other.map { [$0] } ?? [])
    return StoreError(
      .uniquenessViolated,
      "\(new.entity) \(both.map(\.description).joined(separator: " and ")) would have the same key "
        + "\(key)", advice: "make the conversion give every row a key of its own",
      entity: new.entity, attributes: [new.key], keys: both)
  }
}
