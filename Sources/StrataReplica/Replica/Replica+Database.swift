extension Replica {
  /// Follows the server's database from here on, although the store has the rows of another one.
  ///
  /// A replica whose server is another database than before is offline with the code `anotherDatabase`,
  /// and changes nothing there or here. So a wrong connection string costs no row and no edit. Call this if
  /// the other database is meant. Rows of the store that it lacks go, and edits that wait are pushed to it.
  ///
  /// A restored backup, a standby and a dump of the database are the same database.
  ///
  /// ```swift
  /// if case .offline(_, let error) = replica.monitor.current.phase, error.code == .anotherDatabase {
  ///   try await replica.adoptDatabase()
  /// }
  /// ```
  ///
  /// - Throws: ``ReplicaError`` with code `closed`, or why the server cannot be reached or followed.
  /// - Complexity: O(*n*) of all rows, if the database is another one.
  public func adoptDatabase() async throws(ReplicaError) {
    adoptAnyDatabase()
    try await caughtUp()
  }
}
