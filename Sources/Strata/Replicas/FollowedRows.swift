internal import StrataSQLite

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

  package var hasFilters: Bool { !filters.isEmpty }

  package subscript(table: Table) -> RowFilter? { filters[table.id] }

  /// The tables whose filters refer to another table.
  package var referring: [(table: Table, reference: FollowedReference)] {
    tables.compactMap { table in self[table]?.reference.map { (table, $0) } }
  }

  /// Returns whether a filter refers to a table.
  package func isTarget(_ table: Table) -> Bool {
    filters.values.contains { $0.reference?.target === table }
  }

  /// Returns the tables of the two ends of a join table; nothing for the table of an entity.
  package func ends(of table: Table) -> [Table] {
    guard table.isJoin else { return [] }
    return table.references.compactMap { end in tables.first { $0.id == end.target } }
  }

  /// Returns the rows of some tables in the order of the tables.
  func sorted(_ parts: [ServerRows]) -> [ServerRows] {
    !hasFilters ? parts : tables.flatMap { table in parts.filter { $0.table === table } }
  }
}

/// What a store knows of the rows of a server that it follows.
///
/// The server's version of a row decides, never the edits of this host that wait.
struct FollowedRows {
  let tables: FollowedTables
  private let store: StoreAccess
  /// The answers so far, for tables to which filters refer.
  private var known: [TableID: [RecordKey: Bool]] = [:]

  init(_ tables: FollowedTables, _ store: StoreAccess) {
    self.tables = tables
    self.store = store
  }

  /// Returns what the store has of a row of the server without edits.
  mutating func kept(_ row: Record?, of table: Table) throws(StoreError) -> Record? {
    guard let row, let filter = tables[table] else { return row }
    guard filter.admits(row) else { return nil }
    guard let reference = filter.reference else { return row }
    if row.isNull(reference.column) { return nil }
    return try isFollowed(row.key(reference.column), of: reference.target) ? row : nil
  }

  /// Returns whether the server has a row that the store follows, as far as the store knows.
  mutating func isFollowed(_ key: RecordKey, of table: Table) throws(StoreError) -> Bool {
    if let answer = known[table.id]?[key] { return answer }
    let row: Record?
    if let entry = try OutboxTable.entry(table, key, store.connection) {
      row = entry.server(store.coding(of: table))
    } else {
      row = try store.record(key, of: table)
    }
    let answer = try kept(row, of: table) != nil
    note(answer, key, of: table)
    return answer
  }

  /// Notes whether the store follows a row, as a pull has told.
  mutating func note(_ isFollowed: Bool, _ key: RecordKey, of table: Table) {
    if tables.isTarget(table) { known[table.id, default: [:]][key] = isFollowed }
  }

  /// Takes the rows out of the store that refer to rows that are not followed any more.
  ///
  /// Rows whose edits wait stay until the server has the edits.
  mutating func removeRowsOfUnfollowed(from working: inout WorkingSet) throws(StoreError) {
    for (table, reference) in tables.referring {
      for target in unfollowed(reference.target) {
        let rows = try store.records(of: table, referringTo: target, in: reference.column)
        for row in rows {
          let key = row.key(Table.keyColumn)
          if working.find(table.id, key) != nil { continue }
          if try OutboxTable.entry(table, key, store.connection) != nil {
            // The rows that refer to this one go, if the server's version refers to the target.
            _ = try isFollowed(key, of: table)
            continue
          }
          working.tables[table.id, default: .init()].append(
            .init(key: key, before: row, after: nil))
          note(false, key, of: table)
        }
      }
    }
  }

  /// The keys of a table that are known not to be followed.
  private func unfollowed(_ table: Table) -> [RecordKey] {
    known[table.id]?.filter { !$0.value }.keys.sorted() ?? []
  }
}
