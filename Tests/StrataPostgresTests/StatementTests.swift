import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataPostgres
@testable import StrataReplica

/// The statements that read and write rows.
@Suite(.inTurn) struct StatementTests {
  private func record(_ song: Song) throws -> Record {
    try Library().table("songs").encode(song, RecordBuilder())
  }

  @Test func `a write is what makes one row the other`() throws {
    let mapping = try Library().mapping("songs")
    let key = RecordKey(.integer(1))
    let (row, other) = (try record(Song(id: 1)), try record(Song(id: 1, title: "b")))
    #expect(mapping.write(key, from: nil, to: nil) == nil)
    #expect(mapping.write(key, from: row, to: row) == nil)
    guard case .insert(row) = mapping.write(key, from: nil, to: row),
      case .delete(key) = mapping.write(key, from: row, to: nil),
      case .update(other, let attributes) = mapping.write(key, from: row, to: other)
    else { return #expect(Bool(false)) }
    #expect(attributes.positions.map { mapping.names.columns[$0] }.contains("title"))
  }

  @Test func `rows of a statement are counted, so that none is left out in silence`() throws {
    let mapping = try Library().mapping("songs")
    let (a, b) = (try record(Song(id: 1)), try record(Song(id: 2)))
    let insertion = try mapping.statement([.insert(a), .insert(b)])
    #expect(
      insertion.sql.hasPrefix("WITH w AS (INSERT INTO \"public\".\"songs\" (\"id\", \"title\""))
    #expect(insertion.sql.hasSuffix("SELECT strata.expect(count(*), 2) FROM w"))
    let deletion = try mapping.statement([.delete(RecordKey(.integer(1)))])
    #expect(
      deletion.sql.contains("DELETE FROM \"public\".\"songs\" WHERE \"id\" = ANY ($1::int8[])"))
  }

  @Test func `the server computes the key of a link`() throws {
    let mapping = try Library().mapping("songs_moods")
    let end = (owner: Cell.integer(1), target: Cell.text("calm"))
    let builder = RecordBuilder()
    builder.begin(columns: 3)
    for cell in [try JoinTable.key(end.owner, end.target), end.owner, end.target] {
      builder.append(cell)
    }
    let insertion = try mapping.statement([.insert(try builder.finish())])
    #expect(insertion.sql.contains("(\"owner\", \"target\") OVERRIDING"))
  }

  @Test func `pages are read in the order of the store`() throws {
    #expect(
      try Library().mapping("moods").selectPage.hasSuffix(
        "ORDER BY \"id\" COLLATE \"C\" LIMIT $2::int8"))
    #expect(try Library().mapping("songs").selectPage.hasSuffix("ORDER BY \"id\" LIMIT $2::int8"))
  }

  @Test(arguments: ["", "a", "it's", "a\\b", "{\"x\"}", "é,ü", "null"])
  func `a key is the same after its way through an array`(_ text: String) throws {
    let array = [text, "other"].arrayText
    #expect(array.hasPrefix("{\"") && array.hasSuffix("\",\"other\"}"))
    let inner = array.dropFirst(2).dropLast("\",\"other\"}".count)
    var plain = ""
    var isEscaped = false
    for character in inner {
      if character == "\\" && !isEscaped {
        isEscaped = true
      } else {
        plain.append(character)
        isEscaped = false
      }
    }
    #expect(plain == text)
  }

  @Test func `a key is read in the form of the log and in that of parameters`() throws {
    let (songs, moods) = (try Library().mapping("songs"), try Library().mapping("moods"))
    for cell in [Cell.integer(.min), .integer(0), .integer(.max)] {
      #expect(try songs.key(songs.text(RecordKey(cell))) == RecordKey(cell))
    }
    #expect(try moods.key("calm") == RecordKey(.text("calm")))
    #expect(failure { _ = try songs.key("calm") }?.code == .unsuitableServer)
  }
}
