internal import Foundation
internal import StrataSQLite

/// How far a store's own changes have been pushed: a table of the store's own, empty until somebody
/// pushes.
enum OutboxTable {
  static let create =
    "CREATE TABLE strata_outbox (acknowledged INTEGER NOT NULL, portion INTEGER NOT NULL, "
    + "done INTEGER NOT NULL, ignored TEXT NOT NULL)"
  private static let read = SQL("SELECT acknowledged, portion, done, ignored FROM strata_outbox")
  private static let remove = SQL("DELETE FROM strata_outbox")
  private static let write = SQL(
    "INSERT INTO strata_outbox (acknowledged, portion, done, ignored) VALUES (?1, ?2, ?3, ?4)")
  private static let acknowledged = SQL("SELECT min(acknowledged) FROM strata_outbox")
  private static let isThere = SQL(
    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'strata_outbox'")
  private static let authors = SQL(
    "SELECT number, author FROM strata_history WHERE number > ?1 AND number <= ?2 ORDER BY number")

  /// A place in the history, and within the portion that is being pushed.
  struct State: Sendable, Equatable {
    /// Everything up to this commit was pushed.
    var acknowledged: Int64
    /// The last commit of the portion that is being pushed; the same if there is none.
    var portion: Int64
    /// The requests of the portion that were acknowledged.
    var done = 0
    /// Whose commits a server knows already.
    var ignored: Set<String>
  }

  /// Nil if nobody has ever pushed.
  static func state(_ connection: Connection) throws(SQLiteError) -> State? {
    // A store of an earlier format has no such table, and so no outbox.
    guard try connection.integer(for: isThere) != nil else { return nil }
    let statement = try connection.statement(for: read)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let ignored = statement.string(3).split(separator: "\n").map(String.init)
    return State(
      acknowledged: statement.integer(0), portion: statement.integer(1),
      done: Int(statement.integer(2)), ignored: Set(ignored))
  }

  static func set(_ state: State, _ connection: Connection) throws(SQLiteError) {
    try connection.statement(for: remove).run()
    let statement = try connection.statement(for: write)
    statement.bind(1, state.acknowledged)
    statement.bind(2, state.portion)
    statement.bind(3, Int64(state.done))
    statement.bind(4, state.ignored.sorted().joined(separator: "\n"))
    try statement.run()
  }

  /// The last commit of the history that may be pruned; nil for any.
  static func lastToPrune(_ connection: Connection) throws(SQLiteError) -> Int64? {
    guard try connection.integer(for: isThere) != nil else { return nil }
    let statement = try connection.statement(for: acknowledged)
    defer { statement.reset() }
    return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
  }

  /// Adds what was committed here after one number up to another.
  static func add(
    after first: Int64, upTo last: Int64, ignoring authors: Set<String>,
    to rows: inout UnpushedRows, _ reader: HistoryReader, _ model: Model, _ connection: Connection
  ) throws(SQLiteError) {
    var numbers: [Int64] = []
    do {
      // The changes of an import's commits are long: they are not even read.
      let statement = try connection.statement(for: Self.authors)
      defer { statement.reset() }
      statement.bind(1, first)
      statement.bind(2, last)
      while try statement.step() {
        if !authors.contains(statement.string(1)) { numbers.append(statement.integer(0)) }
      }
    }
    for number in numbers {
      try reader.forEach(after: number - 1, upTo: number) { entry in
        rows.add(entry.changes ?? model.resetOfEveryTable, commit: number)
        return true
      }
    }
  }
}

/// What waits to be pushed, as the writer knows it between an import's batches.
struct UnpushedIndex {
  private var state: OutboxTable.State?
  private var rows = UnpushedRows()
  /// The last commit that is counted in.
  private var position: Int64 = 0

  /// What waits right now; nil if nobody has ever pushed.
  ///
  /// Runs in the transaction that asks, so nothing is committed in between.
  mutating func current(
    _ connection: Connection, _ layout: HistoryLayout, _ builder: RecordBuilder, _ model: Model,
    upTo commit: Int64
  ) throws(SQLiteError) -> UnpushedRows? {
    guard let stored = try OutboxTable.state(connection) else { return nil }
    if stored.acknowledged != state?.acknowledged || stored.ignored != state?.ignored {
      rows = UnpushedRows()
      position = stored.acknowledged
    }
    state = stored
    try OutboxTable.add(
      after: position, upTo: commit, ignoring: stored.ignored, to: &rows,
      HistoryReader(connection, layout, builder), model, connection)
    position = max(position, commit)
    return rows
  }
}
