internal import Foundation
internal import StrataSQLite
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The order of cells in memory, which must be the order in SQLite.
///
/// Otherwise the matcher and the store would find different rows.
@Suite(.inTurn) struct CellOrderTests {
  /// Returns two cells.
  ///
  /// Half of the pairs are close to each other, where a rounding comparison would be wrong.
  private func pair(_ random: inout SeededRandom) -> (Cell, Cell) {
    let a = random.cell()
    if random.oneIn(2) { return (a, random.cell()) }
    let b: Cell =
      switch a {
      case .null: .null
      case .integer(let value):
        random.oneIn(2)
          ? .real(random.pick([Double(value), Double(value).nextUp, Double(value).nextDown]))
          : .integer(value &+ Int64(random.below(3) - 1))
      case .real(let value):
        Int64(exactly: value.rounded()).map(Cell.integer) ?? .real(value.nextUp)
      case .text(let value):
        random.oneIn(2) ? .text(value + random.text(parts: 1)) : .blob(Data(value.utf8))
      case .blob(let value): .blob(value + random.blob())
      }
    return random.oneIn(2) ? (a, b) : (b, a)
  }

  private func fill(_ connection: Connection, _ pairs: [(Cell, Cell)]) throws {
    try connection.execute("CREATE TABLE pairs (id INTEGER PRIMARY KEY, a, b)")
    try connection.execute("BEGIN")
    let insert = try connection.prepare("INSERT INTO pairs VALUES (?1, ?2, ?3)")
    for (id, pair) in pairs.enumerated() {
      insert.bind(1, Int64(id))
      pair.0.bind(to: insert, at: 2)
      pair.1.bind(to: insert, at: 3)
      try insert.run()
    }
    try connection.execute("COMMIT")
  }

  @Test func `100,000 comparisons agree with SQLite's`() throws {
    var random = SeededRandom.printingSeed()
    let pairs = (0..<100_000).map { _ in pair(&random) }
    try withScratchConnection { connection in
      try fill(connection, pairs)
      let select = try connection.prepare(
        "SELECT a < b, a = b, a > b, a IS b FROM pairs ORDER BY id")
      var equals = 0
      for (a, b) in pairs {
        _ = try select.step()
        let order = a.order(to: b)
        let both = try Record([a, b])
        let packed = both.withView { $0.order(0, to: $0, 1) }
        let stored =
          select.isNull(0)
          ? (select.integer(3) == 1 ? 0 : a == .null ? -1 : 1)
          : select.integer(0) == 1 ? -1 : select.integer(1) == 1 ? 0 : 1
        if order.signum() != stored { Issue.record("\(a) and \(b): \(order), SQLite \(stored)") }
        if packed.signum() != stored { Issue.record("\(both): \(packed), SQLite \(stored)") }
        if (a == b) != (select.integer(3) == 1) { Issue.record("\(a) IS \(b)") }
        if a == b {
          equals += 1
          if a.hashValue != b.hashValue { Issue.record("\(a) and \(b) hash differently") }
        }
      }
      #expect(equals > 5_000)
    }
  }

  @Test func `the order of cells is SQLite's ORDER BY`() throws {
    var random = SeededRandom.printingSeed()
    let pairs = (0..<10_000).map { _ in pair(&random) }
    try withScratchConnection { connection in
      try fill(connection, pairs)
      let select = try connection.prepare("SELECT a FROM pairs ORDER BY a, id")
      let expected = pairs.indices.sorted {
        let order = pairs[$0].0.order(to: pairs[$1].0)
        return order == 0 ? $0 < $1 : order < 0
      }
      for index in expected {
        _ = try select.step()
        let stored = Cell(select, 0)
        if stored != pairs[index].0 {
          Issue.record("\(pairs[index].0) where SQLite has \(stored)")
          break
        }
      }
    }
  }

  @Test func `integers past 2⁵³ are told from reals exactly`() {
    #expect(Cell.integer(1 << 53 + 1) > .real(0x1p53))
    #expect(Cell.integer(1 << 53) == .real(0x1p53))
    #expect(Cell.real(0x1p53) < .integer(1 << 53 + 1))
    #expect(Cell.integer(.max) < .real(0x1p63))
    #expect(Cell.integer(.min) == .real(-0x1p63))
    #expect(Cell.integer(.min) > .real(-.infinity) && Cell.integer(.max) < .real(.infinity))
  }

  @Test func `zero is zero, whatever its sign and storage class`() {
    #expect(Cell.real(-0.0) == .real(0.0) && Cell.real(-0.0) == .integer(0))
    #expect(Cell.real(-0.0).hashValue == Cell.integer(0).hashValue)
  }

  @Test func `not-a-number comes before every number and equals itself`() {
    #expect(Cell.real(.nan) == .real(.nan))
    #expect(Cell.real(.nan) < .real(-.infinity) && Cell.real(.nan) < .integer(.min))
    #expect(Cell.real(.nan) > .null)
  }
}
