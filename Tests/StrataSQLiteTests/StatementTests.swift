internal import StrataSQLite
import StrataTestTurns
import Testing

@Suite(.inTurn) struct StatementTests {
  private let database: TemporaryDatabase
  private let connection: Connection

  init() throws {
    database = try TemporaryDatabase()
    connection = try database.open()
  }

  @Test func `every storage class is bound and read as itself`() throws {
    let statement = try connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5")
    statement.bindNull(1)
    statement.bind(2, Int64.min)
    statement.bind(3, -0.5)
    statement.bind(4, "a\0é")
    statement.bind(5, blob: [0, 255])
    #expect(try statement.step())
    let classes = (0..<5).map { statement.storageClass($0) }
    #expect(classes == [.null, .integer, .real, .text, .blob])
    #expect(statement.isNull(0) && !statement.isNull(1))
    #expect(statement.integer(1) == .min && statement.real(2) == -0.5)
    #expect(statement.string(3) == "a\0é" && Array(statement.text(3)) == Array("a\0é".utf8))
    #expect(Array(statement.blob(4)) == [0, 255])
    #expect(statement.columnCount == 5 && statement.parameterCount == 5)
  }

  @Test func `empty text and an empty blob are not null`() throws {
    let statement = try connection.prepare("SELECT ?1, ?2")
    statement.bind(1, "")
    statement.bind(2, blob: [])
    #expect(try statement.step())
    #expect(statement.storageClass(0) == .text && statement.text(0).isEmpty)
    #expect(statement.storageClass(1) == .blob && statement.blob(1).isEmpty)
  }

  @Test func `bytes that outlive the step are bound without a copy`() throws {
    let statement = try connection.prepare("SELECT ?1, ?2")
    let bytes: [UInt8] = [97, 0, 98]
    try bytes.withUnsafeBytes { bytes in
      let start = try #require(bytes.baseAddress)
      statement.bindStaticText(1, start, 3)
      statement.bindStaticBlob(2, start, 2)
      #expect(try statement.step())
      #expect(statement.string(0) == "a\0b" && Array(statement.blob(1)) == [97, 0])
      statement.reset()
      statement.bindStaticText(1, start, 0)
      statement.bindStaticBlob(2, start, 0)
      #expect(try statement.step())
      #expect(statement.storageClass(0) == .text && statement.storageClass(1) == .blob)
      statement.reset()
    }
  }

  @Test func `a statement starts over after its last row`() throws {
    let statement = try connection.prepare("SELECT 1 UNION ALL SELECT 2")
    for _ in 0..<3 {
      var rows: [Int64] = []
      while try statement.step() { rows.append(statement.integer(0)) }
      #expect(rows == [1, 2])
    }
  }

  @Test func `a statement that failed can run again`() throws {
    try connection.execute("CREATE TABLE numbers (n UNIQUE)")
    let insert = try connection.prepare("INSERT INTO numbers VALUES (?1)")
    for _ in 0..<2 {
      insert.bind(1, Int64(1))
      _ = insert.runReturningCode()
    }
    insert.bind(1, Int64(2))
    try insert.run()
    #expect(try connection.integer("SELECT count(*) FROM numbers") == 2)
  }

  // The error must not make the next step fail, because every parameter is bound again before it.
  @Test func `a value that cannot be bound is forgotten with a reset`() throws {
    let statement = try connection.prepare("SELECT ?1")
    let byte: [UInt8] = [97]
    try byte.withUnsafeBytes { bytes in
      // SQLite refuses the length before it reads the bytes.
      statement.bindStaticText(1, try #require(bytes.baseAddress), Int(Int32.max) + 1)
    }
    statement.reset()
    statement.bind(1, Int64(1))
    #expect(try statement.step())
    #expect(statement.integer(0) == 1)
  }

  @Test func `a failed statement lets the transaction end`() throws {
    try connection.execute("CREATE TABLE numbers (n UNIQUE)")
    let insert = try connection.prepare("INSERT INTO numbers VALUES (1)")
    try connection.execute("BEGIN IMMEDIATE")
    try insert.run()
    #expect(throws: SQLiteError.self) { try insert.run() }
    try connection.execute("COMMIT")
    #expect(!connection.isInTransaction)
  }

  @Test func `a statement knows its text`() throws {
    #expect(try connection.prepare("SELECT ?1").sql == "SELECT ?1")
  }

  @Test func `a statement may outlive its connection`() throws {
    var other: Connection? = try database.open()
    let statement = try #require(try other?.prepare("SELECT 7"))
    other = nil
    #expect(try statement.step())
    #expect(statement.integer(0) == 7)
  }
}
