import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private enum Mood: String, AttributeValue { case calm, wild }

private struct Tune: Entity {
  var id = 0
  var title = ""
  var bpm = 0
  var month = 0
  var mood = Mood.calm
  static let schema = Schema<Tune>("tunes", key: \.id) {
    Attribute(\.title)
    Attribute(\.bpm)
    Attribute(\.month)
    Attribute(\.mood)
  }
}

/// Errors of imports name the entity and the remedy.
@Suite(.inTurn) struct ImportAdviceTests {
  private func failure(
    _ text: String, _ format: JSONFormat = .array, _ options: ImportOptions = ImportOptions()
  ) async throws -> ImportError? {
    let stack = try await Stack.temporary(Tune.self)
    defer { Task { await stack.close() } }
    do {
      try await stack.importJSON(
        Tune.self, from: .data(Data(text.utf8)), as: format, options: options)
      return nil
    } catch let error as ImportError {
      return error
    }
  }

  @Test(arguments: [
    (#"[{"id": 1, "bpm": "fast"}]"#, "allowingNumberInString()"),
    (#"[{"id": 1, "bpm": true}]"#, "unknown(as:)"),
    (#"[{"id": 1, "mood": "angry"}]"#, "unknown(as:)"),
    (#"[{"title": "a"}]"#, "send a key with each record"),
  ])
  func `a value that does not fit names the entity and the remedy`(
    _ text: String, _ advice: String
  ) async throws {
    let error = try #require(try await failure(text))
    #expect(error.code == .invalidValue && error.entity == "Tune")
    #expect(error.advice.contains(advice), "\(error)")
    #expect(error.localizedDescription == "Tune: \(error.message)")
    #expect("\(error)" == "invalidValue: Tune: \(error.message); \(error.advice)")
  }

  @Test func `a document of another form names the format`() async throws {
    let object = try #require(try await failure(#"{"items": []}"#))
    #expect(object.advice.contains(".array(at:)"), "\(object)")
    let wrong = try #require(try await failure(#"{"items": []}"#, .array(at: "songs")))
    #expect(wrong.advice.contains(".array(at:)"), "\(wrong)")
    #expect(wrong.message.contains("songs"), "\(wrong)")
    var options = ImportOptions()
    options.longestRecord = 4096
    let text = "[{\"id\": 1, \"title\": \"\(String(repeating: "a", count: 20_000))\"}]"
    let long = try #require(try await failure(text, .array, options))
    #expect(long.code == .recordTooLong && long.advice.contains("longestRecord"))
  }

  @Test func `an alert shows the errors of sources`() {
    let errors: [any Error & CustomStringConvertible] = [
      GzipError.truncated, PagingError.unreadableLink("x"), PagingError.repeatedPage(nil),
    ]
    for error in errors { #expect(error.localizedDescription == error.description) }
  }

  @Test func `the result names members that no record had`() async throws {
    let stack = try await Stack.temporary(Tune.self)
    let mapping = JSONMapping<Tune> {
      Field(\.id, "id")
      Field(\.title, "titel")
    }
    let feed = Data(#"[{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]"#.utf8)
    let result = try await stack.importJSON(Tune.self, from: .data(feed), mapping: mapping)
    #expect(result.missingMembers == ["titel"])
    let late = Data(#"[{"id": 3}, {"id": 4, "titel": "b"}]"#.utf8)
    let all = try await stack.importJSON(
      Tune.self, from: [.data(feed), .data(late)], mapping: mapping)
    #expect(all.missingMembers == [])
    let none = try await stack.importJSON(Tune.self, from: .data(Data("[]".utf8)), mapping: mapping)
    #expect(none.missingMembers == [])
    await stack.close()
  }

  @Test func `records of one key are counted`() async throws {
    let stack = try await Stack.temporary(Tune.self)
    let feed = Data(#"[{"id": 1, "title": "a"}, {"id": 1, "title": "b"}, {"id": 2}]"#.utf8)
    let result = try await stack.importJSON(Tune.self, from: .data(feed))
    #expect(result.records == 3 && result.inserted == 2 && result.duplicates == 1)
    #expect("\(result)" == "3 records: 2 inserted, 1 duplicates")
    #expect(try await stack.find(Tune.self, 1)?.title == "b")
    await stack.close()
  }

  @Test func `a read-only field is read and not written`() async throws {
    let mapping = JSONMapping<Tune> {
      Field(\.id, "id")
      Field(\.bpm, "bpm")
      Field(\.month, "bpm").readOnly()
    }
    let stack = try await Stack.temporary(Tune.self)
    let outbox = try await stack.outbox()
    let feed = Data(#"[{"id": 1, "bpm": 7}]"#.utf8)
    try await stack.importJSON(Tune.self, from: .data(feed), mapping: mapping)
    #expect(try await stack.fetch(Tune.all).map(\.month) == [7])
    let json = try await stack.exportJSON(Tune.all, mapping: mapping)
    #expect(String(decoding: json, as: UTF8.self).contains("\"bpm\":7"))
    try await stack.withScratch { scratch in
      let tune = try #require(try await scratch.find(Tune.self, 1))
      scratch.update(tune) { ($0.bpm, $0.month) = (8, 9) }
    }
    let bodies = try await outbox.requests().map { try $0.json(mapping) }
    #expect(bodies.map { $0.map { String(decoding: $0, as: UTF8.self) } } == [#"{"id":1,"bpm":8}"#])
    await stack.close()
  }

  @Test func `two attributes of one member need a read-only field, and never the key`() async throws
  {
    let stack = try await Stack.temporary(Tune.self)
    let twice = JSONMapping<Tune> {
      Field(\.id, "id")
      Field(\.bpm, "bpm")
      Field(\.month, "bpm")
    }
    let error = await #expect(throws: ImportError.self) {
      _ = try await stack.exportJSON(Tune.all, mapping: twice)
    }
    #expect(error?.message.contains("readOnly()") == true)
    let keyless = JSONMapping<Tune> { Field(\.id, "id").readOnly() }
    let refused = await #expect(throws: ImportError.self) {
      _ = try await stack.exportJSON(Tune.all, mapping: keyless)
    }
    #expect(refused?.message.contains("key of Tune is read-only") == true)
    await stack.close()
  }
}
