internal import StrataSQLite
import StrataTestTurns
import Testing

@Suite(.inTurn) struct ConnectionTests {
  private let database: TemporaryDatabase

  init() throws { database = try TemporaryDatabase() }

  @Test func `a store is in write-ahead-log mode for every connection`() throws {
    let writer = try database.open()
    let second = try database.open()
    let reader = try database.open(.readOnly)
    for connection in [writer, second, reader] {
      #expect(try connection.text("PRAGMA journal_mode") == "wal")
    }
  }

  @Test(
    arguments: [
      (Duration.zero, 0), (.milliseconds(1), 1), (.milliseconds(1_500), 1_500),
      (.seconds(5), 5_000),
      (.microseconds(2_900), 2), (.seconds(100_000_000), 2_147_483_647),
    ] as [(Duration, Int64)])
  func `every connection has the busy timeout`(timeout: Duration, milliseconds: Int64) throws {
    let writer = try database.open(busyTimeout: timeout)
    let reader = try database.open(.readOnly, busyTimeout: timeout)
    #expect(try writer.integer("PRAGMA busy_timeout") == milliseconds)
    #expect(try reader.integer("PRAGMA busy_timeout") == milliseconds)
  }

  @Test func `synchronous is what was asked for`() throws {
    #expect(try database.open(synchronous: .normal).integer("PRAGMA synchronous") == 1)
    #expect(try database.open(synchronous: .full).integer("PRAGMA synchronous") == 2)
  }

  @Test func `a read-only connection reads and refuses to write`() throws {
    let writer = try database.open()
    try writer.execute("CREATE TABLE songs (title TEXT)")
    try writer.execute("INSERT INTO songs VALUES ('So What')")
    let reader = try database.open(.readOnly)
    #expect(try reader.text("SELECT title FROM songs") == "So What")
    let error = sqliteError { try reader.execute("INSERT INTO songs VALUES ('Naima')") }
    #expect(error?.isReadOnly == true)
  }

  @Test func `a writer that finds the store locked gives up after the timeout`() throws {
    let first = try database.open()
    try first.execute("CREATE TABLE songs (title TEXT)")
    try first.execute("BEGIN IMMEDIATE")
    let second = try database.open(busyTimeout: .milliseconds(1))
    #expect(sqliteError { try second.execute("BEGIN IMMEDIATE") }?.isBusy == true)
    try first.execute("COMMIT")
    try second.execute("BEGIN IMMEDIATE")
    #expect(second.isInTransaction && !first.isInTransaction)
  }

  @Test func `a pinned reader sees one commit`() throws {
    let writer = try database.open()
    try writer.execute("CREATE TABLE songs (title TEXT)")
    let reader = try database.open(.readOnly)
    try reader.execute("BEGIN")
    #expect(try reader.integer("SELECT count(*) FROM songs") == 0)
    try writer.execute("INSERT INTO songs VALUES ('So What')")
    #expect(try reader.integer("SELECT count(*) FROM songs") == 0)
    try reader.execute("COMMIT")
    #expect(try reader.integer("SELECT count(*) FROM songs") == 1)
  }

  @Test func `the one-value helpers return nil for no row`() throws {
    let connection = try database.open()
    #expect(try connection.integer("SELECT 7") == 7)
    #expect(try connection.integer("SELECT 7 WHERE 0") == nil)
    #expect(try connection.text("SELECT 'é'") == "é")
    #expect(try connection.text("SELECT 'é' WHERE 0") == nil)

  }

  // MARK: The log

  @Test func `a checkpoint is the one event that writes the log back`() throws {
    let connection = try database.open()
    try connection.execute("CREATE TABLE blobs (b)")
    for _ in 0..<1_500 { try connection.execute("INSERT INTO blobs VALUES (zeroblob(3000))") }
    // An automatic checkpoint of SQLite would run at 1,000 frames, and the log would start over.
    #expect(connection.logFrames > 1_500)
    let (frames, done) = try connection.checkpointPassively()
    #expect(frames == connection.logFrames && done == frames)
  }

  @Test func `a checkpoint does not wait for a pinned reader`() throws {
    let writer = try database.open()
    try writer.execute("CREATE TABLE songs (title TEXT)")
    let reader = try database.open(.readOnly)
    try reader.execute("BEGIN")
    _ = try reader.integer("SELECT count(*) FROM songs")
    try writer.execute("INSERT INTO songs VALUES ('So What')")
    let (frames, done) = try writer.checkpointPassively()
    #expect(done < frames)
    try reader.execute("COMMIT")
    let (all, written) = try writer.checkpointPassively()
    #expect(written == all)
  }

  @Test func `letting go of the last connection closes the file`() throws {
    do {
      let connection = try database.open()
      try connection.execute("CREATE TABLE songs (title TEXT)")
      try connection.statement(for: SQL("SELECT count(*) FROM songs")).run()
      #expect(database.exists("-wal"))
    }
    #expect(database.exists("") && !database.exists("-wal"))
  }
}
