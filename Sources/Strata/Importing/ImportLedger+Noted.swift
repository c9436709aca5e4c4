internal import StrataSQLite

// The rows that existed when an import began: rows that its feed may lack, and rows that delete
// rules would delete with them. Rows that the feed has are crossed off. At the end, rows that are
// dealt with are crossed off, too.

private let addNoted = SQL("INSERT OR IGNORE INTO noted VALUES (?1, ?2, ?3, ?4)")
private let crossOff = SQL("DELETE FROM noted WHERE tableIndex = ?1 AND key = ?2")
private let noteAgain = SQL(
  "UPDATE noted SET hash = ?3 WHERE tableIndex = ?1 AND key = ?2 AND hash = ?4")
private let isNoted = SQL("SELECT 1 FROM noted WHERE tableIndex = ?1 AND key = ?2 AND hash = ?3")
private let countAbsent = SQL("SELECT count(*) FROM noted WHERE tableIndex = ?1 AND isAbsent")
private let absent = SQL(
  "SELECT key, hash FROM noted WHERE tableIndex = ?1 AND isAbsent ORDER BY key LIMIT ?2")
private let selectAbsent = SQL(
  "SELECT hash FROM noted WHERE tableIndex = ?1 AND key = ?2 AND isAbsent")
private let absentAfter = SQL(
  "SELECT key, hash FROM noted WHERE tableIndex = ?1 AND isAbsent AND key > ?3 ORDER BY key LIMIT ?2"
)

extension ImportLedger {
  /// Notes rows of a scope; the notes of an earlier scope stay as they are.
  nonisolated func addNow(
    _ rows: [RowVersion], of scope: ImportScope
  ) throws(StoreError) {
    try now { ledger throws(StoreError) in
      try ledger.inTransaction { connection throws(StoreError) in
        let statement = try connection.prepared(addNoted)
        for row in rows {
          statement.bind(1, Int64(scope.table.id.index))
          row.key.bind(to: statement, at: 2)
          statement.bind(3, Int64(row.hash))
          statement.bind(4, Int64(scope.purpose == .dependents ? 0 : 1))
          try statement.perform()
        }
      }
    }
  }

  /// Crosses off rows that the feed has.
  package func remove(_ keys: BatchKeys) throws(StoreError) {
    try inTransaction { connection throws(StoreError) in
      let statement = try connection.prepared(crossOff)
      for (table, keys) in keys.keys {
        for key in keys {
          statement.bind(1, Int64(table.index))
          key.bind(to: statement, at: 2)
          try statement.perform()
        }
      }
    }
  }

  // MARK: The end

  /// Returns the next rows of some tables that were not crossed off, after another page.
  ///
  /// - Returns: rows of one table, in key order; nil if there are no more.
  package func absentPage(
    after last: AbsentPage?, in tables: [Table], limit: Int
  ) throws(StoreError) -> AbsentPage? {
    var key = last?.rows.last?.key
    for table in tables.drop(while: { last != nil && $0 !== last?.table }) {
      let statement = try connection.prepared(
        key == nil ? absent : absentAfter, .integer(Int64(table.id.index)), .integer(Int64(limit)))
      key?.bind(to: statement, at: 3)
      let rows = try statement.map {
        RowVersion(key: RecordKey($0, 0), hash: Int($0.integer(1)))
      }
      if !rows.isEmpty { return AbsentPage(table: table, rows: rows) }
      key = nil
    }
    return nil
  }

  /// Returns a row if it is absent and was not dealt with.
  func absentRow(_ key: RecordKey, of table: Table) throws(StoreError) -> RowVersion? {
    let statement = try connection.prepared(selectAbsent, .integer(Int64(table.id.index)), key.cell)
    return try statement.first { RowVersion(key: key, hash: Int($0.integer(0))) }
  }

  /// Returns the number of absent rows that were not dealt with, because other rows hold them.
  func heldCount(in tables: [Table]) throws(StoreError) -> Int {
    var count = 0
    for table in tables {
      let rows = try connection.prepared(countAbsent, .integer(Int64(table.id.index)))
      count += Int(try rows.firstInteger() ?? 0)
    }
    return count
  }

  /// Returns whether a row is not as it was noted, or whether the feed has a row.
  nonisolated func hasOtherNow(
    among rows: [(table: TableID, row: RowVersion)]
  ) throws(StoreError) -> Bool {
    if rows.isEmpty { return false }
    return try now { ledger throws(StoreError) in
      let statement = try ledger.connection.prepared(isNoted)
      for (table, row) in rows {
        statement.bind(1, Int64(table.index))
        row.key.bind(to: statement, at: 2)
        statement.bind(3, Int64(row.hash))
        if try !statement.hasRow() { return true }
      }
      return false
    }
  }

  /// Notes the import's own changes of noted rows, so that they do not count as changes by others.
  nonisolated func followNow(_ changes: [TableID: TableChanges]) throws(StoreError) {
    try now { ledger throws(StoreError) in
      try ledger.inTransaction { connection throws(StoreError) in
        let removal = try connection.prepared(crossOff)
        let update = try connection.prepared(noteAgain)
        for (table, changes) in changes {
          guard case .rows(let rows) = changes else { continue }
          for row in rows {
            guard let before = row.change.before else { continue }
            let statement = row.change.after == nil ? removal : update
            statement.bind(1, Int64(table.index))
            row.key.bind(to: statement, at: 2)
            if let after = row.change.after {
              statement.bind(3, Int64(RowVersion(after).hash))
              statement.bind(4, Int64(RowVersion(before).hash))
            }
            try statement.perform()
          }
        }
      }
    }
  }

  /// Crosses off the rows of a page, except for rows that other rows hold and may release later.
  nonisolated func crossOffNow(
    _ page: AbsentPage, holding held: [RowVersion]
  ) throws(StoreError) {
    let held = Set(held.map(\.key))
    let keys = page.rows.map(\.key).filter { !held.contains($0) }
    try now { ledger throws(StoreError) in
      try ledger.remove(BatchKeys(keys: [(page.table.id, keys)]))
    }
  }
}

extension Snapshot {
  /// Notes the rows of some scopes, and the rows that delete rules may delete with them.
  func noteRows(
    of scopes: [ImportScope], in ledger: ImportLedger
  ) async throws(StoreError) {
    try await readOnce { reader, connection throws(StoreError) in
      let dependents = ImportScope.dependents(of: scopes, reader.model)
      for scope in scopes + dependents {
        let plan = scope.plan
        let rows = try connection.prepared(
          plan.select(limit: plan.limit, offset: plan.offset), reader.model)
        defer { rows.reset() }
        var page: [RowVersion] = []
        while try rows.next() {
          page.append(RowVersion(try reader.builder.record(rows, of: plan.table)))
          if page.count < RowVersion.batchSize { continue }
          try ledger.addNow(page, of: scope)
          page.removeAll(keepingCapacity: true)
        }
        try ledger.addNow(page, of: scope)
      }
    }
  }
}

/// A page of a table's absent rows, as they were when the import began.
package struct AbsentPage: Sendable {
  let table: Table
  let rows: [RowVersion]
}
