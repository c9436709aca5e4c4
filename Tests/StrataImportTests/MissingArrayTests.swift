import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

/// The values that may stand in the place of an array of records, in every format.
@Suite(.inTurn, .stack(Author.self)) struct MissingArrayTests {
  let stack = Stack.test

  enum Form: CaseIterable, Sendable {
    case array, path, longPath, features, document, longDocument

    var keys: [String] {
      switch self {
      case .array: []
      case .path, .document: ["items"]
      case .longPath, .longDocument: ["data", "items"]
      case .features: ["features"]
      }
    }
    var isDocument: Bool { self == .document || self == .longDocument }
  }

  /// Imports a text whose keys up to `depth` lead to a value.
  private func importing(
    _ value: String, _ form: Form, depth: Int
  ) async throws -> ImportResult {
    let keys = form.keys.prefix(depth)
    let text = keys.reversed().reduce(value) { #"{"x": 1, "\#($1)": \#($0), "y": [2]}"# }
    let source = JSONSource.data(Data(text.utf8))
    if form.isDocument {
      let document = JSONDocument {
        JSONRecords(at: form.keys.joined(separator: "."), Author.json)
      }
      return try await stack.importJSON(document, from: source, absent: .delete)
    }
    let format: JSONFormat =
      form == .array
      ? .array : form == .features ? .featureCollection : .array(at: Array(form.keys))
    return try await stack.importJSON(
      Author.self, from: source, as: format, mapping: Author.json, absent: .delete)
  }

  @Test(arguments: Form.allCases)
  func `null has no records, and deletes nothing`(form: Form) async throws {
    try await stack.withScratch { $0.insert(Author(id: 1)) }
    for depth in 0...form.keys.count {
      let result = try await importing("null", form, depth: depth)
      #expect(result.records == 0)
      #expect(result.incompleteEntities.map(\.reason) == [.missingArray])
    }
    #expect(try await stack.fetch(Author.all).count == 1)
  }

  @Test(
    arguments: Form.allCases,
    [#""none""#, "7", "-1", "true", "false", #"{"id": 1}"#, "[]", #"[{"id": 1}]"#])
  func `another value is an error with its path`(form: Form, value: String) async throws {
    try await stack.withScratch { $0.insert(Author(id: 1)) }
    let count = form.keys.count
    for depth in 0...count {
      // An object on the way is only an object without the array.
      if value.hasPrefix("{") && (form.isDocument || depth < count) { continue }
      if value.hasPrefix("[") && depth == count { continue }
      let error = await #expect(throws: ImportError.self) {
        try await importing(value, form, depth: depth)
      }
      #expect(error?.code == .missingArray, "\(String(describing: error))")
      let path = form.keys.prefix(depth).joined(separator: ".")
      #expect(error?.path == (path.isEmpty ? nil : path))
      #expect(error?.line == 1 && error?.advice.contains(".array(at:)") == true)
      #expect(error?.advice.contains("answers with JSON") == false)
    }
    #expect(try await stack.fetch(Author.all).count == 1)
  }

  @Test(arguments: Form.allCases.filter { $0 != .array })
  func `a missing path is an error with the path`(form: Form) async throws {
    for depth in 0..<form.keys.count {
      let error = await #expect(throws: ImportError.self) {
        try await importing("{}", form, depth: depth)
      }
      #expect(error?.code == .missingArray)
      #expect(error?.path == form.keys.joined(separator: "."))
    }
  }

  @Test(arguments: Form.allCases, ["nul", "nonsense", "tru", "truth", "<html>", ""])
  func `a value that is not JSON is a syntax error`(form: Form, value: String) async throws {
    for depth in 0...form.keys.count {
      let error = await #expect(throws: ImportError.self) {
        try await importing(value, form, depth: depth)
      }
      #expect(error?.code == .syntax, "\(String(describing: error))")
    }
  }
}
