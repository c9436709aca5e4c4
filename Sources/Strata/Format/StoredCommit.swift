internal import StrataSQLite

/// The number of the newest commit, as the store has it.
enum StoredCommit {
  private static let number = SQL("SELECT number FROM strata_commit")
  /// Nobody can count so far, and there is room for numbers after it.
  private static let most = Int64.max / 2

  /// The number that a connection sees.
  ///
  /// - Throws: `SQLITE_CORRUPT` for what is no number of a commit: adding to it could overflow.
  static func read(_ connection: Connection) throws(SQLiteError) -> Int64 {
    let number = try connection.integer(for: Self.number) ?? 0
    guard (0...most).contains(number) else {
      throw .corrupt("\(number) is no number of a commit", Self.number)
    }
    return number
  }
}
