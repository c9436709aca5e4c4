internal import StrataSQLite

/// The tables of a store that follow a server, by name.
struct ReplicatedTables: Sendable, Equatable {
  /// The tables whose edits wait to be pushed. A table that is no longer followed stays one of them, so
  /// that its edits wait until it is followed again.
  var pushed: Set<String> = []
  /// The tables whose rows are not edited here.
  var readOnly: Set<String> = []

  func takesEdits(of table: String) -> Bool {
    pushed.contains(table) && !readOnly.contains(table)
  }
}

// The two lists stand among the ignored authors of the outbox. A list begins with its name, and no
// name of a list or of a table has its separator.
extension OutboxTable {
  private static let pushedList = "strata.replica.tables"
  private static let readOnlyList = "strata.replica.readOnly"
  private static let lists = SQL(
    "SELECT ignored FROM strata_outbox WHERE ignored > 'strata.replica.' AND ignored < 'strata.replica/'"
  )
  private static let setList = SQL("UPDATE strata_outbox SET ignored = ?2 WHERE ignored = ?1")

  /// Returns the tables that follow a server; nil if no replica has opened the outbox.
  static func replicatedTables(
    _ connection: Connection
  ) throws(StoreError) -> ReplicatedTables? {
    var found: ReplicatedTables?
    for list in try connection.prepared(lists).map({ $0.string(0) }) {
      let names = list.split(separator: AttributeNames.separator).map(String.init)
      var tables = found ?? ReplicatedTables()
      switch names.first {
      case pushedList: tables.pushed = Set(names.dropFirst())
      case readOnlyList: tables.readOnly = Set(names.dropFirst())
      default: continue
      }
      found = tables
    }
    return found
  }

  /// Opens the outbox for the edits of some tables, except those of some authors.
  static func open(
    for tables: ReplicatedTables, ignoring authors: Set<String>, _ connection: Connection
  ) throws(StoreError) {
    let lists = [
      list(pushedList, tables.pushed),
      tables.readOnly.isEmpty ? nil : list(readOnlyList, tables.readOnly),
    ]
    try open(ignoring: authors.union(lists.compactMap(\.self)), connection)
  }

  /// Changes the name of a table in the lists.
  static func renameReplicated(
    _ table: String, to name: String, _ connection: Connection
  ) throws(StoreError) {
    for text in try connection.prepared(lists).map({ $0.string(0) }) {
      let names = text.split(separator: AttributeNames.separator).map(String.init)
      guard let first = names.first, names.dropFirst().contains(table) else { continue }
      let renamed = Set(names.dropFirst().map { $0 == table ? name : $0 })
      try connection.run(setList, .text(text), .text(list(first, renamed)))
    }
  }

  private static func list(_ name: String, _ tables: Set<String>) -> String {
    ([name] + tables.sorted()).joined(separator: String(AttributeNames.separator))
  }
}
