internal import Foundation
import StrataTestTurns
import Testing

@testable import Strata

private struct ByText: Entity, Equatable {
  var id = ""
  var note = ""
  static let schema = Schema<ByText>("by_text", key: \.id) { Attribute(\.note) }
}

private struct ByReal: Entity, Equatable {
  var id = 0.0
  var note = ""
  static let schema = Schema<ByReal>("by_real", key: \.id) { Attribute(\.note) }
}

private struct ByDate: Entity, Equatable {
  var id = Date(timeIntervalSinceReferenceDate: 0)
  var note = ""
  static let schema = Schema<ByDate>("by_date", key: \.id) { Attribute(\.note) }
}

private struct BySmall: Entity, Equatable {
  var id: Int8 = 0
  var note = ""
  static let schema = Schema<BySmall>("by_small", key: \.id) { Attribute(\.note) }
}

private enum Color: String, AttributeValue { case red, green, blue = "" }

private struct ByColor: Entity, Equatable {
  var id = Color.red
  var note = ""
  static let schema = Schema<ByColor>("by_color", key: \.id) { Attribute(\.note) }
}

private struct ByUnsigned: Entity, Equatable {
  var id: UInt64 = 0
  static let schema = Schema<ByUnsigned>("by_unsigned", key: \.id) {}
}

/// Any attribute value can be a key.
@Suite(.inTurn) struct KeyTypeTests {
  @Test func `reals, dates and small integers`() async throws {
    try await expectRoundTrip(EdgeValues.reals.map { ByReal(id: $0, note: "\($0)") })
    try await expectRoundTrip(
      [-1, 0, 0.25, 1e10].map { ByDate(id: Date(timeIntervalSinceReferenceDate: $0)) })
    try await expectRoundTrip((-128...127).map { BySmall(id: Int8($0), note: "\($0)") })
  }

  @Test func `texts are keys byte by byte`() async throws {
    let texts = ["", "\0", "a", "A", "a\0", "a\0b", "é", "e\u{301}", "日", "\u{10FFFF}"]
    let stack = try await Stack.temporary(ByText.self)
    try await stack.withScratch { scratch in
      for (number, text) in texts.enumerated() {
        scratch.insert(ByText(id: text, note: "\(number)"))
      }
    }
    let found = try await stack.makeScratch().find(ByText.self, texts)
    #expect(found.map(\.note) == texts.indices.map { "\($0)" })
    #expect(zip(found, texts).allSatisfy { Array($0.id.utf8) == Array($1.utf8) })
    try await stack.withScratch { scratch in
      scratch.update(found[6]) { $0.note = "composed" }
      scratch.delete(found[1])
    }
    let notes = try await stack.fetch(ByText.all).map(\.note)
    #expect(Set(notes) == ["0", "2", "3", "4", "5", "composed", "7", "8", "9"])
    await stack.close()
  }

  @Test func `enumerations and unsigned integers`() async throws {
    let stack = try await Stack.temporary(ByColor.self, ByUnsigned.self)
    try await stack.withScratch { scratch in
      for color in [Color.red, .green, .blue] { scratch.insert(ByColor(id: color)) }
      for number in [0, 1, 1 << 63, UInt64.max] { scratch.insert(ByUnsigned(id: number)) }
    }
    let scratch = stack.makeScratch()
    #expect(try await scratch.find(ByColor.self, .blue) == ByColor(id: .blue))
    #expect(try await scratch.find(ByUnsigned.self, .max) == ByUnsigned(id: .max))
    #expect(try await Set(stack.fetch(ByUnsigned.all).map(\.id)) == [0, 1, 1 << 63, .max])
    await stack.close()
  }

  @Test func `keys that do not exist are left out`() async throws {
    let stack = try await Stack.temporary(BySmall.self)
    try await stack.withScratch { $0.insert(BySmall(id: 5)) }
    let scratch = stack.makeScratch()
    #expect(try await scratch.find(BySmall.self, [7, 5, 6, 5]).map(\.id) == [5, 5])
    #expect(try await scratch.find(BySmall.self, 7) == nil)
    await stack.close()
  }
}
