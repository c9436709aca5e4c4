import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct Song: Entity, Equatable {
  var id = 0
  var title = ""
  var albumID: Album.ID?
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    toOne(\.albumID, Album.self, onDelete: .nullify)
  }
}

private struct Album: Entity, Equatable {
  var id = 0
  static let songs = toMany(\Song.albumID)
  static let schema = Schema<Album>("albums", key: \.id) { songs }
}

private struct List: Entity, Equatable {
  var id = 0
  static let songs = manyToMany(Song.self, ordered: true)
  static let schema = Schema<List>("lists", key: \.id) { songs }
}

/// Random histories of a server whose feeds come in any order, answer "not modified", and name rows of
/// other feeds that do not exist yet or any more. Edits are refused and given up, and rows are evicted.
/// At rest the store must have the server's rows and links, and no feed is sent any more.
@Suite(.inTurn) struct FeedHistoryTests {
  /// The form of the answers. With `whole`, one feed has all entities.
  enum Form: CaseIterable { case array, lines, document, jsonAPI, whole }

  private struct Content: Sendable {
    var songs: [Int: String] = [:]
    var albums: [Int: [Int]] = [:]
    var lists: [Int: [Int]] = [:]
    /// The albums of songs, if a field of the song has the album; nil if an array of the album has the song.
    var fields: [Int: Int]?

    mutating func change(_ random: inout SeededRandom) {
      let id = 1 + random.below(5)
      let owner = 1 + random.below(2)
      switch random.below(6) {
      case 0: songs[id] = nil
      case 1, 2: songs[id] = "t\(random.below(3))"
      case 4 where fields != nil: fields?[id] = random.oneIn(4) ? nil : owner
      case 5 where fields != nil: albums[owner] = random.oneIn(2) ? nil : []
      case 3:
        lists[owner] =
          random.oneIn(4) ? nil : (1...5).shuffled(using: &random).suffix(random.below(4))
      default:
        for other in albums.keys { albums[other]?.removeAll { $0 == id } }
        albums[owner] = random.oneIn(4) ? nil : (albums[owner] ?? []) + [id]
      }
    }

    func records(of feed: String, _ form: Form) -> [String] {
      func record(_ id: Int, _ members: String) -> String {
        form == .jsonAPI
          ? #"{"type": "\#(feed)", "id": "\#(id)", "attributes": {\#(members)}}"#
          : #"{"id": \#(id), \#(members)}"#
      }
      func song(_ id: Int, _ title: String) -> String {
        let album = fields.map { #", "album": \#($0[id].map(String.init) ?? "null")"# } ?? ""
        return record(id, #""title": "\#(title)"\#(album)"#)
      }
      func owner(_ id: Int, _ songs: [Int]) -> String {
        record(id, feed == "albums" && fields != nil ? #""x": 0"# : #""songs": \#(songs)"#)
      }
      switch feed {
      case "songs": return songs.map(song).sorted()
      case "albums": return albums.map(owner).sorted()
      default: return lists.map(owner).sorted()
      }
    }

    /// Returns the album to which a song is to refer, whether it exists or not.
    func album(of song: Int) -> Int? {
      if let fields { return fields[song] }
      return albums.first { $0.value.contains(song) }?.key
    }

    func body(of feed: String, _ form: Form) -> String {
      if form == .whole {
        let parts = ["albums", "lists", "songs"].map {
          #""\#($0)": [\#(self.records(of: $0, form).joined(separator: ","))]"#
        }
        return "{\(parts.joined(separator: ","))}"
      }
      let records = records(of: feed, form)
      switch form {
      case .array: return "[\(records.joined(separator: ","))]"
      case .lines: return records.joined(separator: "\n")
      case .document: return #"{"records": [\#(records.joined(separator: ","))]}"#
      case .jsonAPI, .whole: return #"{"data": [\#(records.joined(separator: ","))]}"#
      }
    }
  }

  private static func feeds(_ server: TestServer, _ form: Form) throws -> [Feed] {
    let inner = form == .jsonAPI ? "attributes." : ""
    let song = JSONMapping<Song> {
      Field(\.id, "id").allowingNumberInString()
      Field(\.title, inner + "title")
      Field(\.albumID, inner + "album")
    }
    let album = JSONMapping<Album> {
      Field(\.id, "id").allowingNumberInString()
      NestedKeys(Album.songs, inner + "songs")
    }
    let list = JSONMapping<List> {
      Field(\.id, "id").allowingNumberInString()
      NestedKeys(List.songs, inner + "songs")
    }
    func feed<E: Entity>(_ name: String, _ type: E.Type, _ mapping: JSONMapping<E>) throws -> Feed {
      let request = try server.request(name)
      switch form {
      case .array: return Feed(name, type, from: request, mapping: mapping, absent: .delete)
      case .lines:
        return Feed(name, type, from: request, as: .lines, mapping: mapping, absent: .delete)
      case .document:
        let document = JSONDocument { JSONRecords(type, at: "records", mapping) }
        return Feed(name, document, from: request, absent: .delete)
      case .jsonAPI, .whole:
        let document = JSONDocument { JSONRecords.primary(name, mapping) }
        return Feed(name, document, from: request, absent: .delete)
      }
    }
    if form == .whole {
      let document = JSONDocument {
        JSONRecords(Song.self, at: "songs", song)
        JSONRecords(Album.self, at: "albums", album)
        JSONRecords(List.self, at: "lists", list)
      }
      return [Feed("all", document, from: try server.request("all"), absent: .delete)]
    }
    return [
      try feed("songs", Song.self, song), try feed("albums", Album.self, album),
      try feed("lists", List.self, list),
    ]
  }

  @Test(arguments: Form.allCases, 0..<4)
  @MainActor func `the store has the rows of the server when all requests are done`(
    form: Form, seed: Int
  ) async throws {
    var random = SeededRandom(seed: UInt64(seed))
    let stack = try await Stack.temporary(Song.self, Album.self, List.self)
    let outbox = try await stack.outbox()
    let content = Lock(Content())
    if random.oneIn(2) { content.withLock { $0.fields = [:] } }
    let server = TestServer { request, _ in
      let body = content.withLock { $0.body(of: request.url?.lastPathComponent ?? "", form) }
      // Lines without a record are no answer.
      if body.isEmpty { return .init(status: 204) }
      let tag = "\"\(body.hashValue)\""
      if request.value(forHTTPHeaderField: "If-None-Match") == tag { return .init(status: 304) }
      return .init(headers: ["ETag": tag, "Content-Length": "\(body.utf8.count)"], body: body)
    }
    var feeds = try Self.feeds(server, form)
    for index in feeds.indices {
      feeds[index].expectsNoContent = true
      if random.oneIn(2) { feeds[index].options.commits = .atomic }
    }
    let refresher = Refresher(
      stack, transport: .urlSession(server.configuration), retries: .never)
    // An edit that is given up and an eviction make the feeds ask for everything.
    let (hasEdits, hasEvictions) = (random.oneIn(2), random.oneIn(2))
    for _ in 0..<24 {
      switch random.below(10) {
      case 0..<4: content.withLock { $0.change(&random) }
      case 4..<8: try await refresher.refresh(feeds[random.below(feeds.count)])
      case 8: if hasEdits { try await edit(stack, outbox, &random) }
      default:
        if !hasEvictions { continue }
        _ = try await stack.evict(
          .beyond(newest: random.below(4), by: \Song.id), referenced: .followDeleteRules)
      }
    }
    if hasEdits {
      try await outbox.push { _ in .refused("no") }
      try await giveUp(outbox)
      if try await !outbox.refusals().isEmpty { try await outbox.acknowledgeEverything() }
    }
    for _ in 0..<2 {
      for feed in feeds.shuffled(using: &random) { try await refresher.refresh(feed) }
    }
    for feed in feeds {
      let hasNone = content.withLock { $0.body(of: feed.name, form).isEmpty }
      let result = try await refresher.refresh(feed)
      #expect(hasNone || result == .notModified, "\(feed.name), seed \(seed)")
    }
    let expected = content.withLock(\.self)
    var songs: [Song] = []
    for (id, title) in expected.songs.sorted(by: { $0.key < $1.key }) {
      songs.append(Song(id: id, title: title, albumID: expected.album(of: id)))
    }
    #expect(try await stack.fetch(Song.all) == songs, "seed \(seed)")
    #expect(try await stack.fetch(Album.all).map(\.id) == expected.albums.keys.sorted())
    #expect(try await stack.fetch(List.all).map(\.id) == expected.lists.keys.sorted())
    for (id, songs) in expected.lists {
      let links = try await stack.fetch(List.songs(of: id)).map(\.id)
      #expect(links == songs.filter { expected.songs[$0] != nil }, "list \(id), seed \(seed)")
    }
    await stack.close()
  }

  /// Edits a row or a link. Then the edit waits, or the server refuses it and it may be given up.
  @MainActor private func edit(
    _ stack: Stack, _ outbox: Outbox, _ random: inout SeededRandom
  ) async throws {
    let view = stack.viewContext
    let id = 1 + random.below(5)
    let list = try await view.find(List.self, 1 + random.below(2))
    if let song = try await view.find(Song.self, id) {
      switch random.below(4) {
      case 0: view.delete(song)
      case 1: view.update(song) { $0.title = "mine" }
      case 2: if let list { view.link(list, to: song, in: List.songs) }
      default: if let list { view.unlink(list, from: song, in: List.songs) }
      }
    }
    try await view.save()
    if random.oneIn(2) { return }
    try await outbox.push { _ in .refused("no") }
    if random.oneIn(2) { try await giveUp(outbox) }
  }

  private func giveUp(_ outbox: Outbox) async throws {
    for refusal in try await outbox.refusals() { try await outbox.revert(refusal) }
  }
}
