internal import StrataSQLite
import StrataTestTurns
import Testing

@Suite(.inTurn) struct CancellationTests {
  private let database: TemporaryDatabase
  private let connection: Connection
  /// A statement that runs until it is stopped.
  private let endless = """
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
    SELECT count(*) FROM numbers
    """

  init() throws {
    database = try TemporaryDatabase()
    connection = try database.open()
  }

  @Test func `a raised flag stops a long statement`() throws {
    let flag = CancellationFlag()
    flag.raise()
    connection.installCancellation(flag)
    #expect(sqliteError { _ = try connection.integer(endless) }?.isInterrupted == true)
  }

  @Test func `a flag raised by another thread stops a statement that runs`() throws {
    let flag = CancellationFlag()
    connection.installCancellation(flag)
    let statement = try connection.prepare(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
    #expect(try statement.step())
    // The flag is raised on a separate thread. The test occupies a thread of the pool, which may be
    // the only thread.
    StoreExecutor("raiser").async { flag.raise() }
    let error = sqliteError { while try statement.step() {} }
    #expect(error?.isInterrupted == true)
  }

  @Test func `the flag does not stop the next statement`() throws {
    let flag = CancellationFlag()
    flag.raise()
    connection.installCancellation(flag)
    _ = sqliteError { _ = try connection.integer(endless) }
    connection.removeCancellation()
    let long = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
      SELECT count(*) FROM n
      """
    #expect(try connection.integer(long) == 100_000)
    connection.installCancellation(CancellationFlag())
    #expect(try connection.integer(long) == 100_000)
    // The connection no longer reads the old flag.
    flag.raise()
    #expect(try connection.integer(long) == 100_000)
  }

  @Test func `a statement that was stopped can run again`() throws {
    try connection.execute("CREATE TABLE numbers (n)")
    let insert = try connection.prepare(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
      INSERT INTO numbers SELECT i FROM n
      """)
    let flag = CancellationFlag()
    flag.raise()
    connection.installCancellation(flag)
    #expect(sqliteError { try insert.run() }?.isInterrupted == true)
    connection.removeCancellation()
    #expect(try connection.integer("SELECT count(*) FROM numbers") == 0)
    try insert.run()
    #expect(try connection.integer("SELECT count(*) FROM numbers") == 50_000)
  }

  @Test func `one connection's flag leaves the others alone`() throws {
    let flag = CancellationFlag()
    flag.raise()
    connection.installCancellation(flag)
    let other = try database.open()
    #expect(
      try other.integer(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) "
          + "SELECT count(*) FROM n") == 50_000)
  }
}
