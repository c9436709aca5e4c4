internal import StrataSQLite

/// The rows of a store with an outbox that no server has sent. An import deletes none of them because
/// its feed lacks it.
struct LocalRows {
  private let connection: Connection
  private let model: Model

  /// Creates the look-up; nil if the store has no outbox. Such a store is a copy of its feeds.
  init?(_ connection: Connection, _ model: Model) throws(StoreError) {
    guard try OutboxTable.ignoredAuthors(connection) != nil else { return nil }
    self.connection = connection
    self.model = model
  }

  func contains(_ key: RecordKey, of table: Table) throws(StoreError) -> Bool {
    if try !LocalRowsTable.isImported(table, connection) { return true }
    return try LocalRowsTable.contains(key, of: table, connection)
  }

  /// Removes the deletions of local rows from a layer of known changes.
  func keep(_ layer: inout Layer) throws(StoreError) {
    for (table, changes) in layer.tables {
      for (key, change) in changes {
        guard case .known(let change) = change, change.after == nil,
          try contains(key, of: model[table])
        else { continue }
        layer[table, key] = nil
      }
    }
  }

  /// Returns whether the changes of a deletion would delete a local row, too.
  func areHit(by working: WorkingSet) throws(StoreError) -> Bool {
    for (table, rows) in working.tables {
      for row in rows.all where row.before != nil && row.after == nil {
        if try contains(row.key, of: model[table]) { return true }
      }
    }
    return false
  }
}

/// The authors whose commits always write a server's rows.
enum ServerAuthors {
  /// The author of imports that name none.
  static let importing = "import"
  static let always: Set<String> = [importing, EvictionBatch.author]
}

/// A recorder of a commit's changes in a guest table, inside the commit's transaction.
protocol ChangeRecorder {
  func record(_ changes: ContiguousArray<RowChange>, of table: Table) throws(StoreError)
}

/// The recorder of the local rows of imported tables.
struct LocalRowsRecorder: ChangeRecorder {
  enum Author {
    /// The rows are made here.
    case user
    /// The rows are a server's.
    case server
    /// An import notes a server's rows itself. It also writes rows that were set aside.
    case importing
  }

  let connection: Connection
  let author: Author

  func record(_ changes: ContiguousArray<RowChange>, of table: Table) throws(StoreError) {
    switch author {
    case .server where changes.contains { $0.change.after != nil }:
      try noteServerRows(changes.lazy.map(\.key), of: table)
    case .user where changes.contains { $0.change.before == nil }:
      guard try LocalRowsTable.isImported(table, connection) else { return }
      for row in changes where row.change.before == nil {
        try LocalRowsTable.add(row.key, of: table, connection)
      }
    case .server, .user, .importing: break
    }
    if changes.contains(where: { $0.change.after == nil }) {
      try remove(changes.lazy.filter { $0.change.after == nil }.map(\.key), of: table)
    }
  }

  /// Notes that a server has rows of a table.
  func noteServerRows(_ keys: some Sequence<RecordKey>, of table: Table) throws(StoreError) {
    if try !LocalRowsTable.isImported(table, connection) {
      try LocalRowsTable.beginImports(to: table, connection)
    }
    try remove(keys, of: table)
  }

  private func remove(_ keys: some Sequence<RecordKey>, of table: Table) throws(StoreError) {
    guard try LocalRowsTable.hasRows(of: table, connection) else { return }
    for key in keys { try LocalRowsTable.remove(key, of: table, connection) }
  }
}
