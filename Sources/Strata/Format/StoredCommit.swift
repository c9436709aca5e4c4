internal import StrataSQLite

/// The number of the newest commit in the store, and the mark that ties the log to the file.
///
/// Both are in one row, so that every transaction writes the page of the mark.
enum StoredCommit {
  private static let number = SQL("SELECT number FROM strata_commit")
  private static let both = SQL("SELECT number, mark FROM strata_commit")
  private static let readDataVersion = SQL("PRAGMA data_version")
  private static let writeMark = SQL("UPDATE strata_commit SET mark = ?1")
  /// The largest credible number; adding to it cannot overflow.
  private static let most = Int64.max / 2

  /// Creates the table, the first table of a store at a path.
  static func create(_ connection: Connection, at path: String) throws(StoreError) {
    try connection.run("CREATE TABLE strata_commit (number INTEGER NOT NULL, mark TEXT NOT NULL)")
    try connection.prepared(
      "INSERT INTO strata_commit (number, mark) VALUES (0, ?1)",
      .text(LogMark(after: nil, over: [], at: path).text)
    ).perform()
  }

  /// Returns the number that a connection sees.
  ///
  /// - Throws: `SQLITE_CORRUPT` if the number cannot be a commit's, because adding to it could
  ///   overflow.
  static func read(_ connection: Connection) throws(StoreError) -> Int64 {
    try check(try connection.prepared(Self.number).firstInteger() ?? 0)
  }

  /// Returns the number and the mark that a connection sees.
  ///
  /// - Throws: `SQLITE_CORRUPT` if the row is not one that Strata writes.
  static func readMarked(
    _ connection: Connection
  ) throws(StoreError) -> (number: Int64, mark: LogMark) {
    let row = try connection.prepared(both).first { ($0.integer(0), $0.string(1)) }
    guard let row, let mark = LogMark(text: row.1) else {
      throw StoreError(.corrupt("the row has no mark", both))
    }
    return (try check(row.0), mark)
  }

  /// Returns SQLite's counter, which changes with every commit of another connection.
  static func dataVersion(_ connection: Connection) throws(StoreError) -> Int64 {
    try connection.prepared(readDataVersion).firstInteger() ?? 0
  }

  /// Writes a mark, in the caller's transaction.
  static func write(_ mark: LogMark, _ connection: Connection) throws(StoreError) {
    try connection.prepared(writeMark, .text(mark.text)).perform()
  }

  /// Raises the number of the newest commit, in the caller's transaction.
  static func raise(to number: Int64, _ connection: Connection) throws(StoreError) {
    try connection.prepared(
      "UPDATE strata_commit SET number = ?1", .integer(try check(number))
    ).perform()
  }

  private static func check(_ number: Int64) throws(StoreError) -> Int64 {
    if (0...most).contains(number) { return number }
    throw StoreError(.corrupt("\(number) is no number of a commit", Self.number))
  }
}
