import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Song: Entity, Equatable {
  var id = 0
  var at: Date?
  var seconds = 0
  var cents: Int?
  var price: String?
  var isLoved = false
  static let tags = manyToMany(Tag.self)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.at)
    Attribute(\.seconds)
    Attribute(\.cents)
    Attribute(\.price)
    Attribute(\.isLoved)
    tags
  }
}

private struct Tag: Entity, Equatable {
  var id = ""
  var name = ""
  static let schema = Schema<Tag>("tags", key: \.id) { Attribute(\.name) }
}

/// Conversions that write what they read, and values that stand for others.
@Suite(.inTurn, .stack(Song.self, Tag.self)) struct TwoWayConversionTests {
  let stack = Stack.test

  private func source(_ json: String) -> JSONSource { .data(Data(json.utf8)) }
  private func songs() async throws -> [Song] { try await stack.fetch(Song.all) }
  private func importing(_ mapping: JSONMapping<Song>, _ json: String) async throws -> ImportResult
  {
    try await stack.importJSON(Song.self, from: source(json), mapping: mapping)
  }

  private static let both = JSONMapping<Song> {
    Field(\.id, "id")
    Field(
      \.at, "at",
      .text { text throws(ValueError) in
        guard let digits = text.wholeMatch(of: /\/Date\((-?\d+)\)\//), let ms = Double(digits.1)
        else { throw ValueError("no date") }
        return Date(timeIntervalSince1970: ms / 1000)
      } writing: { date throws(ValueError) in
        guard let date else { throw ValueError("no date") }
        return "/Date(\(Int64((date.timeIntervalSince1970 * 1000).rounded())))/"
      })
    Field(
      \.seconds, "length.ms",
      .converting(from: Int.self) {
        $0 / 1000
      } writing: {
        $0 * 1000
      })
  }

  // Every row with a date of an own conversion could be neither exported nor pushed.
  @Test func `a conversion with two directions is exported and pushed`() async throws {
    let outbox = try await stack.outbox()
    let song = Song(id: 1, at: Date(timeIntervalSince1970: -1.5), seconds: 200)
    try await stack.withScratch { scratch in
      scratch.insert(song)
      scratch.insert(Song(id: 2))
    }
    let json = try await stack.exportJSON(Song.all, as: .lines, mapping: Self.both)
    #expect(
      String(decoding: json, as: UTF8.self) == """
        {"id":1,"at":"/Date(-1500)/","length":{"ms":200000}}
        {"id":2,"at":null,"length":{"ms":0}}

        """)
    let bodies = Lock<[String]>([])
    try await outbox.push { request in
      let body = try request.json(Self.both).map { String(decoding: $0, as: UTF8.self) }
      bodies.withLock { $0.append(body ?? "") }
      return .done
    }
    #expect(bodies.withLock(\.count) == 2)
    let back = try await stack.importJSON(
      Song.self, from: .data(json), as: .lines, mapping: Self.both)
    #expect(back.unchanged == 2)
    #expect(try await songs().first == song)
  }

  @Test func `a value that would be read as another is not written`() async throws {
    let lossy = JSONMapping<Song> {
      Field(\.id, "id")
      Field(
        \.seconds, "minutes",
        .converting(from: Int.self) {
          $0 * 60
        } writing: {
          $0 / 60
        })
    }
    try await stack.withScratch { $0.insert(Song(id: 1, seconds: 90)) }
    let error = await #expect(throws: StoreError.self) {
      try await stack.exportJSON(Song.all, mapping: lossy)
    }
    #expect(error?.code == .invalidValue && error?.attributes == ["seconds"])
    let refusing = JSONMapping<Song> {
      Field(\.id, "id")
      Field(
        \.seconds, "s",
        .text {
          Int($0) ?? 0
        } writing: { _ throws(ValueError) in
          throw ValueError("none")
        })
    }
    let refused = await #expect(throws: StoreError.self) {
      try await stack.exportJSON(Song.all, mapping: refusing)
    }
    #expect(refused?.code == .invalidValue && refused?.message.contains("none") == true)
  }

  // MARK: Two fields of one member

  @Test func `two fields read one member, each in its own way`() async throws {
    let mapping = JSONMapping<Song> {
      Field(\.id, "id")
      Field(\.cents, "price", .text { Int((Double($0) ?? 0) * 100) }).readOnly()
      Field(\.price, "price")
      Field(\.seconds, "length").allowingNumberInString()
      Field(\.isLoved, "length", .text { $0 == "200" }).readOnly()
    }
    let result = try await importing(
      mapping, #"[{"id": 1, "price": "1.5", "length": "200"}, {"id": 2, "price": null}]"#)
    #expect(result.inserted == 2)
    let expected = [
      Song(id: 1, seconds: 200, cents: 150, price: "1.5", isLoved: true), Song(id: 2),
    ]
    #expect(try await songs() == expected)
    let error = await #expect(throws: ImportError.self) {
      try await importing(mapping, #"[{"id": 3, "price": 1.5}]"#)
    }
    #expect(error?.path == "price")
    let exported = try await stack.exportJSON(Song.all, mapping: mapping)
    let back = try await stack.importJSON(Song.self, from: .data(exported), mapping: mapping)
    #expect(back.unchanged == 2)
  }

  @Test func `an object is read as a whole by several fields, beside its parts`() throws {
    let plan = try JSONPlan([
      JSONColumn(try JSONPath("a"), .json), JSONColumn(try JSONPath("a.b"), .integer),
      JSONColumn(try JSONPath("a"), .custom(0)), JSONColumn(try JSONPath("a.b"), .text),
      JSONColumn(try JSONPath("a.b"), .custom(0)),
    ])
    let outcomes = scan(#"[{"a": {"b" : 5}, "a": {"b" : null}}, {"a": null}, {}]"#.utf8, plan)
    #expect(
      outcomes.dropFirst().map(\.values)
        == [
          [.null, .null, .null, .null, .null], [.missing, .missing, .missing, .missing, .missing],
        ])
    // The values of the earlier key must fit, too: 5 is no text.
    #expect(outcomes.first?.refusal?.path == (try JSONPath("a.b")))
  }

  // MARK: Signs of deletions

  // MySQL and PHP write Booleans as 0 and 1.
  @Test(arguments: [
    ("true", true), ("1", true), (#""1""#, true), (#""true""#, true), ("false", false),
    ("0", false), (#""0""#, false), ("null", false),
  ])
  func `a tombstone is true or 1`(_ value: String, _ deletes: Bool) async throws {
    let mapping = JSONMapping<Song> {
      Field(\.id, "id")
      Tombstone(ifTrue: "deleted")
    }
    _ = try await importing(mapping, #"[{"id": 1}]"#)
    _ = try await importing(mapping, #"[{"id": 1, "deleted": \#(value)}]"#)
    #expect(try await songs().isEmpty == deletes)
  }

  @Test func `a tombstone's text may be a number, and another value is refused`() async throws {
    let coded = JSONMapping<Song> {
      Field(\.id, "id")
      Field(\.isLoved, "state", .zeroOrOne)
      Tombstone(if: "state", is: "1")
    }
    _ = try await importing(coded, #"[{"id": 1, "state": 0}, {"id": 2, "state": "0"}]"#)
    _ = try await importing(coded, #"[{"id": 1, "state": 1}, {"id": 2, "state": 0}]"#)
    #expect(try await songs().map(\.id) == [2])
    let mapping = JSONMapping<Song> {
      Field(\.id, "id")
      Tombstone(ifTrue: "deleted")
    }
    for value in ["2", #""yes""#, "[]", "1.0"] {
      let error = await #expect(throws: ImportError.self) {
        try await importing(mapping, #"[{"id": 2, "deleted": \#(value)}]"#)
      }
      #expect(error?.code == .invalidValue && error?.path == "deleted")
      #expect(error?.advice.contains("Tombstone") == true, "\(String(describing: error))")
    }
    // A row whose export would say that it is gone is not written.
    let sign = JSONMapping<Song> {
      Field(\.id, "id")
      Field(\.seconds, "gone")
      Tombstone(ifTrue: "gone")
    }
    try await stack.withScratch { $0.insert(Song(id: 9, seconds: 1)) }
    await #expect(throws: StoreError.self) { try await stack.exportJSON(Song.all, mapping: sign) }
  }

  // MARK: Numbers and texts

  @Test func `numbers are text keys, and texts are numbers, where the mapping allows it`()
    async throws
  {
    let mapping = JSONMapping<Song> {
      Field(\.id, "id").allowingNumberInString()
      Field(\.price, "price").allowingNumberInString()
      NestedKeys(Song.tags, "tags", allowingNumberInString: true)
    }
    try await stack.withScratch { scratch in
      for id in ["1", "2", "x"] { scratch.insert(Tag(id: id)) }
    }
    _ = try await importing(mapping, #"[{"id": "7", "price": 5, "tags": [1, "2", "x"]}]"#)
    #expect(try await songs().map(\.price) == ["5"])
    #expect(try await stack.fetch(Song.where { $0.tags.count == 3 }).map(\.id) == [7])
    let document = JSONDocument {
      JSONRecords(at: "songs", mapping)
      JSONRecords.deleted(Tag.self, at: "gone", allowingNumberInString: true)
    }
    _ = try await stack.importJSON(document, from: source(#"{"songs": [], "gone": [1, "x"]}"#))
    #expect(try await stack.fetch(Tag.all).map(\.id) == ["2"])
    let strict = JSONMapping<Song> {
      Field(\.id, "id")
      NestedKeys(Song.tags, "tags")
    }
    for tags in ["[1]", "[null]", "[{}]", "5"] {
      let error = await #expect(throws: ImportError.self) {
        try await importing(strict, #"[{"id": 8, "tags": \#(tags)}]"#)
      }
      #expect(error?.advice.contains("unknown(as:)") == false, "\(String(describing: error))")
    }
  }

  @Test func `a record that is no object gets advice about records`() async throws {
    for json in ["[1]", #"["a"]"#, "[[]]"] {
      let error = await #expect(throws: ImportError.self) { try await importing(Self.both, json) }
      #expect(error?.advice.contains("Field(value:)") == true, "\(String(describing: error))")
    }
    let inside = await #expect(throws: ImportError.self) {
      try await importing(Self.both, #"[{"id": 1, "length": 5}]"#)
    }
    #expect(inside?.path == "length" && inside?.advice.contains("unknown(as:)") == false)
  }

  // MARK: Plain values as rows

  // Tags as plain texts made no rows, and their links were dropped without a word.
  @Test func `plain texts are rows`() async throws {
    let tag = JSONMapping<Tag> {
      Field(value: \.id)
      Field(value: \.name, .text { $0.capitalized }).readOnly()
    }
    let mapping = JSONMapping<Song> {
      Field(\.id, "id")
      NestedArray(Song.tags, "tags", tag)
    }
    let result = try await importing(
      mapping, #"[{"id": 1, "tags": ["live", "new"]}, {"id": 2, "tags": ["live"]}]"#)
    #expect(result.inserted == 4)
    #expect(
      try await stack.fetch(Tag.all) == [
        Tag(id: "live", name: "Live"), Tag(id: "new", name: "New"),
      ])
    #expect(try await stack.fetch(Song.where { $0.tags.count == 2 }).map(\.id) == [1])
    _ = try await stack.importJSON(Tag.self, from: source(#"["old"]"#), mapping: tag)
    #expect(try await stack.fetch(Tag.all).map(\.id) == ["live", "new", "old"])
    let exported = try await stack.exportJSON(Tag.all, mapping: tag)
    #expect(String(decoding: exported, as: UTF8.self) == "[\n\"live\",\n\"new\",\n\"old\"\n]\n")
    let error = await #expect(throws: ImportError.self) {
      try await importing(mapping, #"[{"id": 3, "tags": ["a", null]}]"#)
    }
    #expect(error?.path == "tags[1]" && error?.code == .invalidValue)
    let mixed = JSONMapping<Tag> {
      Field(value: \.id)
      Field(\.name, "name")
    }
    let refused = await #expect(throws: ImportError.self) {
      try await stack.importJSON(Tag.self, from: source("[]"), mapping: mixed)
    }
    #expect(refused?.code == .invalidMapping)
  }

  // MARK: Lines of several entities

  private static let events = JSONDocument.lines {
    JSONRecords(
      at: "",
      JSONMapping<Song> {
        Field(\.id, "id")
        Field(\.seconds, "s")
      }
    ).when("type", is: "song")
    JSONRecords(Tag.self, at: "").when("type", is: "tag")
    JSONRecords.ignored(at: "", when: "type", is: "ping")
  }

  @Test func `lines have records of several entities`() async throws {
    let text = """
      {"type": "song", "id": 1, "s": 5}

      \u{1E}{"type": "tag", "id": "a"}
      \u{1E}{"type": "ping"}
      {"type": "song",
       "id": 2}
      """
    let result = try await stack.importJSON(Self.events, from: source(text), absent: .delete)
    #expect(result.inserted == 3 && result.incompleteEntities.isEmpty)
    #expect(try await songs().map(\.id) == [1, 2])
    #expect(try await stack.fetch(Tag.all).map(\.id) == ["a"])
    let fewer = try await stack.importJSON(
      Self.events, from: source(#"{"type": "song", "id": 2}"#), absent: .delete)
    #expect(fewer.deleted == 2)
    let other = try await stack.importJSON(
      Self.events, from: source(#"{"type": "album"}"#), absent: .delete)
    #expect(other.deleted == 0 && Set(other.incompleteEntities.map(\.reason)) == [.untakenRecords])
    var skipping = ImportOptions()
    skipping.refusedRecords = .skip()
    let broken = try await stack.importJSON(
      Self.events, from: source("{\"type\": \"song\", }\n{\"type\": \"tag\", \"id\": \"b\"}\n"),
      options: skipping)
    #expect(broken.inserted == 1 && broken.refused.count == 1)
    await #expect(throws: ImportError.self) {
      try await stack.importJSON(Self.events, from: source(" "), absent: .delete)
    }
    let error = await #expect(throws: ImportError.self) {
      try await stack.importJSON(
        JSONDocument.lines { JSONRecords(Tag.self, at: "tags") }, from: source(""))
    }
    #expect(error?.code == .invalidMapping)
  }
}
