import StrataTestTurns
import Testing

@testable import Strata

private struct A: Entity {
  var id: Int64 = 0
  var joined = ""
  var b = ""
  var c = ""
  static let schema = Schema<A>("a", key: \.id) {
    Attribute(\.joined, "b_c").indexed()
    Attribute(\.b).unique()
    Attribute(\.c)
    Unique(\.b, \.c)
    Unique(\.b)
  }
}

private struct AB: Entity {
  var id: Int64 = 0
  var c = ""
  static let schema = Schema<AB>("a_b", key: \.id) { Attribute(\.c).indexed() }
}

private struct ABC: Entity {
  var id: Int64 = 0
  static let schema = Schema<ABC>("A_B_C", key: \.id) {}
}

/// The names of indexes.
///
/// SQLite keeps tables and indexes in one name space. If an index's name were its table's and
/// columns' names, joined with underscores, two valid schemas could not be opened together.
@Suite(.inTurn) struct IndexNameTests {
  @Test func `indexes never have the name of another index or of a table`() async throws {
    let stack = try await Stack.temporary(A.self, AB.self, ABC.self)
    try await stack.withScratch {
      $0.insert(A(id: 1, joined: "x", b: "1", c: "1"))
      $0.insert(A(id: 2, joined: "x", b: "2", c: "1"))
    }
    let scratch = stack.makeScratch()
    scratch.insert(A(id: 3, b: "2"))
    let error = await #expect(throws: StoreError.self) { try await scratch.save() }
    #expect(error?.code == .uniquenessViolated && error?.attributes == ["b"])
    await stack.close()
  }
}
