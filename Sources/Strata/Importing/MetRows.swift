internal import StrataSQLite

/// The rows of an import that have edits which wait to be pushed.
///
/// Such a row of the server moves the edits (`OutboxEntry.note`), and the store gets the row with the edits
/// laid over it. The entries are written after the rows, without the rows that the import leaves out.
struct MetRows {
  private struct Met {
    let table: Table
    let key: RecordKey
    /// The entry from now on; nil if no edit is left.
    let entry: OutboxEntry?
  }

  private var rows: [Met] = []
  private let answers: AnsweredRequest?

  init(answers: AnsweredRequest?) { self.answers = answers }

  /// Lays the edits over the server's rows.
  ///
  /// - Returns: the counts of the rows in which edits hide the server's values.
  mutating func meet(
    _ layer: inout Layer, in transaction: Transaction
  ) throws(StoreError) -> ProtectedRows.LeftOut {
    var leftOut = ProtectedRows.LeftOut()
    let (model, connection) = (transaction.model, transaction.connection)
    for (id, changes) in layer.tables {
      let table = model[id]
      guard try OutboxTable.hasEntries(of: table, connection) else { continue }
      for (key, change) in changes {
        guard let entry = try OutboxTable.entry(table, key, connection) else { continue }
        let local = try connection.record(key, of: table, transaction.builder)
        let server = transaction.row(change, of: entry, local, in: table)
        let (row, left) = transaction.meet(
          entry, server, local, in: table, isAnswer: answers?.isFor(table, key) == true)
        if left != entry { rows.append(Met(table: table, key: key, entry: left)) }
        let written = change.attributes(of: table)
        let isHidden = written.subtracting(entry.attributesKnownHere(of: table)).isEmpty
        if isHidden && row == local && row != server {
          leftOut.kept += 1
          layer[id, key] = nil
        } else {
          leftOut.hasValues = leftOut.hasValues || row != server
          layer[id, key] = .blind(.set(row))
        }
      }
    }
    return leftOut
  }

  /// Writes the entries, except for those of rows that the import leaves out.
  func write(
    without left: [WorkingSet.Place], _ refused: ArraySlice<ValidationFailure>,
    in transaction: inout Transaction
  ) throws(StoreError) {
    if rows.isEmpty { return }
    let refused = Dictionary(grouping: refused, by: \.entity).mapValues { Set($0.map(\.key)) }
    let left = Dictionary(grouping: left, by: \.table).mapValues { Set($0.map(\.key)) }
    for row in rows
    where refused[row.table.entity]?.contains(row.key) != true
      && left[row.table.id]?.contains(row.key) != true
    {
      try OutboxTable.set(row.entry, row.table, row.key, transaction.connection)
      transaction.isCounted = true
    }
  }
}

extension Transaction {
  /// Returns the row that the server has after a change of an import.
  ///
  /// The import knows only some attributes. The others stay as the server is known to have them, or as
  /// the store has them.
  fileprivate func row(
    _ change: LayerChange, of entry: OutboxEntry, _ local: Record?, in table: Table
  ) -> Record? {
    let known = entry.server { decode($0, of: table) }
    return change.applied(to: known ?? (entry.isDeleted ? nil : local))
  }

  /// Moves the edits of a row onto the server's row.
  fileprivate func meet(
    _ waiting: OutboxEntry, _ server: Record?, _ local: Record?, in table: Table, isAnswer: Bool
  ) -> (row: Record?, left: OutboxEntry?) {
    var entry = waiting
    let rebased = entry.note(server, isAnswer: isAnswer, local: local, in: table, policy: .error) {
      encode($0, of: table)
    } decode: {
      decode($0, of: table)
    }
    return (rebased.row, rebased.isLeft ? entry : nil)
  }
}
