import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

/// Tests of `.unknown(as:)` for every type that an attribute may have, with JSON values of every
/// kind.
@Suite(.inTurn) struct UnknownValueTests {
  fileprivate enum Mood: String, AttributeValue { case calm, wild }
  fileprivate enum Size: Int, AttributeValue { case small = 1, large = 2 }

  /// An entity with one attribute of some type.
  private struct Holder<Value: AttributeValue & Equatable & UnknownSample>: Entity {
    var id = 0
    var value = Value.sample
    static var schema: Schema<Holder> {
      Schema<Holder>("holders", key: \.id) { Attribute(\.value) }
    }
  }

  static let values = [
    #""calm""#, #""x""#, #""""#, #""5""#, "0", "1", "-1", "7", "1.5", "1e400",
    "18446744073709551616",
    "true", "false", "null", "[]", "{}", "[1, 2]", #"{"a": [null]}"#, #""2026-11-23T10:00:00Z""#,
    #""00000000-0000-0000-0000-000000000001""#,
  ]

  /// Checks every value. The expected result is that of the automatic conversion, or `other` if
  /// that conversion refuses the value.
  private func check<Value: AttributeValue & Equatable & UnknownSample>(_: Value.Type) async throws
  {
    try await withTemporaryStack(Holder<Value>.self) { stack in
      func read(_ id: Int, _ json: String, _ conversion: Conversion<Value>) async throws -> Value? {
        let mapping = JSONMapping<Holder<Value>> {
          Field(\.id, "id")
          Field(\.value, "value", conversion)
        }
        do {
          _ = try await stack.importJSON(
            Holder<Value>.self, from: .data(Data(#"[{"id": \#(id), "value": \#(json)}]"#.utf8)),
            mapping: mapping)
        } catch {
          return nil
        }
        return try await stack.find(Holder<Value>.self, id)?.value
      }
      for (number, json) in Self.values.enumerated() {
        let automatic = json == "null" ? nil : try await read(2 * number, json, .automatic)
        let found = try await read(2 * number + 1, json, .unknown(as: .other))
        #expect(found == automatic ?? .other, "\(Value.self) from \(json)")
      }
    }
  }

  @Test func `a value that does not fit becomes the one that is named`() async throws {
    try await check(Int.self)
    try await check(Double.self)
    try await check(Bool.self)
    try await check(String.self)
    try await check(Date.self)
    try await check(UUID.self)
    try await check(Data.self)
    try await check(Mood.self)
    try await check(Size.self)
    try await check([Int].self)
  }

  @Test func `null of an optional attribute stays null`() async throws {
    struct Loose: Entity {
      var id = 0
      var mood: String? = "start"
      static let schema = Schema<Loose>("loose", key: \.id) { Attribute(\.mood) }
    }
    try await withTemporaryStack(Loose.self) { stack in
      let mapping = JSONMapping<Loose> {
        Field(\.id, "id")
        Field(\.mood, "mood", .unknown(as: "odd"))
      }
      let json = #"[{"id": 1, "mood": null}, {"id": 2, "mood": 5}, {"id": 3}]"#
      try await stack.importJSON(Loose.self, from: .data(Data(json.utf8)), mapping: mapping)
      #expect(try await stack.fetch(Loose.sorted(by: \.id)).map(\.mood) == [nil, "odd", "start"])
    }
  }
}

/// The value of a new entity, and the value that replaces an unknown value.
private protocol UnknownSample {
  static var sample: Self { get }
  static var other: Self { get }
}

extension Int: UnknownSample {
  static var sample: Int { 41 }
  static var other: Int { 42 }
}
extension Double: UnknownSample {
  static var sample: Double { 4.1 }
  static var other: Double { 4.2 }
}
extension Bool: UnknownSample {
  static var sample: Bool { false }
  static var other: Bool { true }
}
extension String: UnknownSample {
  static var sample: String { "sample" }
  static var other: String { "other" }
}
extension Date: UnknownSample {
  static var sample: Date { Date(timeIntervalSinceReferenceDate: 1) }
  static var other: Date { Date(timeIntervalSinceReferenceDate: 2) }
}
extension UUID: UnknownSample {
  static let sample = UUID()
  static let other = UUID()
}
extension Data: UnknownSample {
  static var sample: Data { Data([1]) }
  static var other: Data { Data([2]) }
}
extension [Int]: UnknownSample {
  static var sample: [Int] { [4, 1] }
  static var other: [Int] { [4, 2] }
}
extension UnknownValueTests.Mood: UnknownSample {
  static var sample: Self { .wild }
  static var other: Self { .wild }
}
extension UnknownValueTests.Size: UnknownSample {
  static var sample: Self { .large }
  static var other: Self { .large }
}
