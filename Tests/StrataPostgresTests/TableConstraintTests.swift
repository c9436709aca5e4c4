import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataPostgres
@testable import StrataReplica

@Suite(.inTurn) struct TableConstraintTests {
  private func statements(_ name: String, _ library: Library) throws -> [String] {
    let tables = try library.tables()
    return tables.constraints.filter { $0.table.serverName == name }
      .map(\.constraint.missing.statement)
  }

  @Test func `the rules of an entity are constraints of its table`() throws {
    let add = "ALTER TABLE \"public\".\"songs\" ADD "
    #expect(
      try statements("songs", try Library()) == [
        "\(add)UNIQUE (\"code\") DEFERRABLE",
        "\(add)UNIQUE (\"title\", \"side\") DEFERRABLE",
        "\(add)FOREIGN KEY (\"albumID\") REFERENCES \"public\".\"albums\" (\"id\") "
          + "ON DELETE CASCADE DEFERRABLE",
        "\(add)CONSTRAINT \"strata_side\" CHECK (\"side\" BETWEEN -128 AND 127)",
        "\(add)CONSTRAINT \"strata_score\" CHECK (\"score\" <> 'NaN')",
        "\(add)CONSTRAINT \"strata_price\" CHECK "
          + "((\"price\" || '') ~ '^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$')",
        "\(add)CONSTRAINT \"strata_tags\" CHECK (\"tags\" IS NULL OR (\"tags\" || '')::json IS NOT NULL)",
      ])
    #expect(try statements("moods", try Library()).isEmpty)
    #expect(try statements("songs_moods", try Library()).isEmpty)
  }

  @Test func `a column that has only values of the attribute needs no check`() throws {
    var library = try Library()
    library.change("songs") { shape in
      shape.with(
        columns: shape.columns.replacing("\"side\": \"20 int8\"", with: "\"side\": \"21 int2\"")
          .replacing("\"price\": \"25 text\"", with: "\"price\": \"1700 numeric\""))
    }
    let checks = try statements("songs", library).filter { $0.contains("CHECK") }
    // The least integer of PostgreSQL has 16 bits, and the attribute has 8.
    #expect(checks.contains { $0.contains("\"side\" BETWEEN") })
    #expect(checks.contains { $0.contains("\"price\" NOT IN ('NaN')") })
  }

  @Test func `a rule names its attributes`() throws {
    let all = try Library().tables().constraints.map(\.constraint.missing)
    let unique = try #require(all.first { $0.attributes.count == 2 })
    #expect(unique.kind == .unique && unique.entity == "Song")
    #expect(unique.attributes == ["title", "side"])
    #expect(unique.description.hasPrefix("Song.title, side, unique: ALTER TABLE"))
  }
}
