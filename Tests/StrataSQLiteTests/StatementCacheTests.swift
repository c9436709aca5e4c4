import StrataTestTurns
import Testing

@testable import StrataSQLite

@Suite(.inTurn) struct StatementCacheTests {
  private let database: TemporaryDatabase
  private let connection: Connection

  init() throws {
    database = try TemporaryDatabase()
    connection = try database.open()
  }

  @Test func `the same SQL object has the same statement`() throws {
    let sql = SQL("SELECT 1")
    #expect(try connection.statement(for: sql) === connection.statement(for: sql))
  }

  @Test func `two SQL objects have two statements, even with equal text`() throws {
    let first = SQL("SELECT 1")
    let second = SQL("SELECT 1")
    #expect(try connection.statement(for: first) !== connection.statement(for: second))
  }

  @Test func `two connections have a statement each`() throws {
    let sql = SQL("SELECT 1")
    let other = try database.open()
    #expect(try connection.statement(for: sql) !== other.statement(for: sql))
  }

  @Test func `statements keep working if there are more texts than the cache holds`() throws {
    let texts = (0..<(3 * StatementCache.capacity)).map { SQL("SELECT \($0)") }
    for _ in 0..<2 {
      for (number, sql) in texts.enumerated() {
        let statement = try connection.statement(for: sql)
        #expect(try statement.step() && statement.integer(0) == Int64(number))
        statement.reset()
      }
    }
  }

  @Test func `the statement that was used last stays in the cache, and the one used first goes`()
    throws
  {
    let texts = (0..<StatementCache.capacity).map { SQL("SELECT \($0)") }
    let statements = try texts.map { try connection.statement(for: $0) }
    let often = try connection.statement(for: texts[0])
    _ = try connection.statement(for: SQL("SELECT 'one too many'"))
    #expect(try connection.statement(for: texts[0]) === often)
    let last = texts.indices.last ?? 0
    #expect(try connection.statement(for: texts[last]) === statements[last])
    #expect(try connection.statement(for: texts[1]) !== statements[1])
  }

  @Test func `a statement that runs survives its eviction`() throws {
    let running = try connection.statement(for: SQL("SELECT 1 UNION ALL SELECT 2"))
    #expect(try running.step())
    for number in 0..<(2 * StatementCache.capacity) {
      _ = try connection.statement(for: SQL("SELECT \(number)"))
    }
    #expect(running.integer(0) == 1)
    #expect(try running.step())
    #expect(running.integer(0) == 2)
  }

  @Test func `a text that does not compile is not cached`() throws {
    let sql = SQL("SELECT n FROM numbers")
    #expect(throws: SQLiteError.self) { _ = try connection.statement(for: sql) }
    try connection.execute("CREATE TABLE numbers (n)")
    #expect(try connection.statement(for: sql).step() == false)
  }
}
