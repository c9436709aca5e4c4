/// The tables that a store follows, and which rows of a server it has, besides those whose edits wait.
package struct FollowedTables: Sendable {
  /// The tables, each after the table to which its filter refers.
  package let tables: [Table]
  private let filters: [TableID: RowFilter]

  /// All rows of some tables.
  package init(_ tables: [Table]) {
    self.tables = tables
    filters = [:]
  }

  /// - Throws: ``StoreError`` with code `invalidQuery` if a filter refers to a table that is not among
  ///   these, or if the references of filters lead back to their table.
  package init(_ followed: [(table: Table, filter: RowFilter?)]) throws(StoreError) {
    let filters = Dictionary(
      followed.compactMap { table, filter in filter.map { (table.id, $0) } }
    ) { $1 }
    var waiting = followed.map(\.table)
    var tables: [Table] = []
    while !waiting.isEmpty {
      let next = waiting.filter { table in
        let target = filters[table.id]?.reference?.target
        return target.map { target in tables.contains { $0 === target } } ?? true
      }
      guard let table = next.first else {
        throw .query(
          "a replica's filter refers to rows that are not followed, or back to its own",
          entity: waiting[0].entity)
      }
      tables.append(table)
      waiting.removeAll { $0 === table }
    }
    self.tables = tables
    self.filters = filters
  }

  package var isEmpty: Bool { filters.isEmpty }

  package subscript(table: Table) -> RowFilter? { filters[table.id] }

  /// The tables whose filters refer to another table.
  package var referring: [(table: Table, reference: FollowedReference)] {
    tables.compactMap { table in self[table]?.reference.map { (table, $0) } }
  }

  /// Returns whether a filter refers to a table.
  package func isTarget(_ table: Table) -> Bool {
    filters.values.contains { $0.reference?.target === table }
  }

  /// Returns the rows of some tables in the order of the tables.
  func sorted(_ parts: [ServerRows]) -> [ServerRows] {
    filters.isEmpty ? parts : tables.flatMap { table in parts.filter { $0.table === table } }
  }
}

/// What a transaction knows of the rows that a store follows.
struct FollowedRows {
  let filters: FollowedTables
  /// The answers so far, for tables to which filters refer.
  private var known: [TableID: [RecordKey: Bool]] = [:]

  init(_ filters: FollowedTables) { self.filters = filters }

  subscript(table: Table, key: RecordKey) -> Bool? { known[table.id]?[key] }

  mutating func note(_ isFollowed: Bool, _ key: RecordKey, of table: Table) {
    if filters.isTarget(table) { known[table.id, default: [:]][key] = isFollowed }
  }

  /// The keys of a table that are known not to be followed.
  func unfollowed(_ table: Table) -> [RecordKey] {
    known[table.id]?.filter { !$0.value }.keys.sorted() ?? []
  }
}

extension Transaction {
  /// Returns what the store has of a row of the server without edits.
  func kept(
    _ row: Record?, of table: Table, _ followed: inout FollowedRows
  ) throws(StoreError) -> Record? {
    guard let row, let filter = followed.filters[table] else { return row }
    guard filter.admits(row) else { return nil }
    guard let reference = filter.reference else { return row }
    if row.isNull(reference.column) { return nil }
    let target = row.key(reference.column)
    return try isFollowed(target, of: reference.target, &followed) ? row : nil
  }

  /// Returns whether the server has a row that the store follows, as far as the store knows.
  func isFollowed(
    _ key: RecordKey, of table: Table, _ followed: inout FollowedRows
  ) throws(StoreError) -> Bool {
    if let answer = followed[table, key] { return answer }
    let row: Record?
    if let entry = try OutboxTable.entry(table, key, connection) {
      row = entry.isKnown ? entry.original.flatMap { decode($0, of: table) } : nil
    } else {
      row = try connection.record(key, of: table, builder)
    }
    let answer = try kept(row, of: table, &followed) != nil
    followed.note(answer, key, of: table)
    return answer
  }

  /// Takes the rows out of the store that refer to rows that are not followed any more.
  ///
  /// Rows whose edits wait stay until the server has the edits.
  func removeRowsOfUnfollowed(
    from working: inout WorkingSet, _ followed: inout FollowedRows
  ) throws(StoreError) {
    for (table, reference) in followed.filters.referring {
      for target in followed.unfollowed(reference.target) {
        let rows = try connection.records(
          of: table, referringTo: target, in: reference.column, builder)
        for row in rows {
          let key = row.key(Table.keyColumn)
          if working.find(table.id, key) != nil { continue }
          if try OutboxTable.entry(table, key, connection) != nil { continue }
          working.tables[table.id, default: .init()].append(
            .init(key: key, before: row, after: nil))
          followed.note(false, key, of: table)
        }
      }
    }
  }
}
