import StrataTesting

@testable import Strata

/// Records of three columns, so few that generated changes meet.
enum SmallRecords {
  /// All records.
  ///
  /// Record `n` of the first eight has the bits of `n`. The other records have a third value in the
  /// first two columns, for rules about a before, an after and a third value.
  static let all: [Record] = values.compactMap { try? Record($0.map { .integer($0) }) }

  private static let values: [[Int64]] =
    (0..<8).map { bits in (0..<3).map { bits >> $0 & 1 } }
    + [[2, 0, 0], [2, 1, 1], [0, 2, 0], [1, 2, 1], [2, 2, 0], [2, 2, 1]]

  /// Every state of a row, including no row.
  static let rows: [Record?] = [nil] + all
}

extension SeededRandom {
  mutating func row() -> Record? { pick(SmallRecords.rows) }

  /// Returns a row that differs from `row`.
  mutating func row(otherThan row: Record?) -> Record? {
    pick(SmallRecords.rows.filter { $0 != row })
  }

  mutating func columns() -> AttributeSet { AttributeSet((0..<3).filter { _ in oneIn(2) }) }

  mutating func blind() -> BlindChange {
    oneIn(2) ? .set(row()) : .patching(columns(), onInsert: pick(SmallRecords.all))
  }
}
