internal import StrataSQLite

/// The number of the newest commit in the store.
enum StoredCommit {
  private static let number = SQL("SELECT number FROM strata_commit")
  /// The largest credible number; adding to it cannot overflow.
  private static let most = Int64.max / 2

  /// Returns the number that a connection sees.
  ///
  /// - Throws: `SQLITE_CORRUPT` if the number cannot be a commit's, because adding to it could
  ///   overflow.
  static func read(_ connection: Connection) throws(StoreError) -> Int64 {
    let number = try connection.prepared(Self.number).firstInteger() ?? 0
    guard (0...most).contains(number) else {
      throw StoreError(.corrupt("\(number) is no number of a commit", Self.number))
    }
    return number
  }
}
