internal import StrataSQLite

// An import makes links when all rows are there. It reads what is linked, so that links that the feed
// does not have any more go; what would link nothing, or waits to be pushed, is left alone like any
// other row.

extension Writer {
  /// Makes the links of some entities what a feed says, as one commit.
  func link(
    _ sets: [LinkSet], _ saving: ImportTarget.Saving, author: String
  ) throws(StoreError) -> BatchOutcome {
    let start = ContinuousClock.now
    var outcome = BatchOutcome()
    (outcome.commit, _) = try transaction(author: author) { connection throws(StoreError) in
      try link(sets, saving, rowWriter(connection, author: author), &outcome)
    }
    outcome.duration = start.duration(to: .now)
    return outcome
  }

  /// The same in an open transaction. Only what is kept is counted: links are no records.
  func link(
    _ sets: [LinkSet], _ saving: ImportTarget.Saving, _ writer: RowWriter,
    _ outcome: inout BatchOutcome
  ) throws(StoreError) -> [TableID: TableChanges] {
    let connection = writer.connection
    var layer = Layer()
    for set in sets {
      switch set.links.kind {
      case .join(let end, let isInverse):
        try addLinks(set, end, isInverse: isInverse, connection, &layer)
      case .referrers(let table, let column):
        try addReferences(set, table, column, connection, &layer)
      }
    }
    var linking = BatchOutcome()
    var saving = saving
    saving.waits = true
    let changes = try write(layer, saving, writer, &linking)
    try saving.noted?.followNow(changes)
    outcome.kept += linking.kept
    outcome.refused += linking.refused
    return changes
  }

  private func addLinks(
    _ set: LinkSet, _ end: JoinTable.End, isInverse: Bool, _ connection: Connection,
    _ layer: inout Layer
  ) throws(StoreError) {
    let wanted = Set(set.targets)
    for link in try rows(of: end.table, by: end.root, set.owner, connection)
    where !wanted.contains(link.key(end.target)) {
      layer.compose(.blind(.set(nil)), end.table.id, link.key(Table.keyColumn))
    }
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

  /// Rows that cannot do without their reference keep it until they get another one.
  private func addReferences(
    _ set: LinkSet, _ table: Table, _ column: Int, _ connection: Connection,
    _ layer: inout Layer
  ) throws(StoreError) {
    let columns = AttributeSet([column])
    func refer(_ row: Record, to owner: Cell) throws(StoreError) {
      var cells = (0..<row.count).map { row[$0] }
      cells[column] = owner
      do throws(ValueError) {
        layer.compose(
          .blind(.patching(columns, onInsert: try Record(cells))), table.id,
          row.key(Table.keyColumn))
      } catch {
        throw .query("\(table.entity): \(error.message)", entity: table.entity)
      }
    }
    let wanted = Set(set.targets)
    if table.columns[column].isOptional {
      for row in try rows(of: table, by: column, set.owner, connection)
      where !wanted.contains(row.key(Table.keyColumn)) {
        try refer(row, to: .null)
      }
    }
    for target in wanted {
      // What is not there has nothing to refer with.
      if let row = try connection.record(target, of: table, builder) {
        try refer(row, to: set.owner.cell)
      }
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
