import StrataTestTurns
import Testing

@testable import Strata

/// A change set as entities.
@Suite(.inTurn) struct ChangesTests {
  private func record(_ key: Int64, _ values: [Int64]?) throws -> Record? {
    try values.map { try Record(([key] + $0).map { .integer($0) }) }
  }

  private func changes(_ rows: [(Int64, before: [Int64]?, after: [Int64]?)]) throws -> Changes<
    History.Item
  > {
    let model = try Model([History.Item.self, History.Mark.self])
    let list = try rows.map {
      RowChange(
        key: RecordKey(.integer($0.0)),
        change: Change(before: try record($0.0, $0.before), after: try record($0.0, $0.after)))
    }
    let table = model.table(of: History.Item.self).id
    return ChangeSet(commit: 7, model: model, tables: [table: .rows(ContiguousArray(list))])
      .changes(of: History.Item.self)
  }

  @Test func `insertions, deletions and updates are told apart`() throws {
    let changes = try changes([
      (1, nil, [10, 11]), (2, [20, 21], nil), (3, [30, 31], [30, 32]), (4, nil, [40, 41]),
    ])
    #expect(changes.inserted.map(\.id) == [1, 4] && changes.inserted.map(\.b) == [11, 41])
    #expect(changes.deleted.map(\.id) == [2] && changes.deleted.map(\.a) == [20])
    #expect(changes.updated.map(\.before.b) == [31] && changes.updated.map(\.after.b) == [32])
    #expect(changes.keys.map(\.cell) == [.integer(1), .integer(2), .integer(3), .integer(4)])
    #expect(changes.commit == 7 && !changes.isEmpty && !changes.isReset)
  }

  @Test func `an update names the attributes that changed`() throws {
    let updated = try changes([(1, [1, 1], [2, 1]), (2, [1, 1], [2, 2])]).updated
    #expect(updated.map(\.attributes) == [["a"], ["a", "b"]])
  }

  @Test func `a row that changed and changed back is among the updates, with its attributes`()
    throws
  {
    let model = try Model([History.Item.self, History.Mark.self])
    let table = model.table(of: History.Item.self).id
    func commit(_ before: [Int64]?, _ after: [Int64]?) throws -> ChangeSet {
      let change = Change(before: try record(1, before), after: try record(1, after))
      let row = RowChange(key: RecordKey(.integer(1)), change: change)
      return ChangeSet(commit: 1, model: model, tables: [table: .rows([row])])
    }
    func changes(_ sets: ChangeSet...) -> Changes<History.Item>? {
      ChangeSet.composed(sets)?.changes(of: History.Item.self)
    }
    let there = try changes(
      commit([1, 1], [2, 1]), commit([2, 1], [2, 2]), commit([2, 2], [1, 1]))
    #expect(there?.updated.map(\.attributes) == [["a", "b"]])
    #expect(there?.updated.map(\.after.a) == [1] && there?.updated.map(\.before.a) == [1])
    // The row is gone for a while. A consumer that reads meanwhile lacks it.
    let again = try changes(commit([1, 1], nil), commit(nil, [1, 1]))
    #expect(again?.updated.count == 1 && again?.deleted.isEmpty == true)
    // The row exists for a while. A consumer that reads meanwhile has it.
    let gone = try changes(commit(nil, [1, 1]), commit([1, 1], [2, 1]), commit([2, 1], nil))
    #expect(gone?.deleted.map(\.a) == [2] && gone?.inserted.isEmpty == true)
    let back = try changes(
      commit(nil, [1, 1]), commit([1, 1], nil), commit(nil, [3, 1]))
    #expect(back?.inserted.map(\.a) == [3] && back?.deleted.isEmpty == true)
  }

  @Test func `an entity that did not change has no changes`() throws {
    let model = try Model([History.Item.self, History.Mark.self])
    let marks = ChangeSet(
      commit: 1, model: model, tables: [model.table(of: History.Mark.self).id: .reset])
    let items = marks.changes(of: History.Item.self)
    #expect(items.isEmpty && !items.isReset && items.keys.isEmpty && items.inserted.isEmpty)
    #expect(
      marks.changes(of: History.Mark.self).isReset && !marks.changes(of: History.Mark.self).isEmpty)
    #expect(marks.changes(of: History.Mark.self).keys.isEmpty)
  }
}
