import StrataTesting

@testable import Strata

/// Records of three columns: few enough that generated changes meet.
enum SmallRecords {
  /// Record `n` of the first eight has the bits of `n`; the others have a third value in the first
  /// two columns, for rules about a before, an after and something else.
  static let all: [Record] = values.compactMap { try? Record($0.map { .integer($0) }) }

  private static let values: [[Int64]] =
    (0..<8).map { bits in (0..<3).map { bits >> $0 & 1 } }
    + [[2, 0, 0], [2, 1, 1], [0, 2, 0], [1, 2, 1], [2, 2, 0], [2, 2, 1]]

  /// Every state of a row, no row included.
  static let rows: [Record?] = [nil] + all
}

extension SeededRandom {
  mutating func row() -> Record? { pick(SmallRecords.rows) }

  /// A row that is another one than `row`.
  mutating func row(otherThan row: Record?) -> Record? {
    pick(SmallRecords.rows.filter { $0 != row })
  }

  mutating func columns() -> AttributeSet { AttributeSet((0..<3).filter { _ in oneIn(2) }) }

  mutating func blind() -> BlindChange {
    oneIn(2) ? .set(row()) : .patching(columns(), onInsert: pick(SmallRecords.all))
  }
}
