internal import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct RecordEqualityTests {
  @Test func `records are equal exactly if their cells are the same`() throws {
    var random = SeededRandom.printingSeed()
    var equals = 0
    for _ in 0..<20_000 {
      let a = random.cells(2)
      var b = a
      if random.oneIn(2) { b[random.below(2)] = random.cell() }
      let isEqual = try Record(a) == Record(b)
      if isEqual { equals += 1 }
      if isEqual != a.map(\.normalized).isSame(as: b.map(\.normalized)) {
        Issue.record("\(a) and \(b): \(isEqual)")
      }
    }
    #expect(equals > 5_000)
  }

  @Test func `the same row packed in two ways has the same bytes`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<2_000 {
      let cells = random.cells(5)
      let packed = try Record(cells)
      let other = try Record(random.cells(5))
      let combined = other.combining(packed) { _ in true }
      #expect(combined == packed && combined.byteCount == packed.byteCount)
    }
  }

  @Test func `an integer and the equal real are different records`() throws {
    #expect(try Record([.integer(1)]) != Record([.real(1)]))
    #expect(Cell.integer(1) == Cell.real(1))
  }

  @Test func `texts that only look the same are different records`() throws {
    #expect(try Record([.text("é")]) != Record([.text("e\u{301}")]))
  }

  @Test func `the border between two cells is part of a record's value`() throws {
    #expect(try Record([.text("ab"), .text("c")]) != Record([.text("a"), .text("bc")]))
    #expect(try Record([.text("ab"), .text("")]) != Record([.text(""), .text("ab")]))
  }

  @Test func `records of another number of cells are different`() throws {
    #expect(try Record([.null]) != Record([.null, .null]))
    #expect(try Record([]) == Record([]))
  }

  @Test func `a description lists the cells`() throws {
    let record = try Record([.integer(1), .text("So What"), .null, .blob(Data([1, 2]))])
    #expect("\(record)" == #"(1, "So What", null, 2 bytes)"#)
  }
}
