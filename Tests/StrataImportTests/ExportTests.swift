import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private enum Mood: String, AttributeValue, CaseIterable { case calm, loud = "very \"loud\"" }

private struct Lyrics: JSONValue, Equatable {
  var lines: [String] = []
  var year: Int?
}

/// A type whose JSON is a string, a number or null.
private enum Loose: JSONValue, Equatable {
  case text(String)
  case number(Int)
  case nothing

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .nothing
    } else if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .nothing: try container.encodeNil()
    }
  }
}

private struct Loosely: Entity, Equatable {
  var id = 0
  var value = Loose.number(0)
  var maybe: Loose?
  var lyrics: Lyrics?

  static let schema = Schema<Loosely>("loosely", key: \.id) {
    Attribute(\.value)
    Attribute(\.maybe)
    Attribute(\.lyrics)
  }

  static let json = JSONMapping<Loosely> {
    Field(\.id, "id")
    Field(\.value, "value")
    Field(\.maybe, "maybe")
    Field(\.lyrics, "lyrics")
  }
}

/// An entity with an attribute of every kind.
private struct Everything: Entity, Equatable {
  var id = UUID()
  var count = 0
  var small: Int8 = 0
  var ratio = 0.0
  var single: Float = 0
  var flag = false
  var text = ""
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var bytes = Data()
  var link = URL(filePath: "/")
  var price = Decimal(0)
  var mood = Mood.calm
  var lyrics = Lyrics()
  var names: [String] = []
  var maybeCount: Int?
  var maybeText: String?
  var maybeDate: Date?
  var maybeLyrics: [Int]?

  static let schema = Schema<Everything>("everything", key: \.id) {
    Attribute(\.count)
    Attribute(\.small)
    Attribute(\.ratio)
    Attribute(\.single)
    Attribute(\.flag)
    Attribute(\.text)
    Attribute(\.date)
    Attribute(\.bytes)
    Attribute(\.link)
    Attribute(\.price)
    Attribute(\.mood)
    Attribute(\.lyrics)
    Attribute(\.names)
    Attribute(\.maybeCount)
    Attribute(\.maybeText)
    Attribute(\.maybeDate)
    Attribute(\.maybeLyrics)
  }

  /// A mapping with nested paths, names that need escapes, and conversions.
  static let json = JSONMapping<Everything> {
    Field(\.id, "meta.id")
    Field(\.count, "meta.numbers[2]")
    Field(\.small, "meta.numbers[0]")
    Field(\.ratio, "ratio \"%\"")
    Field(\.single, "single").or("other")
    Field(\.flag, "flag")
    Field(\.text, "text")
    Field(\.date, "date", .iso8601AssumingUTC)
    Field(\.bytes, "bytes")
    Field(\.link, "link")
    Field(
      \.price, "price", .text { text throws(ValueError) in try Decimal(cell: .text(text)) })
    Field(\.mood, "mood", .unknown(as: .calm))
    Field(\.lyrics, "deep.er.lyrics")
    Field(\.names, "names")
    Field(\.maybeCount, "maybe.count")
    Field(\.maybeText, "maybe.text")
    Field(\.maybeDate, "maybe.date")
    Field(\.maybeLyrics, "maybe.lyrics")
  }

  static func random(_ random: inout SeededRandom) -> Everything {
    var one = Everything()
    one.count = Int(bitPattern: UInt(random.next() >> UInt64(random.below(64))))
    one.small = Int8(truncatingIfNeeded: random.next())
    one.ratio = real(&random)
    one.single = Float(random.below(1 << 24)) / 1024
    one.flag = random.oneIn(2)
    one.text = text(&random)
    one.date = date(&random)
    one.bytes = Data((0..<random.below(9)).map { UInt8($0) &* 37 })
    one.link = URL(string: "https://example.org/\(random.below(99))?a=%22") ?? one.link
    one.price = Decimal(random.below(1_000_000)) / 100
    one.mood = random.pick(Mood.allCases)
    one.lyrics = Lyrics(lines: [text(&random)], year: random.oneIn(2) ? nil : random.below(3000))
    one.names = (0..<random.below(3)).map { _ in text(&random) }
    if random.oneIn(2) { one.maybeCount = random.below(9) }
    if random.oneIn(2) { one.maybeText = text(&random) }
    if random.oneIn(2) { one.maybeDate = date(&random) }
    if random.oneIn(2) { one.maybeLyrics = [random.below(9)] }
    return one
  }

  private static func real(_ random: inout SeededRandom) -> Double {
    let value = Double(bitPattern: random.next())
    return value.isFinite && value != 0 ? value : Double(random.below(100)) / 10
  }

  private static func date(_ random: inout SeededRandom) -> Date {
    // Near the reference date, a `Double` has more digits than the parser of dates reads.
    let distance = 16 + Double(random.next() >> 11) / 0x1p53 * random.pick([1e3, 1e6, 1e9, 1e12])
    return Date(timeIntervalSinceReferenceDate: random.oneIn(2) ? distance : -distance)
  }

  private static func text(_ random: inout SeededRandom) -> String {
    let parts = [
      "a", "\"", "\\", "/", "\n", "\r", "\t", "\u{0}", "\u{7F}", "é", "日本", "🎵", "\u{2028}",
    ]
    return (0..<random.below(6)).map { _ in random.pick(parts) }.joined()
  }
}

@Suite(.inTurn) struct ExportTests {
  private func exported<E: Entity>(
    _ stack: Stack, _ query: Query<E>, as format: JSONFormat = .array,
    mapping: JSONMapping<E> = .automatic
  ) async throws -> Data {
    let chunks = Lock(Data())
    try await stack.exportJSON(query, as: format, mapping: mapping) { chunk in
      chunks.withLock { $0 += chunk }
    }
    return chunks.withLock { $0 }
  }

  private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

  @Test(arguments: [JSONFormat.array, .lines, .array(at: ["a \"b\"", "c"])], [true, false])
  func `an exported entity is imported as it was`(
    format: JSONFormat, isMapped: Bool
  ) async throws {
    let mapping: JSONMapping<Everything> = isMapped ? Everything.json : .automatic
    var random = SeededRandom.printingSeed()
    let first = try await Stack.temporary(Everything.self)
    try await first.withScratch { scratch in
      for _ in 0..<300 { scratch.insert(Everything.random(&random)) }
    }
    let json = try await exported(first, Everything.all, as: format, mapping: mapping)
    #expect(try await first.exportJSON(Everything.all, as: format, mapping: mapping) == json)
    // Foundation reads the JSON, too.
    if format != .lines { _ = try JSONSerialization.jsonObject(with: json) }
    let second = try await Stack.temporary(Everything.self)
    let result = try await second.importJSON(
      Everything.self, from: .data(json), as: format, mapping: mapping)
    #expect(result.inserted == 300)
    let (before, after) = (
      try await first.fetch(Everything.all), try await second.fetch(Everything.all)
    )
    #expect(before == after)
    // An export of the copy gives the same JSON.
    #expect(try await exported(second, Everything.all, as: format, mapping: mapping) == json)
    await first.close()
    await second.close()
  }

  @Test func `an export of any size comes in chunks of one commit`() async throws {
    let stack = try await Stack.temporary(Author.self, Book.self)
    try await stack.withScratch { scratch in
      for id in 0..<6_000 { scratch.insert(Author(id: id, name: "name \(id)")) }
    }
    let sizes = Lock<[Int]>([])
    let count = try await stack.exportJSON(Author.sorted(by: \.id, order: .reverse), as: .lines) {
      chunk in
      let isFirst = sizes.withLock { sizes in
        sizes.append(chunk.count)
        return sizes.count == 1
      }
      if isFirst { try await stack.withScratch { $0.insert(Author(id: 9_000)) } }
    }
    #expect(count == 6_000)
    let all = sizes.withLock { $0 }
    #expect(all.count > 1 && all.allSatisfy { $0 < 70_000 })
    #expect(text(try await exported(stack, Author.where { $0.id < 0 })) == "[\n\n]\n")
    #expect(try await exported(stack, Author.where { $0.id < 0 }, as: .lines).isEmpty)
    await stack.close()
  }

  @Test func `entities inside of others are written where the mapping has them`() async throws {
    let whole = JSONMapping<Author> {
      Field(\.id, "id")
      Field(\.name, "name")
      NestedArray(
        "books",
        JSONMapping<Book> {
          Field(\.id, "id")
          Field(\.title, "title")
        }, \.authorID)
    }
    let book = JSONMapping<Book> {
      Field(\.id, "id")
      NestedObject(\.authorID, "by.author", Author.json)
    }
    let stack = try await Stack.temporary(Author.self, Book.self)
    try await stack.withScratch { scratch in
      for id in 1...2 { scratch.insert(Author(id: id, name: "A\(id)")) }
      for id in [12, 11] { scratch.insert(Book(id: id, title: "T", authorID: 1)) }
    }
    let authors = try await exported(stack, Author.all, as: .lines, mapping: whole)
    #expect(
      text(authors) == """
        {"id":1,"name":"A1","books":[{"id":11,"title":"T"},{"id":12,"title":"T"}]}
        {"id":2,"name":"A2","books":[]}

        """)
    #expect(
      text(try await exported(stack, Book.where { $0.id == 11 }, as: .lines, mapping: book))
        == #"{"id":11,"by":{"author":{"id":1,"name":"A1"}}}"# + "\n")
    let copy = try await Stack.temporary(Author.self, Book.self)
    try await copy.importJSON(Author.self, from: .data(authors), as: .lines, mapping: whole)
    #expect(try await copy.fetch(Book.all) == stack.fetch(Book.all))
    await stack.close()
    await copy.close()
  }

  @Test func `a value that an import would read as another value is refused by the export`()
    async throws
  {
    let stack = try await Stack.temporary(Everything.self)
    var one = Everything()
    one.ratio = .infinity
    one.price = 12
    try await stack.withScratch { [one] in $0.insert(one) }
    func failure(_ mapping: JSONMapping<Everything>) async -> String? {
      await refusal(mapping, stack)
    }
    #expect(await failure(.automatic) == #"invalidValue ["ratio"]"#)
    let key = Field(\Everything.id, "id")
    #expect(
      await failure(
        JSONMapping {
          key
          Field(\.price, "price", .text { _ throws(ValueError) in 5 })
        }) == #"invalidValue ["price"]"#)
    #expect(
      await failure(
        JSONMapping {
          key
          Field(\.maybeCount, "count", default: 3)
        }) == #"invalidValue ["maybeCount"]"#)
    #expect(
      await failure(
        JSONMapping {
          key
          Field(\.count, "id.count")
        }) == "invalidMapping")
    await stack.close()
  }

  /// The store keeps a string of such a type as JSON, with quotes. The export must not quote that
  /// text a second time, because an import would refuse the result.
  @Test(arguments: [true, false])
  func `a type that is any JSON is written as that`(isMapped: Bool) async throws {
    let mapping: JSONMapping<Loosely> = isMapped ? Loosely.json : .automatic
    let rows = [
      Loosely(id: 1, value: .text("a \"b\""), maybe: .text("7")),
      Loosely(id: 2, value: .number(7), maybe: .number(8), lyrics: Lyrics(lines: ["a"])),
      Loosely(id: 3, value: .text("")), Loosely(id: 4, value: .text("null")),
    ]
    let stack = try await Stack.temporary(Loosely.self)
    try await stack.withScratch { scratch in for row in rows { scratch.insert(row) } }
    let json = try await exported(stack, Loosely.sorted(by: \.id), mapping: mapping)
    let found = try #require(
      JSONSerialization.jsonObject(with: json) as? [[String: Any]])
    #expect(found[0]["value"] as? String == "a \"b\"" && found[1]["value"] as? Int == 7)
    #expect(found[1]["lyrics"] is [String: Any])
    let copy = try await Stack.temporary(Loosely.self)
    try await copy.importJSON(Loosely.self, from: .data(json), mapping: mapping)
    #expect(try await copy.fetch(Loosely.sorted(by: \.id)) == rows)
    // The import also reads JSON inside a string.
    let texts = #"[{"id":1,"value":7,"lyrics":"{\"lines\":[\"b\"]}"}]"#
    try await copy.importJSON(Loosely.self, from: .data(Data(texts.utf8)), mapping: mapping)
    #expect(try await copy.fetch(Loosely.sorted(by: \.id)).first?.lyrics?.lines == ["b"])
    await copy.close()
    // A value that is null as JSON would look like a missing value.
    try await stack.withScratch { $0.insert(Loosely(id: 5, value: .nothing)) }
    let error = await #expect(throws: StoreError.self) {
      try await exported(stack, Loosely.all, mapping: mapping)
    }
    #expect(error?.code == .invalidValue && error?.attributes == ["value"])
    await stack.close()
  }

  @Test func `a document in memory is the one that is written in chunks`() async throws {
    let stack = try await Stack.temporary(Author.self, Book.self)
    #expect(
      text(try await stack.exportJSON(Author.all))
        == text(try await exported(stack, .all as Query<Author>)))
    try await stack.withScratch { scratch in
      for id in 0..<5_000 { scratch.insert(Author(id: id, name: "name \(id)")) }
    }
    let query = Author.sorted(by: \.id, order: .reverse).limit(4_000)
    let document: Data = try await stack.exportJSON(query, as: .lines)
    #expect(document == (try await exported(stack, query, as: .lines)))
    #expect(document.split(separator: UInt8(ascii: "\n")).count == 4_000)
    await #expect(throws: ImportError.self) {
      try await stack.exportJSON(
        Author.all, mapping: JSONMapping<Author> { Field(\.name, "name[") })
    }
    await stack.close()
    await #expect(throws: StoreError.self) { try await stack.exportJSON(query) }
  }

  /// Returns the code of an export's error and its attributes, or nil if the export succeeds.
  private func refusal(_ mapping: JSONMapping<Everything>, _ stack: Stack) async -> String? {
    do {
      _ = try await exported(stack, Everything.all, mapping: mapping)
      return nil
    } catch let error as StoreError {
      return "\(error.code) \(error.attributes)"
    } catch {
      return (error as? ImportError)?.code.description
    }
  }

  /// An import of the exported row would delete the row.
  @Test func `a row that would be read as gone is refused`() async throws {
    let stack = try await Stack.temporary(Everything.self)
    var one = Everything()
    one.maybeText = "gone"
    one.flag = true
    one.lyrics.year = 1999
    try await stack.withScratch { [one] in $0.insert(one) }
    func failure(
      _ tombstone: Tombstone<Everything>, _ field: Field<Everything>
    ) async -> String? {
      let mapping = JSONMapping<Everything> {
        tombstone
        Field(\.id, "meta.id")
        field
      }
      return await refusal(mapping, stack)
    }
    let text = Field(\Everything.maybeText, "text")
    let flag = Field(\Everything.flag, "flag")
    let count = Field(\Everything.maybeCount, "count")
    #expect(await failure(Tombstone(ifThere: "text"), text) == #"invalidValue ["maybeText"]"#)
    #expect(
      await failure(Tombstone(if: "text", is: "gone"), text) == #"invalidValue ["maybeText"]"#)
    #expect(await failure(Tombstone(ifTrue: "flag"), flag) == #"invalidValue ["flag"]"#)
    #expect(await failure(Tombstone(if: "text", is: "here"), text) == nil)
    #expect(await failure(Tombstone(ifThere: "count"), count) == nil)
    #expect(await failure(Tombstone(ifThere: "deleted"), text) == nil)
    // The export always writes the object `meta`.
    #expect(await failure(Tombstone(ifThere: "meta"), text) == "invalidMapping")
    await stack.close()
  }

  @Test func `a server may be told that a row is gone`() async throws {
    let mapping = JSONMapping<Everything> {
      Field(\.id, "id")
      Field(\.maybeDate, "deleted_at")
      Tombstone(ifThere: "deleted_at")
    }
    let stack = try await Stack.temporary(Everything.self)
    let one = Everything()
    try await stack.withScratch { $0.insert(one) }
    let outbox = try await stack.outbox()
    try await stack.withScratch { scratch in
      scratch.update(one) { $0.maybeDate = Date(timeIntervalSinceReferenceDate: 0) }
    }
    let bodies = try await outbox.requests().compactMap { try $0.json(mapping).map(text) }
    #expect(bodies == [#"{"id":"\#(one.id)","deleted_at":"2001-01-01T00:00:00Z"}"#])
    await stack.close()
  }

  @Test func `a file is there as a whole or stays as it was`() async throws {
    let stack = try await Stack.temporary(Everything.self)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("export.json")
    try await stack.withScratch { $0.insert(Everything()) }
    let reported = Lock<[Int]>([])
    let count = try await stack.exportJSON(Everything.all, toFile: url) { bytes in
      reported.withLock { $0.append(bytes) }
    }
    let whole = try Data(contentsOf: url)
    #expect(count == 1 && reported.withLock(\.self).last == whole.count)
    #expect(reported.withLock(\.self).sorted() == reported.withLock(\.self))
    var wrong = Everything()
    wrong.ratio = -.infinity
    try await stack.withScratch { [wrong] in $0.insert(wrong) }
    await #expect(throws: StoreError.self) {
      try await stack.exportJSON(Everything.all, toFile: url)
    }
    #expect(try Data(contentsOf: url) == whole)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["export.json"])
    await stack.close()
  }

  @Test func `a request has the form that its mapping reads`() async throws {
    let mapping = JSONMapping<Book> {
      Field(\.id, "id")
      Field(\.title, "title")
      Field(\.shelf, "place[1]")
      Field(\.note, "place[0]")
      NestedObject(\.authorID, "author", Author.json)
    }
    let stack = try await Stack.temporary(Author.self, Book.self)
    let outbox = try await stack.outbox()
    func bodies(_ mapping: JSONMapping<Book>) async throws -> [String] {
      let requests = try await outbox.requests()
      try await outbox.push { _ in .done }
      return try requests.compactMap { try $0.json(mapping).map(text) }
    }
    try await stack.withScratch { scratch in
      for id in 1...2 { scratch.insert(Author(id: id)) }
      scratch.insert(Book(id: 3, title: "T", authorID: 1))
    }
    #expect(
      try await bodies(mapping) == [#"{"id":3,"title":"T","place":["",0],"author":{"id":1}}"#])
    func edit(_ change: (inout Book) -> Void) async throws {
      try await stack.withScratch { scratch in
        scratch.update(try #require(try await scratch.find(Book.self, 3)), change)
      }
    }
    try await edit { ($0.shelf, $0.authorID) = (4, 2) }
    #expect(try await bodies(mapping) == [#"{"id":3,"place":["",4],"author":{"id":2}}"#])
    try await edit { $0.note = "mine" }
    // The mapping has no field for the note.
    #expect(try await bodies(Book.json) == [])
    try await edit { $0.title = "U" }
    #expect(try await bodies(.automatic) == [#"{"id":3,"title":"U"}"#])
    await stack.close()
  }

  @Test func `dates are written so that they are read back exactly`() {
    var random = SeededRandom.printingSeed()
    func text(_ date: Double) -> String? { JSONDate.text(secondsSinceReferenceDate: date) }
    func read(_ text: String) -> Double? {
      Array(text.utf8).withUnsafeBufferPointer { JSONDate.secondsSinceReferenceDate($0) }
    }
    #expect(text(0) == "2001-01-01T00:00:00Z")
    #expect(text(-0.5) == "2000-12-31T23:59:59.5Z")
    #expect(text(-63_113_904_000) == "0001-01-01T00:00:00Z")
    #expect(text(-63_145_526_401) == "-000001-12-31T23:59:59Z")
    #expect(text(252_455_616_000)?.hasPrefix("+010001-01-0") == true)
    #expect(text(.infinity) == nil && text(1e14) == nil && text(4e13) == nil)
    for _ in 0..<6_000 {
      let scale = random.pick([1e2, 1e4, 1e6, 1e9, 1e12])
      let date = (Double(random.next() >> 11) / Double(1 << 52) - 1) * scale
      let read = text(date).flatMap(read)
      #expect(read == date || abs((read ?? .infinity) - date) < 1e-15, "\(date)")
    }
    for day in stride(from: -1_000_000, to: 4_000_000, by: 373) {
      let date = Double(day * 86_400)
      #expect(text(date).flatMap(read) == date)
    }
  }
}
