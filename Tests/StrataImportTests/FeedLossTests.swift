import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private enum Genre: String, AttributeValue { case rock, other }

private struct Album: Entity, Equatable {
  var id = 0
  static let songs = toMany(\Song.albumID)
  static let schema = Schema<Album>("albums", key: \.id) { songs }
  static let json = JSONMapping<Album> {
    Field(\.id, "id")
    NestedKeys(Album.songs, "songs")
  }
}

private struct Song: Entity, Equatable {
  var id = 0
  var title = ""
  var genre = Genre.rock
  var albumID: Album.ID?
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.genre)
    toOne(\.albumID, Album.self, onDelete: .nullify)
    // So a link to an album cannot wait.
    Unique(\.albumID, \.title)
  }
  static let json = JSONMapping<Song> {
    Field(\.id, "id")
    Field(\.title, "title")
    Field(\.genre, "genre", .unknown(as: .other))
    Field(\.albumID, "album")
  }
}

/// Checks the table of the article, and that each of its events makes the next refresh ask for everything.
@Suite(.inTurn) struct FeedLossTests {
  @Test func `the article has the table of the code`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let article = folder.appendingPathComponent(
      "Sources/StrataImport/StrataImport.docc/Refreshing.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let sections = text.components(separatedBy: "\n## ")
    let section = try #require(sections.first { $0.hasPrefix("Unchanged pages are not sent\n") })
    let lines = section.split(separator: "\n")
    let rows = lines.filter { $0.hasPrefix("| ") }.dropFirst(2).map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(rows.map { $0[0] } == FeedLoss.allCases.map(\.rawValue))
    #expect(rows.map { $0[1] } == FeedLoss.allCases.map(\.scope.rawValue))
  }

  // MARK: Each event

  /// A server with one feed of songs, whose tag is its version.
  private final class Server: Sendable {
    let body = Lock(#"[{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]"#)
    let hasLength = Lock(true)
    private let server = TestServer { _, _ in .init(status: 500) }

    func start() {
      server.answer { [self] request, _ in
        let body = body.withLock(\.self)
        let tag = "\"\(body.hashValue)\""
        if request.value(forHTTPHeaderField: "If-None-Match") == tag { return .init(status: 304) }
        let length = hasLength.withLock(\.self) ? ["Content-Length": "\(body.utf8.count)"] : [:]
        return .init(headers: length.merging(["ETag": tag]) { $1 }, body: body)
      }
    }

    var request: URLRequest { get throws { try server.request("songs") } }
    func refresher(_ stack: Stack) -> Refresher {
      Refresher(stack, transport: .urlSession(server.configuration), retries: .never)
    }
    func set(_ text: String) { body.withLock { $0 = text } }
    /// Whether the last request had a validator.
    var wasConditional: Bool {
      server.requests.last?.value(forHTTPHeaderField: "If-None-Match") != nil
    }
  }

  private static let document = JSONDocument {
    JSONRecords(Album.self, at: "albums", Album.json)
    JSONRecords(Song.self, at: "songs", Song.json)
  }

  /// Brings the feed up to date, lets the event happen, and looks at the next request.
  @Test(arguments: FeedLoss.allCases)
  @MainActor func `a feed whose rows were lost is asked for whole`(loss: FeedLoss) async throws {
    let file = try StoreFile()
    var stack = try await Stack.open(Song.self, Album.self, at: file.url)
    let server = Server()
    server.start()
    var feed = Feed("songs", Song.self, from: try server.request, mapping: Song.json)
    if loss == .ruleEffect {
      server.set(#"{"albums": [{"id": 3}, {"id": 4}], "songs": [{"id": 1, "album": 3}]}"#)
      feed = Feed("songs", Self.document, from: try server.request, absent: .delete)
    } else if loss == .looseLink {
      server.set(#"[{"id": 3}]"#)
      feed = Feed("songs", Album.self, from: try server.request, mapping: Album.json)
    } else if loss == .doubtfulAnswer {
      server.set(#"{"id": 1}"#)
      feed = Feed("songs", Song.self, from: try server.request, as: .lines, mapping: Song.json)
    }
    feed.options.refusedRecords = .skip()
    let outbox = try await stack.outbox()
    let view = stack.viewContext
    try await server.refresher(stack).refresh(feed)
    try await server.refresher(stack).refresh(feed)
    try #require(server.wasConditional)
    func deleteFirst() async throws {
      view.delete(try #require(try await view.find(Song.self, 1)))
      try await view.save()
    }
    switch loss {
    case .refusedRecord: server.set(#"[{"id": 1, "title": "a"}, {"id": "x"}]"#)
    case .keptRow:
      try await deleteFirst()
      server.set(#"[{"id": 1, "title": "c"}]"#)
    case .keptValue:
      view.update(try #require(try await view.find(Song.self, 1))) { $0.title = "mine" }
      try await view.save()
      server.set(#"[{"id": 1, "title": "c", "genre": "other"}]"#)
    case .unknownValue: server.set(#"[{"id": 1, "title": "a", "genre": "polka"}]"#)
    case .looseLink: server.set(#"[{"id": 3, "songs": [9]}]"#)
    case .ruleEffect: server.set(#"{"albums": [{"id": 4}], "songs": [{"id": 1, "album": 3}]}"#)
    case .doubtfulAnswer:
      server.set(#"{"id": 2}"#)
      server.hasLength.withLock { $0 = false }
    case .deletion:
      try await stack.importJSON(
        Song.self, from: .data(Data(#"[{"id": 1}]"#.utf8)), mapping: Song.json, absent: .delete)
    case .otherFeed:
      feed = Feed("songs", Song.self, from: try server.request, mapping: Song.json, absent: .delete)
      try await server.refresher(stack).refresh(feed)
      try await server.refresher(stack).refresh(feed)
      try #require(server.wasConditional)
      let before = server.body.withLock(\.self)
      server.set(#"[{"id": 1, "title": "a"}, {"id": 2, "title": "b"}, {"id": 3, "title": "c"}]"#)
      let other = Feed("others", Song.self, from: try server.request, mapping: Song.json)
      try await server.refresher(stack).refresh(other)
      server.set(before)
    case .message:
      try await stack.importJSON(
        Song.self, from: .data(Data(#"[{"id": 1, "title": "c"}]"#.utf8)), mapping: Song.json)
    case .push:
      feed = Feed("songs", Song.self, from: try server.request, mapping: Song.json, absent: .delete)
      try await server.refresher(stack).refresh(feed)
      try await server.refresher(stack).refresh(feed)
      try #require(server.wasConditional)
      view.insert(Song(id: 3, title: "mine"))
      try await view.save()
      // The server makes the row, and another client removes it.
      try await outbox.push { _ in .done }
    case .eviction: _ = try await stack.evict(.beyond(newest: 1, by: \Song.id))
    case .pull:
      let table = try #require(stack.replicableTable(of: Song.self))
      try await stack.apply(
        [ServerRows(table, .keys([RecordKey(.integer(1))]), [:])],
        of: FollowedTables([table]), state: Data())
    case .reversal:
      try await deleteFirst()
      // The server has deleted the row, too, and nothing tells the edit.
      feed = Feed(
        "songs", Song.self, from: try server.request, mapping: Song.json, absent: .delete)
      try await server.refresher(stack).refresh(feed)
      server.set(#"[{"id": 2, "title": "b"}]"#)
      try await server.refresher(stack).refresh(feed)
      try await server.refresher(stack).refresh(feed)
      try #require(server.wasConditional)
      try await outbox.push { _ in .refused("no") }
      let refusal = try #require(try await outbox.refusals().first)
      #expect(try await outbox.revert(refusal))
    case .migration:
      await stack.close()
      var options = Stack.Options()
      options.schemaVersion = 2
      options.migrations = [
        MigrationStep(to: 2) { try $0.delete(RecordKey(.integer(1)), from: "songs") }
      ]
      stack = try await Stack.open(Song.self, Album.self, at: file.url, options: options)
    }
    if loss.scope == .own { try await server.refresher(stack).refresh(feed) }
    try await server.refresher(stack).refresh(feed)
    #expect(!server.wasConditional)
    let songs = try await stack.fetch(Song.all)
    switch loss {
    case .reversal: #expect(songs.map(\.id) == [2])
    case .deletion, .eviction, .pull, .migration, .otherFeed, .message, .push:
      #expect(songs.map(\.title) == ["a", "b"])
    default: break
    }
    await stack.close()
  }

  /// A feed that changes twice within a second, with no other validator than the time of the change.
  @Test func `a date of the second in which the answer was sent is no validator`() async throws {
    let stack = try await Stack.temporary(Song.self, Album.self)
    let version = Lock((second: 36, id: 1))
    let server = TestServer { request, _ in
      let (second, id) = version.withLock(\.self)
      let modified = "Sun, 06 Nov 1994 08:49:36 GMT"
      if request.value(forHTTPHeaderField: "If-Modified-Since") == modified {
        return .init(status: 304)
      }
      return .init(
        headers: ["Last-Modified": modified, "Date": "Sun, 06 Nov 1994 08:49:\(second) GMT"],
        body: #"[{"id": \#(id)}]"#)
    }
    let feed = Feed("songs", Song.self, from: try server.request("songs"), mapping: Song.json)
    let refresher = Refresher(
      stack, transport: .urlSession(server.configuration), retries: .never)
    try await refresher.refresh(feed)
    version.withLock { $0 = (37, 2) }
    try await refresher.refresh(feed)
    #expect(try await stack.fetch(Song.all).map(\.id) == [1, 2])
    #expect(try await refresher.refresh(feed) == .notModified)
    await stack.close()
  }
}
