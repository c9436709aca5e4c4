import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct ChangeSetTests {
  @Test func `composing any number of commits is what changed from first to last`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<150 {
      var history = try History()
      for _ in 0..<random.below(4) { _ = try history.commit(&random) }
      let old = history
      let sets = try (0..<(1 + random.below(12))).map { _ in try history.commit(&random) }
      let composed = try #require(ChangeSet.composed(sets))
      #expect(composed.byKey == history.changes(since: old))
      #expect(composed.commit == history.commit)
      #expect(composed.isInNormalForm)
      #expect(composed.isEmpty == history.changes(since: old).isEmpty)
      #expect(composed.count == history.changes(since: old).values.reduce(0) { $0 + $1.count })
    }
  }

  @Test func `composing two at a time is composing all at once`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<100 {
      var history = try History()
      let sets = try (0..<9).map { _ in try history.commit(&random) }
      let stepwise = sets.dropFirst().reduce(sets[0]) { $0.composed(with: $1) }
      #expect(stepwise.byKey == ChangeSet.composed(sets)?.byKey)
      let fromRight = sets.dropLast().reversed().reduce(sets[8]) { $1.composed(with: $0) }
      #expect(fromRight.byKey == stepwise.byKey)
    }
  }

  @Test func `no change sets make none, one is itself`() throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    let only = try history.commit(&random)
    #expect(ChangeSet.composed([]) == nil)
    #expect(ChangeSet.composed([only])?.byKey == only.byKey)
  }

  @Test func `a key finds its change, and a key that did not change none`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<100 {
      var history = try History()
      let set = try history.commit(to: [history.items], &random)
      let changes = try #require(set.tables[history.items])
      for number: Int64 in -1...20 {
        let key = RecordKey(.integer(number))
        #expect(changes[key] == set.byKey[history.items]?[key])
      }
      #expect(set.touches(history.items) && !set.touches(history.marks))
    }
  }

  // MARK: Reset

  private func rows(_ keys: some Sequence<Int64>) throws -> TableChanges {
    let record = try Record([.integer(0), .integer(0)])
    return .rows(
      ContiguousArray(
        keys.map {
          RowChange(key: RecordKey(.integer($0)), change: Change(before: nil, after: record))
        }))
  }

  private func isReset(_ changes: TableChanges) -> Bool {
    if case .reset = changes { true } else { false }
  }

  @Test func `a reset stays one, whatever comes before or after`() throws {
    let some = try rows(0..<3)
    #expect(isReset(TableChanges.reset.composed(with: some)))
    #expect(isReset(some.composed(with: .reset)))
    #expect(isReset(TableChanges.reset.composed(with: .reset)))
    #expect(!TableChanges.reset.isEmpty && TableChanges.reset.count == 0)
    #expect(TableChanges.reset[RecordKey(.integer(1))] == nil)
  }

  @Test func `the changes of a table past the limit collapse into a reset`() throws {
    let limit = Int64(TableChanges.limit)
    let first = try rows(0..<(limit / 2))
    #expect(!isReset(first.composed(with: try rows((limit / 2)..<limit))))
    #expect(isReset(first.composed(with: try rows((limit / 2)...limit))))
  }

  @Test func `a reset of one table leaves the other's changes`() throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    let marks = try history.commit(to: [history.marks], &random)
    let reset = ChangeSet(commit: 2, model: history.model, tables: [history.items: .reset])
    let composed = marks.composed(with: reset)
    #expect(
      composed.changes(of: History.Item.self).isReset
        && !composed.changes(of: History.Mark.self).isReset)
    #expect(composed.byKey[history.marks] == marks.byKey[history.marks])
    #expect(composed.commit == 2)
  }
}
