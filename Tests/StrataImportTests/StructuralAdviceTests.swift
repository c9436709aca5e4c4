import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Label: Entity {
  var id = ""
  static let schema = Schema<Label>("labels", key: \.id) {}
}

private struct Part: Entity {
  var id = 0
  var size = 0
  var thingID: Int?
  static let thing = toOne(\.thingID, Thing.self, onDelete: .nullify)
  static let schema = Schema<Part>("parts", key: \.id) {
    Attribute(\.size)
    thing
  }
  static let json = JSONMapping<Part> {
    Field(\.id, "id")
    Field(\.size, "size")
  }
}

private struct Thing: Entity {
  var id = 0
  var depth = 0
  static let labels = manyToMany(Label.self)
  static let parts = toMany(\Part.thingID)
  static let schema = Schema<Thing>("things", key: \.id) {
    Attribute(\.depth)
    labels
  }
  static let json = JSONMapping<Thing> {
    Field(\.id, "id")
    Field(\.depth, "box.depth")
    Tombstone(ifTrue: "deleted")
    NestedKeys(labels, "labels")
    NestedArray(parts, "parts", Part.json)
  }
}

/// The remedy of each mismatch of structure can be followed: only fields have conversions.
@Suite(.inTurn) struct StructuralAdviceTests {
  private func failure(_ record: String) async throws -> ImportError? {
    let stack = try await Stack.temporary(Label.self, Thing.self, Part.self)
    defer { Task { await stack.close() } }
    do {
      try await stack.importJSON(
        Thing.self, from: .data(Data("[\(record)]".utf8)), mapping: Thing.json)
      return nil
    } catch let error as ImportError {
      return error
    }
  }

  @Test(
    arguments: [
      ("1", nil, "an array of objects"),
      ("null", nil, "an array of objects"),
      (#"[{"id": 1}]"#, nil, "an array of objects"),
      (#"{"id": 1, "box": "big"}"#, "box", "fields inside of box"),
      (#"{"id": 1, "deleted": "yes"}"#, "deleted", "Tombstone"),
      (#"{"id": 1, "labels": "a"}"#, "labels", "each element"),
      (#"{"id": 1, "labels": [null]}"#, "labels[0]", "each element"),
      (#"{"id": 1, "labels": [{"id": "a"}]}"#, "labels[0]", "NestedKeys(_:_:at:)"),
      (#"{"id": 1, "parts": {"id": 1}}"#, "parts", "NestedArray"),
      (#"{"id": 1, "parts": [7]}"#, "parts[0]", "NestedArray"),
      (#"{"id": 1, "box": {"depth": "x"}}"#, "box.depth", "allowingNumberInString()"),
      (#"{"id": 1, "parts": [{"id": 1, "size": true}]}"#, "parts[0].size", ".unknown(as:)"),
    ] as [(String, String?, String)])
  func `each mismatch has advice of its own`(
    record: String, path: String?, advice: String
  ) async throws {
    let error = try #require(try await failure(record))
    #expect(error.code == .invalidValue)
    #expect(error.path == path || path == nil && error.path == "", "\(error)")
    #expect(error.advice.contains(advice), "\(error)")
    let isOfField = advice.hasPrefix("allowing") || advice.hasPrefix(".unknown")
    #expect(error.advice.contains("unknown(as:)") == isOfField, "\(error)")
  }
}
