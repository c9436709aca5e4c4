import Foundation
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataPostgres
@testable import StrataReplica

/// The binary form of arrays. The server reads a wrong byte as another value.
@Suite(.inTurn) struct ArrayParameterTests {
  private func bytes(_ type: ColumnType, _ cells: [Cell]) throws -> [UInt8] {
    var array = ArrayParameter(of: type)
    for cell in cells { try array.append(cell) }
    return ArrayParameter.withPointers([array]) { pointers, lengths in
      (0..<Int(lengths[0])).map { UInt8(bitPattern: pointers[0]![$0]) }
    }
  }

  /// The number of dimensions, whether a null is there, the type, the length, and the first index.
  private func header(_ type: UInt16, _ count: UInt8, hasNull: Bool = false) -> [UInt8] {
    [0, 0, 0, 1, 0, 0, 0, hasNull ? 1 : 0, 0, 0, UInt8(type >> 8), UInt8(type & 255)]
      + [0, 0, 0, count, 0, 0, 0, 1]
  }

  @Test func `numbers have the width of their type`() throws {
    #expect(
      try bytes(.int2, [.integer(-2), .integer(258)])
        == header(21, 2) + [0, 0, 0, 2, 255, 254, 0, 0, 0, 2, 1, 2])
    #expect(try bytes(.bool, [.integer(1)]) == header(16, 1) + [0, 0, 0, 1, 1])
    #expect(
      try bytes(.float8, [.real(1)])
        == header(701, 1) + [0, 0, 0, 8, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0])
  }

  @Test func `null has no bytes and is told`() throws {
    #expect(
      try bytes(.text, [.null, .text("é")])
        == header(25, 2, hasNull: true) + [255, 255, 255, 255, 0, 0, 0, 2, 0xc3, 0xa9])
  }

  @Test func `times are microseconds since 2000`() throws {
    // 2001-01-01 and half a microsecond more, and the two ends of time.
    let half = try bytes(.timestamptz, [.real(0.000_000_6)]).suffix(8)
    let number = half.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    #expect(number == 366 * 86_400_000_000 + 1)
    #expect(
      try bytes(.timestamptz, [.real(.infinity)]).suffix(8) == [127]
        + [UInt8](repeating: 255, count: 7))
    #expect(
      try bytes(.timestamptz, [.real(-.infinity)]).suffix(8) == [128]
        + [UInt8](repeating: 0, count: 7))
  }

  @Test(arguments: [
    (ColumnType.int2, Cell.integer(32_768)), (.int4, .integer(3_000_000_000)),
    (.timestamptz, .real(1e300)),
    (.uuid, .integer(1)),
  ]) func `a value that the type lacks is refused by name`(_ type: ColumnType, _ cell: Cell) {
    var array = ArrayParameter(of: type)
    do throws(RefusalReason) {
      try array.append(cell)
      #expect(Bool(false))
    } catch {
      #expect(error.sqlState == "22003" && error.message.contains(type.rawValue))
    }
  }
}
