internal import Foundation
internal import StrataSQLite
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct RecordKeyTests {
  /// Returns cells of one storage class, like the keys of one table.
  private func cells(_ kind: Int, _ random: inout SeededRandom) -> [Cell] {
    (0..<200).map { _ in
      switch kind {
      case 0: .integer(random.integer())
      case 1:
        UUID.timeOrdered(at: TimeOrderedTick(Date(timeIntervalSince1970: Double(random.below(4)))))
          .cell
      case 2: .blob(Data((0..<16).map { _ in UInt8(random.below(2) * 255) }))
      case 3: .text(random.text())
      case 4: .real(random.real())
      default: .blob(random.blob())
      }
    }
  }

  @Test(arguments: 0..<6) func `keys are ordered as their cells are`(kind: Int) {
    var random = SeededRandom.printingSeed()
    let cells = cells(kind, &random)
    for a in cells {
      for b in cells.prefix(20) {
        let x = RecordKey(a)
        let y = RecordKey(b)
        if (x < y) != (a < b) || (x == y) != (a == b) { Issue.record("\(a) and \(b)") }
      }
    }
  }

  @Test(arguments: 0..<6) func `equal keys hash alike and keep their cell`(kind: Int) {
    var random = SeededRandom.printingSeed()
    for cell in cells(kind, &random) {
      let key = RecordKey(cell)
      #expect(key.cell.isSame(as: cell))
      #expect(key == RecordKey(key.cell) && key.hashValue == RecordKey(key.cell).hashValue)
    }
  }

  @Test func `a key read from a record or from a row is the key of its cell`() throws {
    var random = SeededRandom.printingSeed()
    try withScratchConnection { connection in
      let select = try connection.prepare("SELECT ?1")
      for _ in 0..<2_000 {
        let cell = random.cell().normalized
        let key = RecordKey(cell)
        #expect(try Record([.null, cell]).key(1) == key)
        key.bind(to: select, at: 1)
        #expect(try select.step())
        #expect(RecordKey(select, 0) == key)
        select.reset()
      }
    }
  }

  @Test func `the order of UUID keys is SQLite's`() throws {
    var random = SeededRandom.printingSeed()
    let ids = (0..<300).map { _ in
      Cell.blob(Data((0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
    }
    try withScratchConnection { connection in
      try connection.execute("CREATE TABLE keys (id BLOB PRIMARY KEY)")
      let insert = try connection.prepare("INSERT INTO keys VALUES (?1)")
      for id in ids {
        id.bind(to: insert, at: 1)
        try insert.run()
      }
      let select = try connection.prepare("SELECT id FROM keys ORDER BY id")
      var stored: [RecordKey] = []
      while try select.step() { stored.append(RecordKey(select, 0)) }
      #expect(stored == ids.map(RecordKey.init).sorted())
    }
  }
}
