internal import Foundation
internal import StrataSQLite
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Cells that must come back unchanged from a record, and from SQLite.
@Suite(.inTurn) struct RecordRoundTripTests {
  @Test func `integers of every width come back`() throws {
    for value in EdgeValues.integers {
      let record = try Record([.integer(value), .integer(1)])
      #expect(record.cells.isSame(as: [.integer(value), .integer(1)]))
    }
  }

  @Test(arguments: [
    (Int64(0), 0), (1, 1), (-1, 1), (127, 1), (-128, 1), (128, 2), (-129, 2), (32_767, 2),
    (-32_768, 2), (32_768, 4), (-32_769, 4), (2_147_483_647, 4), (-2_147_483_648, 4),
    (2_147_483_648, 8), (-2_147_483_649, 8), (.max, 8), (.min, 8),
  ])
  func `an integer takes the fewest bytes`(value: Int64, bytes: Int) throws {
    #expect(try Record([.integer(value)]).byteCount == RecordView.headerSize + 4 + bytes)
  }

  @Test func `reals come back bit by bit`() throws {
    for value in EdgeValues.reals {
      #expect(try Record([.real(value)])[0].isSame(as: .real(value)))
    }
  }

  @Test func `a negative zero becomes zero`() throws {
    let record = try Record([.real(-0.0)])
    #expect(record[0].isSame(as: .real(0.0)))
    #expect(try record == Record([.real(0.0)]))
  }

  @Test(arguments: ["", "\0", "a\0b", "\0\0", "naïve", "日本語 𝄞", "e\u{301}", "\u{10FFFF}"])
  func `text comes back byte by byte`(text: String) throws {
    let record = try Record([.text(text), .null, .text(text)])
    #expect(record.cells.isSame(as: [.text(text), .null, .text(text)]))
  }

  @Test func `empty text, an empty blob and null are three things`() throws {
    let cells: [Cell] = [.text(""), .blob(Data()), .null]
    let record = try Record(cells)
    #expect(record.cells.isSame(as: cells))
    #expect((0..<3).map(record.isNull) == [false, false, true])
  }

  @Test func `a blob that is a slice is stored from its own start`() throws {
    let slice = Data([9, 9, 1, 2, 3])[2...]
    #expect(try Record([.blob(slice)])[0].isSame(as: .blob(Data([1, 2, 3]))))
  }

  @Test func `a record has as many cells as a table has columns`() throws {
    for count in [0, 1, 63, 64, 65, 300, 2_000] {
      let cells = (0..<count).map { Cell.integer(Int64($0)) }
      let record = try Record(cells)
      #expect(record.count == count)
      #expect(record.cells.isSame(as: cells))
    }
  }

  @Test func `a builder forgets the row before`() throws {
    let builder = RecordBuilder()
    let long = String(repeating: "long ", count: 1_000)
    for cells: [Cell] in [[.text(long), .integer(1)], [.null], [.real(2), .text("x"), .null]] {
      builder.begin(columns: cells.count)
      for cell in cells { builder.append(cell) }
      #expect(try builder.finish().cells.isSame(as: cells))
    }
  }

  @Test func `generated rows come back`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<2_000 {
      let cells = random.cells(random.below(12))
      let normalized = cells.map(\.normalized)
      let result = try Record(cells).cells
      if !result.isSame(as: normalized) { Issue.record("\(cells) became \(result)") }
    }
  }

  @Test func `generated rows come back from SQLite as the same records`() throws {
    var random = SeededRandom.printingSeed()
    let columns = 70
    try withScratchConnection { connection in
      let names = (0..<columns).map { "c\($0)" }.joined(separator: ", ")
      let places = (1...columns).map { "?\($0)" }.joined(separator: ", ")
      try connection.execute("CREATE TABLE rows (\(names))")
      try connection.execute("BEGIN")
      let insert = try connection.prepare("INSERT INTO rows VALUES (\(places))")
      let records = try (0..<100).map { _ in try Record(random.cells(columns)) }
      for record in records {
        try record.withView { view in
          view.bindAll(to: insert)
          try insert.run()
        }
      }
      let builder = RecordBuilder()
      let select = try connection.prepare("SELECT \(names) FROM rows ORDER BY rowid")
      for record in records {
        #expect(try select.step())
        #expect(try builder.record(select, columns: columns) == record)
        #expect(record.withView { $0.differences(from: select).isEmpty })
        #expect(record.cells.isSame(as: (0..<columns).map { Cell(select, Int32($0)) }))
      }
      #expect(try !select.step())
    }
  }

  @Test func `the columns in which a stored row differs are found in place`() throws {
    var random = SeededRandom.printingSeed()
    try withScratchConnection { connection in
      let select = try connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5")
      for _ in 0..<3_000 {
        let mine = try Record(random.cells(5))
        let other = try Record(random.cells(5))
        let taken = AttributeSet((0..<5).filter { _ in random.oneIn(3) })
        let theirs = mine.replacing(taken, from: other)
        let found = try theirs.withView { view in
          view.bindAll(to: select)
          _ = try select.step()
          defer { select.reset() }
          return mine.withView { $0.differences(from: select) }
        }
        if found != mine.differences(from: theirs) {
          Issue.record("\(mine) and \(theirs): \(found.positions)")
        }
      }
    }
  }
}
