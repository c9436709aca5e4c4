internal import Foundation
import Testing

@testable import Strata

@Suite struct TimeOrderedUUIDTests {
  private func milliseconds(_ id: UUID) -> UInt64 {
    withUnsafeBytes(of: id.uuid) { $0.prefix(6).reduce(0) { $0 << 8 | UInt64($1) } }
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
      let id = UUID.timeOrdered(at: Date(timeIntervalSince1970: seconds))
      let expected = UInt64(Date(timeIntervalSince1970: seconds).timeIntervalSince1970 * 1_000)
      #expect(milliseconds(id) == expected)
    }
    #expect(milliseconds(.timeOrdered(at: Date(timeIntervalSince1970: -5))) == 0)
  }

  @Test func `later identifiers sort after earlier ones, as text and as keys`() {
    let start = 1_700_000_000.0
    let ids = (0..<500).map {
      UUID.timeOrdered(at: Date(timeIntervalSince1970: start + Double($0) * 0.002))
    }
    #expect(ids.map(\.uuidString) == ids.map(\.uuidString).sorted())
    let keys = ids.map { RecordKey($0.cell) }
    #expect(keys == keys.sorted())
    #expect(ids.map(\.cell) == ids.map(\.cell).sorted())
  }

  @Test func `identifiers of one millisecond differ, in all random bits`() {
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    let ids = (0..<5_000).map { _ in UUID.timeOrdered(at: date) }
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
    #expect(varying.prefix(6).allSatisfy { $0 == 0 })
    #expect(Array(varying.suffix(10)) == [0x0F, 255, 0x3F] + [UInt8](repeating: 255, count: 7))
  }
}
