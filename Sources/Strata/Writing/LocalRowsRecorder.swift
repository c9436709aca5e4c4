internal import StrataSQLite

/// The authors whose commits always write a server's rows.
enum ServerAuthors {
  /// The author of imports that name none.
  static let importing = "import"
  static let always: Set<String> = [importing, EvictionBatch.author]
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
      try LocalRowsTable.noteServerRows(changes.lazy.map(\.key), of: table, connection)
    case .user where changes.contains { $0.change.before == nil }:
      guard try LocalRowsTable.isImported(table, connection) else { return }
      for row in changes where row.change.before == nil {
        try LocalRowsTable.add(row.key, of: table, connection)
      }
    case .server, .user, .importing: break
    }
    if changes.contains(where: { $0.change.after == nil }) {
      try LocalRowsTable.remove(
        changes.lazy.filter { $0.change.after == nil }.map(\.key), of: table, connection)
    }
  }
}
