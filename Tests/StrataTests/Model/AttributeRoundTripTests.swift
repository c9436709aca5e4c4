internal import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// An entity of the types that are read and written by their offset, without a key path.
private struct Plain: Entity, Equatable {
  var id: Int64 = 0
  var flag = false
  var maybeFlag: Bool?
  var int = 0
  var maybeInt: Int?
  var int64: Int64 = 0
  var maybeInt64: Int64?
  var double = 0.0
  var maybeDouble: Double?
  var text = ""
  var maybeText: String?
  var data = Data()
  var maybeData: Data?
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var maybeDate: Date?
  var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var maybeUUID: UUID?

  static let schema = Schema<Plain>("plain", key: \.id) {
    Attribute(\.flag)
    Attribute(\.maybeFlag)
    Attribute(\.int)
    Attribute(\.maybeInt)
    Attribute(\.int64)
    Attribute(\.maybeInt64)
    Attribute(\.double)
    Attribute(\.maybeDouble)
    Attribute(\.text)
    Attribute(\.maybeText)
    Attribute(\.data)
    Attribute(\.maybeData)
    Attribute(\.date)
    Attribute(\.maybeDate)
    Attribute(\.uuid)
    Attribute(\.maybeUUID)
  }
}

/// An entity of the types that are read and written through their key path.
private struct General: Entity, Equatable {
  var id: Int64 = 0
  var int8: Int8 = 0
  var int16: Int16? = nil
  var int32: Int32 = 0
  var uint8: UInt8? = nil
  var uint16: UInt16 = 0
  var uint32: UInt32? = nil
  var uint64: UInt64 = 0
  var uint: UInt? = nil
  var float: Float = 0
  var maybeFloat: Float?
  var text = ""

  static let schema = Schema<General>("general", key: \.id) {
    Attribute(\.int8)
    Attribute(\.int16)
    Attribute(\.int32)
    Attribute(\.uint8)
    Attribute(\.uint16)
    Attribute(\.uint32)
    Attribute(\.uint64)
    Attribute(\.uint)
    Attribute(\.float)
    Attribute(\.maybeFloat)
    Attribute(\.text)
  }
}

@Suite(.inTurn) struct AttributeRoundTripTests {
  @Test func `integers and Bool`() async throws {
    try await expectRoundTrip(
      EdgeValues.integers.enumerated().map { index, value in
        var plain = Plain(id: value)
        plain.int64 = value
        plain.maybeInt64 = index % 3 == 0 ? nil : value
        plain.int = Int(value)
        plain.maybeInt = index % 2 == 0 ? nil : Int(value)
        plain.flag = index % 2 == 0
        plain.maybeFlag = [nil, true, false][index % 3]
        return plain
      })
  }

  @Test func `the small and the unsigned integers`() async throws {
    try await expectRoundTrip([
      General(id: 1),
      General(
        id: 2, int8: .min, int16: .min, int32: .min, uint8: .min, uint16: .min, uint32: .min,
        uint64: .min, uint: .min),
      General(
        id: 3, int8: .max, int16: .max, int32: .max, uint8: .max, uint16: .max, uint32: .max,
        uint64: .max, uint: .max),
      General(id: 4, uint64: 1 << 63, uint: 1 << 63 - 1),
    ])
  }

  @Test func `reals and dates, bit by bit`() async throws {
    try await expectRoundTrip(
      EdgeValues.reals.enumerated().map { index, value in
        var plain = Plain(id: Int64(index))
        plain.double = value
        plain.maybeDouble = index % 2 == 0 ? nil : value
        plain.date = Date(timeIntervalSinceReferenceDate: value)
        plain.maybeDate = index % 3 == 0 ? nil : plain.date
        return plain
      })
    try await expectRoundTrip(
      [Date.distantPast, .distantFuture, Date(), Date(timeIntervalSince1970: 0.1)].enumerated().map
      {
        Plain(id: Int64($0), date: $1, maybeDate: $1)
      })
  }

  @Test func `floats come back bit by bit`() async throws {
    let values: [Float] = [
      0, 0.1, -1.5, .pi, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
      -.greatestFiniteMagnitude, .leastNormalMagnitude, 16_777_218,
    ]
    try await expectRoundTrip(
      values.enumerated().map {
        General(id: Int64($0), float: $1, maybeFloat: $0 % 2 == 0 ? nil : $1)
      })
  }

  @Test func `a negative zero becomes zero`() async throws {
    let stack = try await Stack.temporary(Plain.self, General.self)
    try await stack.withScratch {
      $0.insert(Plain(double: -0.0, maybeDouble: -0.0))
      $0.insert(General(float: -0.0))
    }
    let plain = try #require(try await stack.fetch(Plain.all).first)
    #expect(plain.double.sign == .plus && plain.maybeDouble?.sign == .plus)
    #expect(try await stack.fetch(General.all).first?.float.sign == .plus)
    await stack.close()
  }

  @Test func `text of every kind`() async throws {
    var random = SeededRandom.printingSeed()
    let texts =
      ["", "\0", "a\0b", "naïve", "日本語", "e\u{301}", "é", "\u{FEFF}x", "line\r\nline", "'; DROP"]
      + [String(repeating: "long ", count: 20_000)] + (0..<50).map { _ in random.text() }
    try await expectRoundTrip(
      texts.enumerated().map {
        Plain(id: Int64($0), text: $1, maybeText: $0 % 2 == 0 ? nil : $1)
      })
    try await expectRoundTrip(texts.enumerated().map { General(id: Int64($0), text: $1) })
  }

  @Test func `texts that only look the same stay different`() async throws {
    let stack = try await Stack.temporary(Plain.self)
    try await stack.withScratch {
      $0.insert(Plain(id: 1, text: "é"))
      $0.insert(Plain(id: 2, text: "e\u{301}"))
    }
    let texts = try await stack.fetch(Plain.all).map { Array($0.text.utf8) }
    #expect(texts == [Array("é".utf8), Array("e\u{301}".utf8)])
    await stack.close()
  }

  @Test func `bytes and UUIDs`() async throws {
    var random = SeededRandom.printingSeed()
    try await expectRoundTrip(
      (0..<60).map { index in
        var plain = Plain(id: Int64(index))
        plain.data = index == 0 ? Data(repeating: 7, count: 300_000) : random.blob()
        plain.maybeData = index % 2 == 0 ? nil : random.blob()
        plain.uuid = UUID.timeOrdered()
        plain.maybeUUID = index % 3 == 0 ? nil : UUID()
        return plain
      })
  }

  @Test func `a nil, an empty value and a zero are three values`() async throws {
    try await expectRoundTrip([
      Plain(id: 1),
      Plain(
        id: 2, maybeFlag: false, maybeInt: 0, maybeInt64: 0, maybeDouble: 0, maybeText: "",
        maybeData: Data(), maybeDate: Date(timeIntervalSinceReferenceDate: 0),
        maybeUUID: Plain().uuid),
    ])
  }

  @Test func `plain entities are decoded in place, others are not`() throws {
    let model = try Model([Plain.self, General.self])
    #expect(model.table(of: Plain.self).codec.decodesInPlace)
    #expect(!model.table(of: General.self).codec.decodesInPlace)
  }
}
