internal import Foundation
internal import StrataSQLite

/// An open write transaction.
///
/// The writer makes a transaction for each unit that writes, and hands it to a save, an import, an
/// eviction or the outbox. The transaction collects the changes of the written rows. If the body
/// throws, the rows are rolled back and this value is dropped, so that nothing of a failed
/// transaction is remembered.
struct Transaction {
  let store: StoreAccess
  /// The number that the commit gets if anything is written.
  let number: Int64
  let author: String
  let bounds: StoreBounds
  /// Returns the current time, by the clock of the store's options.
  let now: @Sendable () -> Date

  /// Whether the commit is counted even if no row changes, because a guest table was written.
  ///
  /// The writer takes a commit without a number for a commit of another program.
  var isCounted = false
  /// Whether an import writes the rows.
  var isImport = false
  /// Whether an index was made or dropped.
  var hasNewSchema = false
  /// Whether indexes are dropped until an import ends.
  var hasDeferredIndexes: Bool
  /// Whether links may wait for rows; nil before the first look.
  var mayHaveWaitingLinks: Bool?
  /// The number of links that may wait in addition; nil before the first of them.
  var waitingLinkRoom: Int?
  private var written: CollectedChanges
  /// The treatment of the author's edits; nil before the first write.
  private var editRule: EditRule?

  private enum EditRule {
    /// The author writes a server's rows.
    case server
    /// The store has no outbox.
    case local
    /// - Parameter tables: the tables that follow a server; nil if the outbox takes edits of all.
    case pushed(ReplicatedTables?)
  }

  init(
    _ store: StoreAccess, number: Int64, author: String, hasDeferredIndexes: Bool,
    bounds: StoreBounds, now: @escaping @Sendable () -> Date
  ) {
    self.store = store
    self.number = number
    self.author = author
    self.hasDeferredIndexes = hasDeferredIndexes
    self.bounds = bounds
    written = CollectedChanges(listing: bounds.listedRows)
    self.now = now
  }

  var connection: Connection { store.connection }
  var model: Model { store.model }

  /// The changes of all written rows, composed.
  var changes: [TableID: TableChanges] { written.composed }

  /// Reports a table as changed, without a list of its rows.
  mutating func collapseChanges(of table: Table) { written.collapse(table.id) }

  // MARK: - The phases of a save

  /// Runs delete rules, looks for required references, and checks the rules of the schema.
  ///
  /// - Returns: the effects of the delete rules.
  @discardableResult
  mutating func applyRules(to working: inout WorkingSet) throws(StoreError) -> [DeleteEffect] {
    let effects = try runRules(on: &working).effects
    try SaveValidation.check(working, model)
    return effects
  }

  /// Runs delete rules and looks for required references.
  ///
  /// - Parameter waits: whether rows whose reference does not exist yet are taken back and
  ///   returned.
  mutating func runRules(
    on working: inout WorkingSet, waits: Bool = false
  ) throws(StoreError) -> (waiting: [DeleteRules.WaitingRow], effects: [DeleteEffect]) {
    guard model.hasReferences else { return ([], []) }
    if hasDeferredIndexes && working.hasDeletions { try makeDeferredIndexes() }
    var rules = DeleteRules(store)
    let waiting = try rules.run(on: &working, waits: waits)
    return (waiting, rules.effects)
  }

  /// Writes rows and the links that wait for them, and notes their changes.
  ///
  /// If the outbox pushes this author's commits, the rows are noted for it, too. The links are the
  /// server's.
  ///
  /// - Parameter isPushed: whether the outbox may note the rows.
  /// - Returns: the changes of these rows alone, in key order.
  /// - Throws: ``StoreError`` with code `readOnly` if a row is not to be edited here.
  @discardableResult
  mutating func write(
    _ working: inout WorkingSet, isPushed: Bool = true
  ) throws(StoreError) -> [TableID: TableChanges] {
    let links = try makeWaitingLinks(for: &working)
    let recorder = isPushed ? try recorder(for: working) : nil
    let changes = try RowWriter(store: store, listedRows: bounds.listedRows, recorder: recorder)
      .write(&working)
    written.add(changes)
    if var links {
      let writer = RowWriter(store: store, listedRows: bounds.listedRows, recorder: nil)
      written.add(try writer.write(&links))
    }
    return changes
  }

  private mutating func recorder(
    for working: WorkingSet
  ) throws(StoreError) -> any ChangeRecorder {
    let tables: ReplicatedTables?
    switch try rule() {
    case .server:
      return LocalRowsRecorder(connection: connection, author: isImport ? .importing : .server)
    case .local: return LocalRowsRecorder(connection: connection, author: .user)
    case .pushed(let replicated): tables = replicated
    }
    if let tables, !tables.readOnly.isEmpty {
      for (id, rows) in working.tables
      where !rows.all.isEmpty && tables.readOnly.contains(model[id].name) {
        throw .readOnly(model[id])
      }
    }
    return OutboxRecorder(store: store, commit: number, tables: tables)
  }

  private mutating func rule() throws(StoreError) -> EditRule {
    if let editRule { return editRule }
    let rule: EditRule =
      switch try OutboxTable.pushes(author, connection) {
      case true?: .pushed(try OutboxTable.replicatedTables(connection))
      case false?: .server
      case nil: isImport || ServerAuthors.always.contains(author) ? .server : .local
      }
    editRule = rule
    return rule
  }

  /// Notes that a server has the rows of a layer, if the author writes a server's rows.
  mutating func noteServerRows(_ layer: Layer) throws(StoreError) {
    guard case .server = try rule() else { return }
    for (table, changes) in layer.tables {
      try LocalRowsTable.noteServerRows(changes.lazy.map(\.key), of: model[table], connection)
    }
  }

  /// Marks cache entries as imported now.
  mutating func markFresh(_ entries: Set<CacheIdentity>) throws(StoreError) {
    if entries.isEmpty { return }
    try FreshnessTable.mark(entries, at: now(), connection)
    isCounted = true
  }

  /// Makes a cache entry stale, or all entries, so that the server is asked for all of it again.
  mutating func forgetImport(_ entry: CacheIdentity?) throws(StoreError) {
    try FreshnessTable.forget(entry, connection)
    try ValidatorTable.forget(entry, connection)
    isCounted = true
  }

  // MARK: - Indexes

  /// Drops the plain indexes of a table that has exactly `count` rows, until the import ends.
  ///
  /// Unique indexes stay, because they tell which rows collide.
  ///
  /// - Returns: whether the indexes were dropped.
  @discardableResult
  mutating func dropIndexes(of table: Table, having count: Int) throws(StoreError) -> Bool {
    let indexes = table.plainIndexes
    if indexes.isEmpty { return false }
    let rows = try connection.prepared(
      "SELECT count(*) FROM (SELECT 1 FROM \(table.name.quotedIdentifier) LIMIT \(count + 1))"
    ).firstInteger()
    guard rows == Int64(count) else { return false }
    try DeferredIndexes.drop(indexes, of: table.name, connection)
    (hasDeferredIndexes, hasNewSchema) = (true, true)
    return true
  }

  /// Makes every dropped index again.
  ///
  /// Delete rules need the indexes to look up referring rows. On a full disk the indexes stay
  /// dropped, because deletions make room.
  mutating func makeDeferredIndexes() throws(StoreError) {
    guard hasDeferredIndexes else { return }
    do throws(StoreError) {
      try connection.atomically { [connection] () throws(StoreError) in
        while try DeferredIndexes.makeNext(connection) {}
      }
      (hasDeferredIndexes, hasNewSchema) = (false, true)
    } catch {
      guard error.code == .diskFull, connection.isInTransaction else { throw error }
    }
  }
}

extension StoreError {
  fileprivate static func readOnly(_ table: Table) -> StoreError {
    StoreError(
      .readOnly, "the rows of \(table.entity) follow a server, and this replica is read-only",
      advice: "edit them on another host, or open the replica without isReadOnly",
      entity: table.entity)
  }
}

extension Table {
  /// The indexes that only make reading faster.
  var plainIndexes: [TableIndex] { indexes.filter { !$0.isUnique } }
}
