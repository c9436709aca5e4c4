import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Operations that split and join records, compared with plain arrays of cells.
@Suite(.inTurn) struct RecordCombiningTests {
  private func pair(_ random: inout SeededRandom) throws -> (Record, Record) {
    let count = random.oneIn(4) ? 60 + random.below(80) : random.below(8)
    let first = random.cells(count)
    let second = first.map { random.oneIn(2) ? $0 : random.cell() }
    return (try Record(first), try Record(second))
  }

  @Test func `differences are the columns whose cells are not the same`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<1_000 {
      let (a, b) = try pair(&random)
      let expected = (0..<a.count).filter { !a[$0].isSame(as: b[$0]) }
      if a.differences(from: b).positions != expected { Issue.record("\(a) and \(b)") }
      if (0..<a.count).filter({ a.differs(from: b, at: $0) }) != expected {
        Issue.record("\(a) and \(b), one by one")
      }
    }
  }

  @Test func `replacing takes exactly the given columns`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<1_000 {
      let (a, b) = try pair(&random)
      let columns = AttributeSet((0..<a.count).filter { _ in random.oneIn(2) })
      let expected = (0..<a.count).map { columns.contains($0) ? b[$0] : a[$0] }
      let result = a.replacing(columns, from: b)
      let packed = try Record(expected)
      if result != packed || !result.cells.isSame(as: expected) {
        Issue.record("\(a) with \(columns.positions) of \(b) became \(result)")
      }
    }
  }

  @Test func `setting a cell and appending one leave all others alone`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<800 {
      let (a, b) = try pair(&random)
      if a.count == 0 { continue }
      let column = random.below(a.count)
      var expected = a.cells
      expected[column] = b[column]
      #expect(try a.setting(column, to: b[column]) == Record(expected))
      expected[column] = .null
      #expect(try a.settingNull(column) == Record(expected))
      #expect(try a.appending(b[column]) == Record(a.cells + [b[column]]))
      #expect(try a.prefix(column) == Record(Array(a.cells[..<column])))
    }
  }

  @Test func `replacing what differs makes the other record`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<800 {
      let (a, b) = try pair(&random)
      #expect(a.replacing(a.differences(from: b), from: b) == b)
      #expect(a.replacing(AttributeSet(), from: b) == a)
      #expect(a.replacing(.all(a.count), from: b) == b)
    }
  }

  @Test func `combining asks for every column`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<800 {
      let (a, b) = try pair(&random)
      let even = a.combining(b) { $0 % 2 == 0 }
      let expected = (0..<a.count).map { $0 % 2 == 0 ? b[$0] : a[$0] }
      if try even != Record(expected) { Issue.record("\(a) and \(b) became \(even)") }
    }
  }
}
