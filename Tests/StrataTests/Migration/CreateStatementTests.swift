import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct CreateStatementTests {
  @Test(arguments: [
    (
      #"CREATE TABLE "a" ("id" BLOB PRIMARY KEY NOT NULL, "x" TEXT)"#,
      "create table a(id blob primary key\n  not null,  [x] text )"
    ),
    (#"CREATE TABLE "a""b" ("x""y" TEXT)"#, #"CREATE TABLE 'a"b' (`x"y` TEXT)"#),
    (#"CREATE TABLE "a" ("x, (y" TEXT)"#, #"CREATE TABLE a ( [x, (y] TEXT)"#),
    (#"CREATE UNIQUE INDEX "i" ON "a" ("x", "y")"#, #"create unique index i on a(x,y)"#),
  ])
  func `texts that say the same are equal`(one: String, other: String) {
    #expect(CreateStatement(one) == CreateStatement(other))
  }

  @Test(arguments: [
    (#"CREATE TABLE a (x TEXT)"#, #"CREATE TABLE a (x TEXT NOT NULL)"#),
    (#"CREATE TABLE a (x TEXT)"#, #"CREATE TABLE a (x TEXT) STRICT"#),
    (#"CREATE TABLE a (x TEXT)"#, #"CREATE TABLE a (x TEXT DEFAULT (1, 2))"#),
    (#"CREATE TABLE a (x TEXT)"#, #"CREATE TABLE a (x TEXT CHECK (x IN ('a)', "b")))"#),
    (#"CREATE TABLE a (x TEXT)"#, #"CREATE TABLE a (x TEXT, y TEXT)"#),
    (#"CREATE INDEX i ON a (x)"#, #"CREATE UNIQUE INDEX i ON a (x)"#),
    (#"CREATE INDEX i ON a (x)"#, #"CREATE INDEX i ON a (x) WHERE x > 1"#),
    (#"CREATE INDEX i ON a (x)"#, #"CREATE INDEX i ON a (x DESC)"#),
    (#"CREATE INDEX i ON a (x, y)"#, #"CREATE INDEX i ON a (y, x)"#),
  ])
  func `texts that say something else are not`(one: String, other: String) {
    #expect(CreateStatement(one) != CreateStatement(other))
  }

  @Test func `columns are found by name`() {
    let statement = CreateStatement(#"CREATE TABLE t ("größe 日" REAL NOT NULL, "B" INT)"#)
    #expect(statement.parts.map(\.name) == ["größe 日", "B"])
    #expect(statement.definition(of: "b") == ["int"])
    #expect(statement.definition(of: "größe 日") == ["real", "not", "null"])
    #expect(statement.definition(of: "c") == nil)
  }

  @Test(arguments: ["", "CREATE", "CREATE TABLE t (", "\"", "CREATE TABLE t (a, \"b", ")", "(,,)"])
  func `text that is cut off is read to its end`(sql: String) {
    _ = CreateStatement(sql)
  }
}
