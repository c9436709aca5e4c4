import StrataTestTurns
import Testing

@testable import Strata

private struct Pair: Entity, Equatable {
  var id = ""
  var rowid = ""
  var oid: Int64 = 0
  var seat = ""
  static let schema = Schema<Pair>("pairs", key: \.id) {
    Attribute(\.rowid)
    Attribute(\.oid)
    Attribute(\.seat).unique()
  }
}

/// Attributes that are named like the row number.
///
/// Two rows that swap a unique value are parked with their row numbers. SQL calls the row number
/// `rowid`, and an attribute of that name hides it.
@Suite(.inTurn) struct RowIDNameTests {
  @Test func `attributes named like the row number are attributes`() async throws {
    let stack = try await Stack.temporary(Pair.self)
    let pairs = [
      Pair(id: "a", rowid: "x", oid: 7, seat: "1"), Pair(id: "b", rowid: "y", oid: 8, seat: "2"),
    ]
    try await stack.withScratch { scratch in for pair in pairs { scratch.insert(pair) } }
    try await stack.withScratch { scratch in
      scratch.update(pairs[0]) { $0.seat = "2" }
      scratch.update(pairs[1]) { $0.seat = "1" }
    }
    let found = try await stack.fetch(Pair.all)
    #expect(found.map(\.seat) == ["2", "1"])
    #expect(found.map(\.rowid) == ["x", "y"] && found.map(\.oid) == [7, 8])
    await stack.close()
  }
}
