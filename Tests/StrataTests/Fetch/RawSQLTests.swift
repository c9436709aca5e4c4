internal import StrataSQLite
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Sale.self, Shop.self)) @MainActor struct RawSQLTests {
  let stack = Stack.test

  private let sales = [
    Sale(id: 1, region: "north", kind: .card, units: 3, stars: 4, price: 1.5, rebate: 0.5),
    Sale(id: 2, region: "x'; DROP TABLE sales; --", units: 5),
    Sale(id: 3, units: 8, price: -2),
  ]

  private func save() async throws {
    try await stack.withScratch { scratch in sales.forEach(scratch.insert) }
  }

  private func refusal<R>(
    _ read: @MainActor () async throws -> R
  ) async -> StoreError? {
    do {
      _ = try await read()
      Issue.record("nothing was refused")
      return nil
    } catch { return error as? StoreError }
  }

  // MARK: Results

  @Test func `a statement's rows are read as entities by the names of their columns`() async throws
  {
    try await save()
    let least: Int64 = 4
    let read = try await stack.read(
      "SELECT *, 1 AS other FROM sales WHERE units > \(least) ORDER BY id", as: Sale.self)
    #expect(read == Array(sales[1...]))
    // The columns have a different order and case, and an integer stands for a real number.
    let mixed = try await stack.read(
      """
      SELECT 7 AS PRICE, units, id, shopID, stars, 'card' AS kind, NULL AS region, rebate FROM \(Sale.self)
      WHERE \(\Sale.id) = \(Int64(1))
      """, as: Sale.self)
    #expect(
      mixed == [Sale(id: 1, kind: .card, units: 3, stars: 4, price: 7, rebate: 0.5)])
  }

  @Test func `a statement's rows are read as values`() async throws {
    try await save()
    #expect(try await stack.read("SELECT units FROM sales", as: Int.self) == [3, 5, 8])
    #expect(try await stack.read("SELECT count(*) FROM sales", as: Double.self) == [3])
    let rows = try await stack.read(
      "SELECT region, kind, rebate FROM sales ORDER BY id DESC", as: String?.self, Sale.Kind.self,
      Double?.self)
    #expect(rows.map(\.0) == [nil, sales[1].region, "north"])
    #expect(rows.map(\.1) == [.cash, .cash, .card])
    #expect(rows.map(\.2) == [nil, nil, 0.5])
    let named = try await stack.read("SELECT kind, max(units) AS most FROM sales GROUP BY kind")
    #expect(named.map(\.columns) == [["kind", "most"], ["kind", "most"]])
    #expect(try named.map { try $0.value("most", as: Int.self) } == [3, 8])
    #expect(try named[1]["KIND"] == .text("cash"))
    #expect(await failure { try named[1]["least"] }?.code == .invalidQuery)
    let error = #expect(throws: StoreError.self) { try named[0].value("least", as: Int.self) }
    #expect(error?.code == .invalidQuery)
  }

  @Test func `values are bound, never part of the text`() async throws {
    try await save()
    let hostile = "x'; DROP TABLE sales; --"
    let found = try await stack.read(
      "SELECT id FROM sales WHERE region = \(hostile)", as: Int64.self)
    #expect(found == [2])
    let ids: [Int64] = [3, 1, 9]
    let condition: RawSQL = "id IN \(list: ids) AND units > \(0)"
    let some = try await stack.read(
      "SELECT id FROM sales WHERE \(sql: condition) AND price < \(1.0)", as: Int64.self)
    #expect(some == [3])
    let none = try await stack.read(
      "SELECT id FROM sales WHERE id IN \(list: [Int64]())", as: Int64.self)
    #expect(none.isEmpty)
    let given = RawSQL("SELECT id FROM sales WHERE units BETWEEN ? AND ?", 4, 6)
    #expect(try await stack.read(given, as: Int64.self) == [2])
    #expect(try await stack.count(Sale.all) == 3)
  }

  @Test func `a statement sees what is committed, and nothing that is not saved`() async throws {
    try await save()
    stack.viewContext.insert(Sale(id: 4))
    #expect(try await stack.read("SELECT count(*) FROM sales", as: Int.self) == [3])
    let commit = try await stack.viewContext.save()
    #expect(commit > 0)
    #expect(try await stack.read("SELECT count(*) FROM sales", as: Int.self) == [4])
  }

  // MARK: Refusals

  @Test(arguments: [
    "INSERT INTO sales (id) VALUES (9)", "UPDATE sales SET units = 0", "DELETE FROM sales",
    "INSERT INTO sales (id) VALUES (9) RETURNING id", "WITH x AS (SELECT 1) DELETE FROM sales",
    "DROP TABLE sales", "CREATE TABLE other (id)", "CREATE TEMP TABLE other (id)",
    "ALTER TABLE sales RENAME TO other", "PRAGMA query_only = OFF", "PRAGMA user_version = 7",
    "EXPLAIN PRAGMA query_only = OFF", "PRAGMA journal_mode = DELETE",
    "ATTACH ':memory:' AS other", "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT a", "VACUUM",
    "REINDEX", "ANALYZE", "DETACH main", "SELECT load_extension('evil')",
    "SELECT id FROM sales WHERE Load_Extension('evil', 'main') IS NULL",
    "ATTACH '/tmp/other.sqlite' AS other", "PRAGMA writable_schema = ON", "VACUUM INTO 'other'",
    "INSERT INTO sqlite_schema (name) VALUES ('x')",
  ])
  func `a statement that writes is refused by a read`(text: String) async throws {
    try await save()
    let error = await refusal { try await stack.read(RawSQL(text)) }
    #expect(error?.code == .writeRefused, "\(String(describing: error))")
    #expect(error?.sql == text)
    // The refusal leaves the readers as they are.
    let state = try await stack.store.snapshot().read { _, connection throws(StoreError) in
      (try connection.prepared("PRAGMA query_only").firstInteger(), connection.isInTransaction)
    }
    #expect(state.0 == 1 && state.1)
    #expect(try await stack.fetch(Sale.all) == sales)
  }

  /// A pragma as a table runs when the statement runs, after the check that allowed the statement.
  @Test(arguments: [
    "SELECT * FROM pragma_optimize(65534)", "SELECT * FROM pragma_journal_mode",
    "SELECT * FROM pragma_query_only", "SELECT * FROM pragma_application_id",
    "SELECT count(*) FROM pragma_integrity_check",
  ])
  func `a pragma as a table changes nothing`(text: String) async throws {
    try await save()
    let path = await stack.path
    let before = try Connection(path: path).text("PRAGMA journal_mode")
    _ = try? await stack.read(RawSQL(text))
    #expect(try Connection(path: path).text("PRAGMA journal_mode") == before)
    #expect(
      try Connection(path: path).integer(
        "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'") == 0)
    try await stack.withScratch { $0.insert(Sale(id: 4)) }
    #expect(try await stack.count(Sale.all) == 4)
  }

  @Test(arguments: ["readfile('/etc/passwd')", "writefile('x', 'y')", "edit('x')", "system('x')"])
  func `functions of SQLite's shell are not there`(call: String) async throws {
    let text = "SELECT " + call
    let error = await refusal { try await stack.read(RawSQL(text)) }
    #expect(error?.code == .invalidQuery, "\(String(describing: error))")
  }

  @Test(arguments: [
    "", "  -- nothing", ";", "SELECT 1; SELECT 2", "SELECT 1; DELETE FROM sales", "SELECT 1;;;;x",
    "SELECT nothing FROM sales", "SELEC 1", "SELECT ?", "SELECT 'a",
  ])
  func `a text that is no single statement is refused`(text: String) async throws {
    let error = await refusal { try await stack.read(RawSQL(text)) }
    #expect(error?.code == .invalidQuery, "\(String(describing: error))")
  }

  @Test func `a comment may follow a statement`() async throws {
    let texts = ["SELECT 1;", "SELECT 1 ; -- one", "/* a */ SELECT 1; /* b */ \n", "SELECT 1\0;x"]
    for text in texts { #expect(try await stack.read(RawSQL(text), as: Int.self) == [1]) }
  }

  @Test func `a column that an entity needs and the result lacks is named`() async throws {
    try await save()
    let error = await refusal {
      try await stack.read("SELECT id, region FROM sales", as: Sale.self)
    }
    #expect(error?.code == .invalidQuery && error?.attributes == ["kind"])
    #expect(error?.message.contains("kind") == true && error?.entity == "Sale")
    let missing = await refusal {
      try await stack.read("SELECT *, 1 FROM sales", as: Int.self, Int.self)
    }
    #expect(missing?.code == .invalidQuery)
  }

  @Test(arguments: ["NULL AS units", "'three' AS units", "1.5 AS units"])
  func `a value that an attribute cannot hold is named`(column: String) async throws {
    try await save()
    let text =
      "SELECT id, region, kind, \(column), stars, price, rebate, shopID FROM sales"
    let error = await refusal { try await stack.read(RawSQL(text), as: Sale.self) }
    #expect(error?.code == .invalidValue && error?.attributes == ["units"])
    let plain = await refusal {
      try await stack.read(RawSQL("SELECT \(column) FROM sales"), as: Int.self)
    }
    #expect(plain?.code == .invalidQuery && plain?.message.contains("units") == true)
  }

  @Test func `a value that cannot be stored is refused`() async throws {
    let error = await refusal { try await stack.read("SELECT \(Double.nan)", as: Double.self) }
    #expect(error?.code == .invalidQuery && error?.message.contains("NaN") == true)
  }
}
