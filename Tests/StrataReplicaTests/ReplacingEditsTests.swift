import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataReplica

@Suite(.inTurn) struct ReplacingEditsTests {
  private let rows = (1...3).map { number in
    PushOrder.Row(table: TableID(index: 0), key: RecordKey(.integer(Int64(number))))
  }
  private var edits = ReplacingEdits()

  init() { edits.found([rows[0], rows[1]]) }

  @Test mutating func `a push tells of the conflicts of its own rows alone`() {
    #expect(edits.handOver([rows[1], rows[2]]) == [rows[1]])
    #expect(edits.handOver([rows[2]]) == [])
  }

  /// A push that was lost is made again, and tells again.
  @Test mutating func `a conflict stays until the push of its edit is confirmed`() {
    #expect(edits.handOver(rows) == [rows[0], rows[1]])
    #expect(edits.handOver(rows) == [rows[0], rows[1]])
    edits.confirm()
    #expect(edits.handOver(rows) == [])
  }

  /// The row of the other edit is in no push yet.
  @Test mutating func `a confirmed push ends no other conflict`() {
    _ = edits.handOver([rows[0]])
    edits.confirm()
    #expect(edits.handOver(rows) == [rows[1]])
  }

  @Test mutating func `edits that are given up replace nothing`() {
    edits.giveUp(rows[0])
    #expect(edits.handOver(rows) == [rows[1]])
  }
}
