import Foundation
import StrataTestTurns
import Testing

@testable import Strata

/// Cells of a storage class that their column cannot have, as in a damaged file.
@Suite(.inTurn) struct DamagedCellTests {
  private struct Every: Entity {
    var id: Int64 = 0
    var flag = true
    var number: Int64 = 7
    var real = 7.0
    var date = Date(timeIntervalSinceReferenceDate: 7)
    var text = "7"
    var uuid = UUID()
    var data = Data([7])
    static let schema = Schema<Every>("every", key: \.id) {
      Attribute(\.flag)
      Attribute(\.number)
      Attribute(\.real)
      Attribute(\.date)
      Attribute(\.text)
      Attribute(\.uuid)
      Attribute(\.data)
    }
  }

  private static let cells: [Cell] =
    [.null, .real(1.5)]
    + [0, 1, 300, 70_000, .max].map { .integer($0) }
    + [0, 1, 2, 3, 4, 7, 8, 9, 16].flatMap { count -> [Cell] in
      [.text(String(repeating: "9", count: count)), .blob(Data(repeating: 0x39, count: count))]
    }

  /// A damaged page may have an empty cell in the place of a real, at the end of its record.
  /// Decoding must not read eight bytes past the end of the record.
  @Test func `a cell of another storage class reads as zero or as nothing`() throws {
    let table = try Model([Every.self]).table(of: Every.self)
    for cell in Self.cells {
      let record = try Record(Array(repeating: cell, count: table.columns.count))
      let every = try table.decode(record, as: Every.self)
      let integer: Int64 = if case .integer(let value) = cell { value } else { 0 }
      #expect(every.number == integer, "\(cell)")
      #expect(every.flag == (integer != 0), "\(cell)")
      #expect(every.real == (cell == .real(1.5) ? 1.5 : 0), "\(cell)")
      #expect(every.date.timeIntervalSinceReferenceDate == every.real, "\(cell)")
      #expect(every.text.utf8.count == every.data.count, "\(cell)")
      #expect(every.text.utf8.allSatisfy { $0 == 0x39 }, "\(cell)")
      let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
      #expect((every.uuid == zero) == (every.data.count != 16), "\(cell)")
    }
  }
}
