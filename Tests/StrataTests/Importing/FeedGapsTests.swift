import StrataTestTurns
import Testing

@testable import Strata

/// The gaps of a feed, and what an import may take away in spite of them.
@Suite(.inTurn) struct FeedGapsTests {
  private enum Gap: CaseIterable { case none, ofBoats, ofRecords, refusedRecord, unknownValue }

  private let tables: [Table]

  init() throws { tables = try Model([Boat.self, Harbour.self]).tables }

  private func note(_ gap: Gap, in gaps: inout FeedGaps) {
    switch gap {
    case .none: break
    case .ofBoats: _ = gaps.note(tables.filter { $0.name == "boats" })
    case .ofRecords: _ = gaps.note([])
    case .refusedRecord: gaps.losses.insert(.refusedRecord)
    case .unknownValue: gaps.losses.insert(.unknownValue)
    }
  }

  @Test func `each pair of gaps answers the same in both orders`() {
    for first in Gap.allCases {
      for second in Gap.allCases {
        let pair: Set = [first, second]
        var (gaps, swapped) = (FeedGaps(), FeedGaps())
        for gap in [first, second] { note(gap, in: &gaps) }
        for gap in [second, first] { note(gap, in: &swapped) }
        let absent = gaps.absentTables(of: tables + tables).map(\.name)
        #expect(absent == swapped.absentTables(of: tables + tables).map(\.name))
        #expect(gaps.linkRule == swapped.linkRule && gaps.losses == swapped.losses)
        let isRefused = pair.contains(.refusedRecord)
        #expect(
          absent == (isRefused ? [] : pair.contains(.ofBoats) ? ["harbours"] : tables.map(\.name)))
        let rule: LinkRule =
          isRefused ? .add : pair.isDisjoint(with: [.ofBoats, .ofRecords]) ? .replace : .replaceOwn
        #expect(gaps.linkRule == rule)
      }
    }
  }

  @Test func `a table is named once among the tables that may lack rows`() {
    var gaps = FeedGaps()
    let first = gaps.note([tables[0]]).map(\.name)
    let others = gaps.note(tables).map(\.name)
    #expect(first == [tables[0].name] && others == tables.dropFirst().map(\.name))
  }
}
