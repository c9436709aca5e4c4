import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private enum Genre: String, AttributeValue { case jazz, rock }

private struct Song: Entity, Equatable {
  var id = 0
  var title = ""
  var bpm: Double?
  var genre = Genre.rock
  var tags: [String] = []
  var released: Date?
  var loved = false
  var plays = 0

  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.bpm)
    Attribute(\.genre)
    Attribute(\.tags)
    Attribute(\.released)
    Attribute(\.loved)
    Attribute(\.plays)
  }

  static let json = JSONMapping<Song> {
    Field(\.id, "id")
    Field(\.title, "title").required()
    Field(\.bpm, "tempo.bpm")
    Field(\.genre, "genre")
    Field(\.tags, "tags")
    Field(\.released, "released", .iso8601)
    Field(\.plays, "plays").onlyWhenInserted()
  }
}

@Suite(.inTurn, .stack(Song.self)) struct ImportTests {
  let stack = Stack.test

  private func importing(
    _ json: String, as format: JSONFormat = .array, absent: AbsentRows = .keep,
    options: ImportOptions = ImportOptions()
  ) async throws -> ImportResult {
    try await stack.importJSON(
      Song.self, from: .data(Data(json.utf8)), as: format, mapping: Song.json, absent: absent,
      options: options)
  }

  private func songs() async throws -> [Song] { try await stack.fetch(Song.all) }

  @Test func `every member lands in its attribute`() async throws {
    let result = try await importing(
      #"""
      [{"id": 7, "title": "So \"What\"", "tempo": {"bpm": 136.5}, "genre": "jazz",
        "tags": ["modal", "1959"], "released": "1959-08-17T00:00:00Z", "plays": 3, "other": [{}]}]
      """#)
    #expect(result.inserted == 1 && result.records == 1)
    let song = try #require(try await songs().first)
    #expect(song.id == 7 && song.title == "So \"What\"" && song.bpm == 136.5)
    #expect(song.genre == .jazz && song.tags == ["modal", "1959"] && song.plays == 3)
    #expect(song.released == Date(timeIntervalSince1970: -327_456_000))
  }

  @Test func `missing members leave attributes at their defaults, null only optional ones at nil`()
    async throws
  {
    _ = try await importing(#"[{"id": 1, "title": "A", "tempo": {"bpm": 99}, "tags": ["x"]}]"#)
    _ = try await importing(#"[{"id": 1, "title": "B", "tempo": {"bpm": null}, "genre": null}]"#)
    #expect(try await songs() == [Song(id: 1, title: "B", tags: ["x"])])
  }

  @Test func `the same feed twice changes nothing and tells nobody`() async throws {
    let feed = #"[{"id": 1, "title": "A"}, {"id": 2, "title": "B"}]"#
    let first = try await importing(feed)
    let changes = stack.changes
    let second = try await importing(feed)
    #expect(second.unchanged == 2 && second.inserted + second.updated + second.deleted == 0)
    #expect(second.commit == first.commit)
    try await stack.withScratch { $0.insert(Song(id: 3, title: "C")) }
    for await change in changes {
      #expect(change.changes(of: Song.self).inserted.map(\.id) == [3])
      break
    }
  }

  @Test func `attributes of the app and those filled at insertion are left alone`() async throws {
    _ = try await importing(#"[{"id": 1, "title": "A", "plays": 5}]"#)
    try await stack.withScratch { scratch in
      let song = try #require(try await scratch.find(Song.self, 1))
      scratch.update(song) { ($0.loved, $0.plays) = (true, 6) }
    }
    let result = try await importing(#"[{"id": 1, "title": "B", "plays": 9}]"#)
    #expect(result.updated == 1)
    #expect(try await songs() == [Song(id: 1, title: "B", loved: true, plays: 6)])
  }

  @Test func `a record that is longer than the options allow is refused`() async throws {
    let long = #"{"id": 2, "title": "\#(String(repeating: "x", count: 5_000))"}"#
    var options = ImportOptions()
    options.longestRecord = 1_000
    for (format, text) in [
      (JSONFormat.array, "[{\"id\": 1, \"title\": \"A\"},\n \(long)]"),
      (.lines, "{\"id\": 1, \"title\": \"A\"}\n\(long)\n"),
    ] {
      let error = await #expect(throws: ImportError.self) {
        try await importing(text, as: format, options: options)
      }
      #expect(error?.code == .recordTooLong && error?.line == 2, "\(format)")
      #expect(error?.message.contains("longer than the import may hold") == true, "\(format)")
    }
    // The end of a line is known, so the import can go on with the next line.
    options.refusedRecords = .skip()
    let lines = try await importing(
      "\(long)\n{\"id\": 3, \"title\": \"C\"}", as: .lines, options: options)
    #expect(lines.skipped == 1 && lines.refused.map(\.line) == [1])
    #expect(try await songs().map(\.id) == [3])
  }

  @Test @MainActor func `unsaved edits of the view context survive an import`() async throws {
    _ = try await importing(#"[{"id": 1, "title": "A", "tempo": {"bpm": 100}}]"#)
    let live = stack.viewContext.live(Song.all)
    try await live.waitUntilLoaded()
    stack.viewContext.update(live.elements[0]) { $0.bpm = 144 }
    _ = try await importing(#"[{"id": 1, "title": "B"}]"#)
    #expect(live.elements[0].title == "B" && live.elements[0].bpm == 144)
    try await stack.viewContext.save()
    #expect(try await songs().map(\.bpm) == [144])
  }

  @Test func `absent rows are deleted, but not those that somebody changed meanwhile`() async throws
  {
    _ = try await importing(#"[{"id":1,"title":"A"},{"id":2,"title":"B"},{"id":3,"title":"C"}]"#)
    // The feed's second half arrives only after another context has changed a row.
    let gate = TestGate()
    let feed = HeldFeed([#"[{"id":1,"title":"A"}"#, "]"], gate)
    let importing = Task {
      try await stack.importJSON(
        Song.self, from: .chunks(feed), mapping: Song.json, absent: .delete)
    }
    await gate.waitForArrivals()
    try await stack.withScratch { scratch in
      let song = try #require(try await scratch.find(Song.self, 2))
      scratch.update(song) { $0.title = "mine" }
      scratch.insert(Song(id: 9, title: "new"))
    }
    await gate.open()
    let result = try await importing.value
    #expect(try await songs().map(\.id) == [1, 2, 9])
    #expect(result.deleted == 1 && result.kept == 1)
  }

  @Test func `a feed that breaks off deletes no absent row`() async throws {
    _ = try await importing(#"[{"id": 1, "title": "A"}, {"id": 2, "title": "B"}]"#)
    await #expect(throws: ImportError.self) {
      _ = try await importing(#"[{"id": 1, "title": "A"}"#, absent: .delete)
    }
    #expect(try await songs().count == 2)
  }

  @Test func `a later record of a key wins`() async throws {
    let result = try await importing(#"[{"id": 1, "title": "A"}, {"id": 1, "title": "B"}]"#)
    #expect(result.records == 2 && result.inserted == 1)
    #expect(try await songs().map(\.title) == ["B"])
  }

  @Test func `a value that does not fit says where and what`() async throws {
    let error = await #expect(throws: ImportError.self) {
      _ = try await importing("[{\"id\": 1, \"title\": \"A\"},\n {\"id\": 2, \"title\": 5}]")
    }
    #expect(error?.code == .invalidValue && error?.line == 2 && error?.column == 21)
    #expect(error?.path == "title" && error?.found == "5")
  }

  @Test func `a raw value that is no case is refused by name`() async throws {
    let error = await #expect(throws: ImportError.self) {
      _ = try await importing(#"[{"id": 1, "title": "A", "genre": "polka"}]"#)
    }
    #expect(error?.code == .invalidValue && error?.path == "genre")
    #expect(try await songs().isEmpty)
  }

  @Test func `broken JSON says line, column and offset, and what was committed before`()
    async throws
  {
    let rows = (0..<2500).map { "{\"id\": \($0), \"title\": \"T\"}" }.joined(separator: ",\n")
    var options = ImportOptions()
    options.batchSize = 2000
    let error = await #expect(throws: ImportError.self) {
      _ = try await importing("[\(rows),]", options: options)
    }
    #expect(error?.code == .syntax && error?.line == 2500)
    #expect(error?.result.inserted == 2000)
    #expect(try await songs().count == 2000)
  }

  @Test func `a mapping that does not fit is refused before anything is read`() async throws {
    struct Wrong {
      static let noKey = JSONMapping<Song> { Field(\.title, "title") }
      static let twice = JSONMapping<Song> {
        Field(\.id, "id")
        Field(\.title, "a")
        Field(\.title, "b")
      }
      static let path = JSONMapping<Song> { Field(\.id, "a..b") }
    }
    for mapping in [Wrong.noKey, Wrong.twice, Wrong.path] {
      let error = await #expect(throws: ImportError.self) {
        _ = try await stack.importJSON(Song.self, from: .data(Data("[]".utf8)), mapping: mapping)
      }
      #expect(error?.code == .invalidMapping)
    }
  }

  @Test func `a cancelled import stops at a batch and says what is in the store`() async throws {
    let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
    let importing = Task {
      try await stack.importJSON(Song.self, from: .chunks(chunks), mapping: Song.json)
    }
    let rows = (0..<4500).map { "{\"id\": \($0), \"title\": \"T\"}" }.joined(separator: ",")
    let changes = stack.changes
    continuation.yield(Data("[\(rows)".utf8))
    for await _ in changes { break }
    importing.cancel()
    let error = await #expect(throws: ImportError.self) { _ = try await importing.value }
    #expect(error?.code == .cancelled)
    #expect(try await songs().count == error?.result.inserted)
  }

  @Test func `a file and a stream of pieces give the same as data`() async throws {
    let feed =
      #"{"type":"FeatureCollection","features":[{"id":1,"title":"A"},{"id":2,"title":"é"}]}"#
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    try Data(feed.utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let scratch = stack.makeScratch()
    let first = try await scratch.importJSON(
      Song.self, from: .file(url), as: .featureCollection, mapping: Song.json)
    let pieces = AsyncStream { continuation in
      for byte in feed.utf8 { continuation.yield(Data([byte])) }
      continuation.finish()
    }
    let second = try await scratch.importJSON(
      Song.self, from: .chunks(pieces), as: .featureCollection, mapping: Song.json)
    #expect(first.inserted == 2 && second.unchanged == 2)
    #expect(try await songs().map(\.title) == ["A", "é"])
  }

  @Test func `a missing file is an error of the source`() async throws {
    let error = await #expect(throws: ImportError.self) {
      _ = try await stack.importJSON(
        Song.self, from: .file(URL(fileURLWithPath: "/nowhere/at.json")), mapping: Song.json)
    }
    #expect(error?.code == .source)
  }

  @Test @MainActor func `an import into a child of the view context makes unsaved edits`()
    async throws
  {
    let live = stack.viewContext.live(Song.all)
    try await live.waitUntilLoaded()
    let sheet = stack.viewContext.makeScratch()
    try await sheet.importJSON(
      Song.self, from: .data(Data(#"[{"id": 1, "title": "A"}]"#.utf8)), mapping: Song.json)
    #expect(live.elements.isEmpty && sheet.hasChanges)
    try await sheet.save()
    #expect(live.elements.count == 1 && stack.viewContext.hasChanges)
    #expect(try await songs().isEmpty)
    try await stack.viewContext.save()
    #expect(try await songs().count == 1)
  }

  /// The deletion of the stored row does not compose with the edit of the same row, and must not
  /// trap.
  @Test @MainActor func `absent rows with unsaved edits stay in a child of the view context`()
    async throws
  {
    _ = try await importing(#"[{"id":1,"title":"A"},{"id":2,"title":"B"}]"#)
    let sheet = stack.viewContext.makeScratch()
    for song in try await sheet.fetch(Song.all) where song.id == 1 {
      sheet.update(song) { $0.title = "mine" }
    }
    try await sheet.importJSON(
      Song.self, from: .data(Data("[]".utf8)), mapping: Song.json, absent: .delete)
    #expect(try await sheet.fetch(Song.all).map(\.title) == ["mine"])
  }
}

extension ImportTests {
  @Test @MainActor func `an atomic import that fails leaves no edits in a child`() async throws {
    let sheet = stack.viewContext.makeScratch()
    let rows = (1...2_000).map { #"{"id": \#($0), "title": "T"}"# }.joined(separator: ",")
    await #expect(throws: ImportError.self) {
      try await sheet.importJSON(
        Song.self, from: .data(Data("[\(rows),".utf8)), mapping: Song.json,
        options: .init(batchSize: 100) { $0.commits = .atomic })
    }
    #expect(!sheet.hasChanges)
    try await sheet.importJSON(
      Song.self, from: .data(Data("[\(rows)]".utf8)), mapping: Song.json,
      options: .init(batchSize: 100) { $0.commits = .atomic })
    #expect(try await sheet.count(Song.all) == 2_000)
  }

  /// The deletion must conflict with a commit that changes the row during the import.
  @Test @MainActor func `a row that others change is not deleted by a child as absent`()
    async throws
  {
    _ = try await importing(#"[{"id":1,"title":"A"},{"id":2,"title":"B"}]"#)
    let sheet = stack.viewContext.makeScratch()
    let gate = TestGate()
    let feed = HeldFeed([#"[{"id":1,"title":"A"}"#, "]"], gate)
    let other = Task { [stack] in
      await gate.waitForArrivals()
      try await stack.withScratch { scratch in
        let song = try #require(try await scratch.find(Song.self, 2))
        scratch.update(song) { $0.title = "mine" }
      }
      await gate.open()
    }
    let result = try await sheet.importJSON(
      Song.self, from: .chunks(feed), mapping: Song.json, absent: .delete)
    try await other.value
    #expect(result.deleted == 1)
    let error = await #expect(throws: StoreError.self) { try await sheet.save() }
    #expect(error?.code == .conflict)
    #expect(try await songs().map(\.title) == ["A", "mine"])
  }
}

private struct Place: Entity {
  var id = ""
  var name: String?
  var height: Float = 0
  static let schema = Schema<Place>("places", key: \.id) {
    Attribute(\.name)
    Attribute(\.height)
  }
  static let json = JSONMapping<Place> {
    Field(\.id, "id", .text { $0 }).orPosition()
    Field(\.name, "name", .text { $0 == "?" ? nil : $0 })
    Field(\.height, "height")
  }
}

@Suite(.inTurn, .stack(Place.self)) struct ConversionTests {
  let stack = Stack.test

  @Test func `keys may be texts, numbers or positions`() async throws {
    _ = try await stack.importJSON(
      Place.self,
      from: .data(
        Data(#"[{"id": "a"}, {"id": 12}, {"name": "x"}, {"id": null, "name": "?"}]"#.utf8)),
      mapping: Place.json)
    let places = try await stack.fetch(Place.all)
    #expect(places.map(\.id) == ["12", "2", "3", "a"])
    #expect(places.map(\.name) == [nil, "x", nil, nil])
  }

  @Test func `a number becomes the nearest Float`() async throws {
    _ = try await stack.importJSON(
      Place.self, from: .data(Data(#"[{"id": "a", "height": 0.1}]"#.utf8)), mapping: Place.json)
    #expect(try await stack.fetch(Place.all).map(\.height) == [0.1])
  }
}
