import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Level: Entity, Equatable {
  var id = 0
  var level = 0
  static let schema = Schema<Level>("levels", key: \.id) {
    Attribute(\.level).validated("must not be 13") { $0 != 13 }
  }
  static let json = JSONMapping<Level> {
    Field(\.id, "id")
    Field(\.level, "level").required()
  }
}

@Suite(.inTurn, .stack(Level.self)) struct ImportFreshnessTests {
  let stack = Stack.test

  private func importing(_ json: String, absent: AbsentRows = .keep) async throws -> ImportResult {
    try await stack.importJSON(
      Level.self, from: .data(Data(json.utf8)), mapping: Level.json, absent: absent,
      marksFresh: [.query(Level.all), .feed("levels")])
  }

  @Test func `an import marks what it was for when everything is committed`() async throws {
    #expect(try await stack.isStale(Level.all, olderThan: .seconds(1_000_000)))
    let result = try await importing(#"[{"id": 1, "level": 2}, {"id": 2, "level": 3}]"#)
    #expect(result.inserted == 2 && result.commit == 1)
    #expect(try await !stack.isStale(Level.all, olderThan: .seconds(1_000_000)))
    #expect(try await stack.lastImported(.feed("levels")) != nil)
    // An import without new rows marks its query and its feed, too.
    #expect(try await importing(#"[{"id": 1, "level": 2}]"#, absent: .delete).deleted == 1)
    #expect(try await importing("[]").records == 0)
    #expect(try await stack.viewContext.count(Level.all) == 1)
  }

  @Test func `an import that fails marks nothing`() async throws {
    let rows = (1...2_500).map { #"{"id": \#($0), "level": 1}"# }.joined(separator: ",")
    let error = await #expect(throws: ImportError.self) {
      try await importing("[\(rows), {\"id\": 3000}]")
    }
    #expect(error?.code == .invalidValue && error?.result.commit ?? 0 > 0)
    #expect(try await stack.lastImported(Level.all) == nil)
  }

  @Test func `a feed of which an import left out a record is marked as fresh, too`() async throws {
    _ = try await importing(#"[{"id": 1, "level": 2}]"#)
    let before = try #require(try await stack.lastImported(.feed("levels")))
    let rows = #"[{"id": 1, "level": 2}, {"id": 2, "level": 13}]"#
    let result = try await stack.importJSON(
      Level.self, from: .data(Data(rows.utf8)), mapping: Level.json, absent: .delete,
      marksFresh: [.feed("levels")], options: .init { $0.refusedRecords = .skip() })
    #expect(result.skipped == 1)
    #expect(try #require(try await stack.lastImported(.feed("levels"))) > before)
  }
}
