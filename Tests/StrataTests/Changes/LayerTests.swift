import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A layer, compared with a model that applies every edit at once to plain rows.
@Suite(.inTurn) struct LayerTests {
  private static let table = TableID(index: 0)

  private static func key(_ number: Int) -> RecordKey { RecordKey(.integer(Int64(number))) }

  /// Returns the effect of an edit on a row, which may differ from the row that it was made on.
  private static func apply(_ change: LayerChange, to row: Record?) -> Record? {
    switch change {
    case .known(let change):
      guard let before = change.before, let after = change.after, let row else {
        return change.after
      }
      return row.combining(after) { before[$0] != after[$0] }
    case .blind(.set(let record)): return record
    case .blind(.patch(let columns, let onInsert)):
      return row?.combining(onInsert) { columns.contains($0) } ?? onInsert
    }
  }

  /// A row of the store, the same row with its edits, and the row that a context shows.
  private struct Edited {
    /// Whether the context has seen the row, so that its first edit may be a known edit.
    let isSeen: Bool
    let stored: Record?
    var row: Record?
    var shown: Record?
    var isShown: Bool
    var wasPatched = false

    init(_ random: inout SeededRandom) {
      isSeen = random.oneIn(2)
      stored = random.row()
      row = stored
      shown = isSeen ? stored : nil
      isShown = isSeen
    }

    mutating func edit(patches: Bool, _ random: inout SeededRandom) -> LayerChange {
      let change: LayerChange
      if isShown && !random.oneIn(3) {
        change = .known(Change(before: shown, after: random.row(otherThan: shown)))
      } else {
        change = .blind(patches ? random.blind() : .set(random.row()))
      }
      shown = LayerTests.apply(change, to: isShown ? shown : nil)
      isShown = true
      row = LayerTests.apply(change, to: row)
      return change
    }
  }

  private func check(_ layer: Layer, _ rows: [Edited]) {
    for (number, edited) in rows.enumerated() {
      let change = layer[Self.table, Self.key(number)]
      let result = change.map { Self.apply($0, to: edited.stored) } ?? edited.stored
      if result != edited.row { Issue.record("row \(number): \(result as Any), \(edited)") }
      if case .known(let known) = change, known.isIdentity || known.before != edited.stored {
        Issue.record("row \(number) is not in normal form: \(known)")
      }
      let seen = edited.isSeen ? edited.stored : nil
      let shown = change.map { Self.apply($0, to: seen) } ?? seen
      if edited.isShown && shown != edited.shown { Issue.record("row \(number) shows another") }
    }
  }

  @Test func `a layer does what its edits did, one by one`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<400 {
      var rows = (0..<10).map { _ in Edited(&random) }
      var layer = Layer()
      for _ in 0..<random.below(40) {
        let number = random.below(rows.count)
        let change = rows[number].edit(patches: true, &random)
        layer.compose(change, Self.table, Self.key(number))
      }
      check(layer, rows)
      #expect(layer.count == (layer.tables[Self.table].map(Array.init)?.count ?? 0))
    }
  }

  @Test func `a layer on a layer does what both did`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<400 {
      var rows = (0..<10).map { _ in Edited(&random) }
      var below = Layer()
      var above = Layer()
      for step in 0..<40 {
        let number = random.below(rows.count)
        let change = rows[number].edit(patches: false, &random)
        if step < 20 {
          below.compose(change, Self.table, Self.key(number))
        } else {
          above.compose(change, Self.table, Self.key(number))
        }
      }
      below.compose(above)
      check(below, rows)
    }
  }

  @Test func `an edit and its undoing leave an empty layer`() {
    var layer = Layer()
    let change = Change(before: SmallRecords.all[0], after: SmallRecords.all[1])
    layer.compose(.known(change), Self.table, Self.key(1))
    #expect(layer.count == 1 && !layer.isEmpty)
    layer.compose(.known(change.inverse), Self.table, Self.key(1))
    #expect(layer.count == 0 && layer.isEmpty && layer[Self.table, Self.key(1)] == nil)
  }

  @Test func `a blind change of a row that is known is resolved at once`() {
    let rows = SmallRecords.all
    var layer = Layer()
    layer.compose(.known(Change(before: rows[0], after: rows[1])), Self.table, Self.key(1))
    layer.compose(.blind(.set(rows[3])), Self.table, Self.key(1))
    #expect(layer[Self.table, Self.key(1)] == .known(Change(before: rows[0], after: rows[3])))
  }

  // The known change was made to `rows[0]`, which need not be in the store any more.
  @Test func `a blind change back to the row of a known change stays`() {
    let rows = SmallRecords.all
    var layer = Layer()
    layer.compose(.known(Change(before: rows[0], after: rows[1])), Self.table, Self.key(1))
    layer.compose(.blind(.set(rows[0])), Self.table, Self.key(1))
    #expect(layer[Self.table, Self.key(1)] == .blind(.set(rows[0])))
  }

  @Test func `a blind change is never dropped, even if it seems to do nothing`() {
    var layer = Layer()
    layer.compose(.blind(.set(nil)), Self.table, Self.key(1))
    layer.compose(.blind(.set(nil)), Self.table, Self.key(1))
    #expect(layer[Self.table, Self.key(1)] == .blind(.set(nil)))
  }

  @Test func `a copy of a layer keeps what it had`() {
    var layer = Layer()
    layer.compose(.blind(.set(SmallRecords.all[1])), Self.table, Self.key(1))
    let copy = layer
    layer.compose(.blind(.set(nil)), Self.table, Self.key(1))
    layer.compose(.blind(.set(nil)), Self.table, Self.key(2))
    #expect(copy[Self.table, Self.key(1)] == .blind(.set(SmallRecords.all[1])))
    #expect(copy.count == 1 && layer.count == 2)
  }
}
