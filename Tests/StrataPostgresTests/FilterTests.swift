import Foundation
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataPostgres
@testable import StrataReplica

/// Filters as SQL. `strata-stress server-filters` compares their rows with those of the store.
@Suite(.inTurn) struct FilterTests {
  private func sql(_ name: String, _ condition: RowCondition) throws -> String {
    try Library().mapping(name).sql(condition)
  }

  private func column(_ name: String) throws -> Int {
    try #require(try Library().table("songs").columns.firstIndex { $0.name == name })
  }

  @Test func `texts are compared by their bytes, as in the store`() throws {
    let title = try column("title")
    #expect(
      try sql("songs", .compare(title, .less, .text("it's"), orNull: true))
        == "(\"title\"::text COLLATE \"C\" < 'it''s' OR \"title\" IS NULL)")
    #expect(
      try sql("songs", .text(title, .suffix, "né"))
        == "right(\"title\"::text COLLATE \"C\", 2) = 'né'")
  }

  @Test func `times that differ by a microsecond count as equal`() throws {
    let released = try column("released")
    #expect(
      try sql("songs", .compare(released, .equal, .real(1), orNull: false)).contains("BETWEEN"))
    // A row that is not equal in the store may be equal here.
    #expect(try sql("songs", .compare(released, .notEqual, .real(1), orNull: false)) == "true")
  }

  @Test func `a condition that the server cannot decide lets each row through`() throws {
    let (title, token) = (try column("title"), try column("token"))
    #expect(try sql("songs", .any) == "true")
    #expect(try sql("songs", .compare(title, .equal, .text("a\0b"), orNull: false)) == "true")
    #expect(
      try sql("songs", .compare(token, .equal, .blob(Data([1, 2])), orNull: false)) == "true")
    #expect(try sql("songs", .isIn(title, [.text("a\0")], orNull: true)) == "true")
    #expect(try sql("songs", .isIn(title, [], orNull: true)) == "(false OR \"title\" IS NULL)")
    #expect(
      try sql("songs", .and(.constant(false), .or(.any, .isNull(title, true))))
        == "(false AND (true OR \"title\" IS NULL))")
  }
}
