import StrataTestTurns
import Testing

@testable import StrataSQLite

@Suite(.inTurn) struct SQLiteErrorTests {
  private let database: TemporaryDatabase
  private let connection: Connection

  init() throws {
    database = try TemporaryDatabase()
    connection = try database.open()
    try connection.execute(
      "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT UNIQUE, password TEXT NOT NULL)")
    try connection.execute("INSERT INTO users VALUES (1, 'miles', 'hunter2')")
  }

  @Test(
    arguments: [
      ("INSERT INTO users VALUES (1, 'x', 'x')", 1_555, true),
      ("INSERT INTO users VALUES (2, 'miles', 'x')", 2_067, true),
      ("INSERT INTO users VALUES (2, 'x', NULL)", 1_299, false),
      ("SELECT nothing FROM nowhere", 1, false),
    ] as [(String, Int32, Bool)])
  func `an error has the extended code`(sql: String, code: Int32, isUniqueness: Bool) throws {
    let error = try #require(sqliteError { try connection.execute(sql) })
    #expect(error.code == code && error.primary == code & 0xFF)
    #expect(error.sql == sql)
    #expect(ResultCode.isUniqueness(error.code) == isUniqueness)
  }

  @Test func `a row number that is there twice is a uniqueness violation`() throws {
    try connection.execute("CREATE TABLE plain (n)")
    try connection.execute("INSERT INTO plain (rowid, n) VALUES (1, 1)")
    let insert = try connection.prepare("INSERT INTO plain (rowid, n) VALUES (1, 1)")
    #expect(ResultCode.isUniqueness(insert.runReturningCode()))
  }

  @Test func `an error shows the SQL but never a bound value`() throws {
    let insert = try connection.prepare("INSERT INTO users VALUES (?1, ?2, ?3)")
    insert.bind(1, Int64(4_711))
    insert.bind(2, "miles")
    insert.bind(3, "secret")
    let error = try #require(sqliteError { try insert.run() })
    #expect(error.sql == "INSERT INTO users VALUES (?1, ?2, ?3)")
    for value in ["miles", "secret", "4711"] { #expect(!"\(error)".contains(value)) }
    #expect("\(error)".contains("2067") && "\(error)".contains("users.name"))
  }

  @Test func `SQL that does not compile is in the error`() throws {
    let error = try #require(sqliteError { _ = try connection.prepare("SELEC 1") })
    #expect(error.sql == "SELEC 1" && error.message.contains("SELEC"))
  }

  @Test func `running and returning a code tells done from a constraint`() throws {
    let insert = try connection.prepare("INSERT INTO users VALUES (2, ?1, 'x')")
    insert.bind(1, "john")
    #expect(insert.runReturningCode() == ResultCode.done)
    #expect(insert.runReturningCode() & 0xFF == ResultCode.constraint)
  }

  @Test func `a full disk is told from other errors, and nothing is lost`() throws {
    try connection.execute("CREATE TABLE blobs (b BLOB)")
    let pages = try #require(try connection.integer("PRAGMA page_count"))
    try connection.execute("PRAGMA max_page_count = \(pages + 5)")
    let insert = try connection.prepare("INSERT INTO blobs VALUES (zeroblob(1000))")
    try connection.execute("BEGIN IMMEDIATE")
    let error = try #require(sqliteError { while true { try insert.run() } })
    #expect(error.isFull && error.code == 13)
    if connection.isInTransaction { try connection.execute("ROLLBACK") }
    #expect(try connection.integer("SELECT count(*) FROM blobs") == 0)
    #expect(try connection.text("SELECT name FROM users") == "miles")
    try connection.execute("PRAGMA max_page_count = 1000000")
    try insert.run()
    #expect(try connection.integer("SELECT count(*) FROM blobs") == 1)
  }

  @Test func `an error without a connection has the message of its code`() {
    let error = SQLiteError(code: 13, connection: nil, sql: nil)
    #expect(error.message == "database or disk is full")
    #expect("\(error)" == "SQLite error 13: database or disk is full")
  }

  @Test func `the returned code counts, not the connection's last error`() {
    _ = sqliteError { try connection.execute("SELECT nothing FROM nowhere") }
    let error = SQLiteError(code: 13, connection: connection.handle, sql: "x")
    #expect(error.code == 13 && error.message == "database or disk is full")
  }

  @Test(
    arguments: [
      (5, \SQLiteError.isBusy), (261, \.isBusy), (9, \.isInterrupted), (13, \.isFull),
      (26, \.isNotADatabase), (11, \.isCorrupt), (14, \.cannotOpen), (8, \.isReadOnly),
      (1_032, \.isReadOnly), (18, \.isTooBig), (7, \.isOutOfMemory), (10, \.isInputOutput),
      (522, \.isInputOutput),
    ] as [(Int32, any KeyPath<SQLiteError, Bool> & Sendable)])
  func `each kind of error is only that kind`(
    code: Int32, kind: any KeyPath<SQLiteError, Bool> & Sendable
  ) {
    let kinds: [KeyPath<SQLiteError, Bool>] = [
      \.isBusy, \.isInterrupted, \.isFull, \.isNotADatabase, \.isCorrupt, \.cannotOpen,
      \.isReadOnly, \.isTooBig, \.isOutOfMemory, \.isInputOutput,
    ]
    let error = SQLiteError(code: code, message: "", sql: nil)
    #expect(kinds.filter { error[keyPath: $0] } == [kind])
  }
}
