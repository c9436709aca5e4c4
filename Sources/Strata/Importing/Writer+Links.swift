internal import StrataSQLite

// An import makes links when all rows are there. It reads what is linked, so that links that the
// feed does not have any more go; what would link nothing, or waits to be pushed, is left alone
// like any other row.

extension Writer {
  /// Makes the links of some entities what a feed says, as one commit.
  func link(
    _ sets: [LinkSet], _ saving: ImportTarget.Saving, author: String
  ) throws(StoreError) -> BatchOutcome {
    let start = ContinuousClock.now
    var outcome = BatchOutcome()
    (outcome.commit, _) = try transaction(author: author) { connection throws(StoreError) in
      let changes = try link(sets, saving, rowWriter(connection, author: author), &outcome)
      try note(&outcome, saving, connection)
      return changes
    }
    outcome.duration = start.duration(to: .now)
    return outcome
  }

  /// The same in an open transaction. Links are no records: counted are the rows that are kept, and
  /// those that are deleted because an array does not have them.
  func link(
    _ sets: [LinkSet], _ saving: ImportTarget.Saving, _ writer: RowWriter,
    _ outcome: inout BatchOutcome
  ) throws(StoreError) -> [TableID: TableChanges] {
    let connection = writer.connection
    var layer = Layer()
    var absent: [TableID: Int] = [:]
    // What one owner gives up another one may get: whoever gets it has the last word.
    for set in sets {
      switch set.links.kind {
      case .join(let end, _): try removeLinks(set, end, connection, &layer)
      case .referrers(let table, let column, let deletesOthers):
        let removed = try removeReferences(
          set, table, column, deletesOthers: deletesOthers, connection, &layer)
        if deletesOthers { absent[table.id, default: 0] += removed }
      }
    }
    for set in sets {
      switch set.links.kind {
      case .join(let end, let isInverse): try addLinks(set, end, isInverse: isInverse, &layer)
      case .referrers(let table, let column, _):
        try addReferences(set, table, column, connection, &layer)
      }
    }
    var linking = BatchOutcome()
    var saving = saving
    saving.waits = true
    let changes = try write(layer, saving, writer, &linking)
    try saving.noted?.followNow(changes)
    for (table, count) in absent {
      if let changes = changes[table] { outcome.deleted += changes.deletions ?? count }
    }
    outcome.kept += linking.kept
    outcome.refused += linking.refused
    outcome.leftOutValues = outcome.leftOutValues || linking.leftOutValues
    return changes
  }

  private func removeLinks(
    _ set: LinkSet, _ end: JoinTable.End, _ connection: Connection, _ layer: inout Layer
  ) throws(StoreError) {
    let wanted = Set(set.targets)
    for link in try rows(of: end.table, by: end.root, set.owner, connection)
    where !wanted.contains(link.key(end.target)) {
      layer.compose(.blind(.set(nil)), end.table.id, link.key(Table.keyColumn))
    }
  }

  private func addLinks(
    _ set: LinkSet, _ end: JoinTable.End, isInverse: Bool, _ layer: inout Layer
  ) throws(StoreError) {
    let isOrdered = end.table.columns.count > JoinTable.position
    for (place, target) in set.targets.enumerated() {
      let (owner, other) =
        isInverse ? (target.cell, set.owner.cell) : (set.owner.cell, target.cell)
      let record: Record
      do throws(ValueError) {
        let position = end.position == nil ? LinkClock.next() : Double(place + 1)
        record = try Record(
          [try JoinTable.key(owner, other), owner, other] + (isOrdered ? [.real(position)] : []))
      } catch {
        throw .query("\(end.table.entity): \(error.message)", entity: end.table.entity)
      }
      // Who does not order the links leaves them where they are.
      let columns = end.position.map { AttributeSet([$0]) } ?? AttributeSet()
      layer.compose(
        .blind(.patching(columns, onInsert: record)), end.table.id,
        record.key(Table.keyColumn))
    }
  }

  /// Rows that cannot do without their reference keep it until they get another one, or go.
  ///
  /// - Returns: how many rows a set does not have.
  private func removeReferences(
    _ set: LinkSet, _ table: Table, _ column: Int, deletesOthers: Bool, _ connection: Connection,
    _ layer: inout Layer
  ) throws(StoreError) -> Int {
    guard deletesOthers || table.columns[column].isOptional else { return 0 }
    let wanted = Set(set.targets)
    let absent = try rows(of: table, by: column, set.owner, connection)
      .filter { !wanted.contains($0.key(Table.keyColumn)) }
    for row in absent {
      if deletesOthers {
        layer.compose(.blind(.set(nil)), table.id, row.key(Table.keyColumn))
      } else {
        try refer(row, of: table, by: column, to: .null, &layer)
      }
    }
    return absent.count
  }

  private func addReferences(
    _ set: LinkSet, _ table: Table, _ column: Int, _ connection: Connection,
    _ layer: inout Layer
  ) throws(StoreError) {
    for target in set.targets {
      // What is not there has nothing to refer with.
      if let row = try connection.record(target, of: table, builder) {
        try refer(row, of: table, by: column, to: set.owner.cell, &layer)
      }
    }
  }

  private func refer(
    _ row: Record, of table: Table, by column: Int, to owner: Cell, _ layer: inout Layer
  ) throws(StoreError) {
    var cells = (0..<row.count).map { row[$0] }
    cells[column] = owner
    do throws(ValueError) {
      layer.compose(
        .blind(.patching(AttributeSet([column]), onInsert: try Record(cells))), table.id,
        row.key(Table.keyColumn))
    } catch {
      throw .query("\(table.entity): \(error.message)", entity: table.entity)
    }
  }

  private func rows(
    of table: Table, by column: Int, _ key: RecordKey, _ connection: Connection
  ) throws(StoreError) -> ContiguousArray<Record> {
    let statement = try translatingErrors { () throws(SQLiteError) in
      try connection.statement(for: table.sql.selectByReference(column))
    }
    key.bind(to: statement, at: 1)
    return try builder.records(statement, of: table)
  }
}
