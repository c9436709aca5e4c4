internal import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct TimeOrderedUUIDTests {
  private func milliseconds(_ id: UUID) -> UInt64 {
    withUnsafeBytes(of: id.uuid) { $0.prefix(6).reduce(0) { $0 << 8 | UInt64($1) } }
  }

  private func identifier(at seconds: Double) -> UUID {
    .timeOrdered(at: TimeOrderedTick(Date(timeIntervalSince1970: seconds)))
  }

  @Test func `version and variant are those of RFC 9562`() {
    for _ in 0..<1_000 {
      let id = UUID.timeOrdered().uuid
      #expect(id.6 >> 4 == 7)
      #expect(id.8 >> 6 == 0b10)
    }
  }

  @Test func `the first 48 bits are milliseconds since 1970`() {
    for seconds in [0, 0.001, 1, 1_700_000_000.25, 281_474_976_710.655] {
      let id = identifier(at: seconds)
      let expected = UInt64(Date(timeIntervalSince1970: seconds).timeIntervalSince1970 * 1_000)
      #expect(milliseconds(id) == expected)
    }
    #expect(milliseconds(identifier(at: -5)) == 0)
  }

  @Test func `identifiers sort by their time, as text and as keys`() {
    let start = 1_700_000_000.0
    let ids = (0..<500).map {
      identifier(at: start + Double($0) * 0.002)
    }
    #expect(ids.map(\.uuidString) == ids.map(\.uuidString).sorted())
    let keys = ids.map { RecordKey($0.cell) }
    #expect(keys == keys.sorted())
    #expect(ids.map(\.cell) == ids.map(\.cell).sorted())
  }

  @Test func `identifiers of one tick differ, in all random bits`() {
    let ids = (0..<5_000).map { _ in identifier(at: 1_700_000_000) }
    #expect(Set(ids).count == ids.count)
    var always = [UInt8](repeating: 255, count: 16)
    var ever = [UInt8](repeating: 0, count: 16)
    for id in ids {
      withUnsafeBytes(of: id.uuid) { bytes in
        for index in 0..<16 {
          always[index] &= bytes[index]
          ever[index] |= bytes[index]
        }
      }
    }
    // Every bit varies, except the bits of the time, the version and the variant.
    let varying = zip(always, ever).map { $0 ^ $1 }
    #expect(varying.prefix(8).allSatisfy { $0 == 0 })
    #expect(Array(varying.suffix(8)) == [0x3F] + [UInt8](repeating: 255, count: 7))
  }

  // The rows of a loop came back shuffled by `sorted(by: \.id)`: the order of the keys of one
  // millisecond was random.
  @Test func `identifiers made in one loop stand in that order`() {
    let ids = (0..<50_000).map { _ in UUID.timeOrdered() }
    #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 && $0.cell < $1.cell })
    let keys = (0..<5_000).map { _ in Key<Int>() }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.description < $1.description })
  }

  @Test func `ticks ascend, also when the clock goes back`() {
    var random = SeededRandom.printingSeed()
    let ticks = TimeOrderedTicks()
    var seconds = 1_700_000_000.0
    var last = ticks.next(at: Date(timeIntervalSince1970: seconds))
    for step in 0..<20_000 {
      switch random.below(6) {
      case 0: seconds -= Double(random.below(100_000)) / 100
      case 1: seconds += Double(random.below(100_000)) / 100
      case 2: seconds += Double(random.below(1_000)) / 1e6
      default: break
      }
      let date = Date(timeIntervalSince1970: seconds)
      let next = ticks.next(at: date)
      let rule = max(TimeOrderedTick(date).count, last.count + 1)
      #expect(next.count == rule, "step \(step)")
      #expect(UUID.timeOrdered(at: last) < UUID.timeOrdered(at: next), "step \(step)")
      last = next
    }
  }

  @Test func `every task sees its identifiers ascend, and so does the task that takes over`() async
  {
    let runs = await withTaskGroup(of: [UUID].self) { group in
      for _ in 0..<8 { group.addTask { (0..<5_000).map { _ in UUID.timeOrdered() } } }
      return await group.reduce(into: [[UUID]]()) { $0.append($1) }
    }
    let after = UUID.timeOrdered()
    for ids in runs {
      #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
      #expect(ids.allSatisfy { $0 < after })
    }
    #expect(Set(runs.joined().map { $0.uuidString.prefix(18) }).count == 40_000, "a tick twice")
  }
}
