import Foundation
import Strata
import StrataTestTurns
import StrataTesting
import Testing

@testable import StrataImport

private struct Album: Entity, Equatable {
  var id = 0
  var title = ""

  static let schema = Schema<Album>("albums", key: \.id) {
    Attribute(\.title)
    songs
    tags
  }
  static let songs = toMany(\Song.albumID)
  static let tags = manyToMany(Tag.self)
  static let json = JSONMapping<Album> {
    Field(\.id, "id")
    Field(\.title, "title")
    NestedKeys(Album.tags, "tags")
    NestedKeys(Album.songs, "songs")
  }
}

private struct Song: Entity, Equatable {
  var id = 0
  var albumID: Int?

  static let schema = Schema<Song>("songs", key: \.id) {
    toOne(\.albumID, Album.self, onDelete: .cascade)
  }
}

private struct Tag: Entity, Equatable {
  var id = ""

  static let schema = Schema<Tag>("tags", key: \.id) {}
}

/// Rows that were made here before the store had an outbox.
@Suite(.inTurn, .stack(Album.self, Song.self, Tag.self)) struct LocalRowsTests {
  let stack = Stack.test

  @discardableResult
  private func hear(
    _ json: String, absent: AbsentRows = .delete
  ) async throws -> ImportResult {
    try await stack.importJSON(
      Album.self, from: .data(Data(json.utf8)), mapping: Album.json, absent: absent)
  }

  private func make(_ ids: Int...) async throws {
    try await stack.withScratch { scratch in
      for id in ids { scratch.insert(Album(id: id, title: "here")) }
    }
  }

  private func albums() async throws -> [Int] {
    try await stack.fetch(Album.all.sorted(by: \.id)).map(\.id)
  }

  private static let moments = ["before the outbox", "after the first import", "without an outbox"]

  @Test(arguments: moments)
  func `a refresh keeps what no server has sent, and says so`(_ moment: String) async throws {
    if moment != Self.moments[0] { try await hear(#"[{"id": 8}]"#) }
    try await make(1, 2)
    if moment != Self.moments[2] { _ = try await stack.outbox() }
    for _ in 1...2 {
      let result = try await hear(#"[{"id": 9}]"#)
      let isKept = moment != Self.moments[2]
      #expect(result.kept == (isKept ? 2 : 0))
      #expect(result.unsent == result.kept)
      let left: [Int] = isKept ? [1, 2, 9] : [9]
      #expect(try await albums() == left)
    }
  }

  @Test func `a row that a server has sent once goes with it`() async throws {
    try await make(1, 2)
    _ = try await stack.outbox()
    try await hear(#"[{"id": 1}]"#)
    let result = try await hear(#"[{"id": 3}]"#)
    #expect(result.deleted == 1 && result.unsent == 1)
    #expect(try await albums() == [2, 3])
  }

  @Test(arguments: [AbsentRows.delete, .delete(within: Album.where { $0.title == "here" })])
  func `the feed of a part keeps such rows, too`(_ absent: AbsentRows) async throws {
    try await make(1)
    _ = try await stack.outbox()
    #expect(try await hear("[]", absent: absent).unsent == 1)
    #expect(try await albums() == [1])
  }

  @Test func `a row is not deleted with the row to which it refers`() async throws {
    try await hear(#"[{"id": 1}, {"id": 2}]"#)
    try await stack.withScratch { $0.insert(Song(id: 1, albumID: 1)) }
    _ = try await stack.outbox()
    #expect(try await hear("[]").kept == 1)
    #expect(try await albums() == [1])
    #expect(try await stack.count(Song.all) == 1)
  }

  @Test func `links and members that no server has sent stay`() async throws {
    try await hear(#"[{"id": 1}]"#)
    try await stack.withScratch { scratch in
      scratch.insert(Tag(id: "a"))
      scratch.insert(Tag(id: "b"))
      scratch.insert(Song(id: 5, albumID: 1))
      scratch.link(1, to: "a", in: Album.tags)
    }
    _ = try await stack.outbox()
    try await hear(#"[{"id": 1, "tags": ["b"], "songs": []}]"#)
    let album = try #require(try await stack.find(Album.self, 1))
    #expect(try await stack.fetch(Album.tags(of: album)).map(\.id).sorted() == ["a", "b"])
    #expect(try await stack.find(Song.self, 5)?.albumID == 1)
    // A link that the server has sent goes when the server takes it away.
    try await hear(#"[{"id": 1, "tags": []}]"#)
    #expect(try await stack.fetch(Album.tags(of: album)).map(\.id) == ["a"])
  }

  // The tombstone of a row took the rows of its delete rule, which no server had sent.
  @Test(arguments: [AbsentRows.keep, .delete], [ImportOptions.Commits.batched, .atomic])
  func `a row that the server says is gone takes no such row with it`(
    _ absent: AbsentRows, _ commits: ImportOptions.Commits
  ) async throws {
    let mapping = JSONMapping<Album> {
      Field(\.id, "id")
      Tombstone(ifTrue: "gone")
    }
    func hear(_ json: String) async throws -> ImportResult {
      try await stack.importJSON(
        Album.self, from: .data(Data(json.utf8)), mapping: mapping, absent: absent,
        options: .init { $0.commits = commits })
    }
    _ = try await hear(#"[{"id": 1}, {"id": 2}]"#)
    try await stack.withScratch { scratch in
      scratch.insert(Song(id: 5, albumID: 1))
      scratch.insert(Album(id: 7, title: "here"))
      scratch.insert(Album(id: 8, title: "here"))
    }
    let outbox = try await stack.outbox()
    try await stack.withScratch { scratch in
      scratch.update(try #require(try await scratch.find(Album.self, 8))) { $0.title = "edited" }
    }
    // The server has had another row with the key 7.
    let result = try await hear(
      #"[{"id": 1, "gone": true}, {"id": 2, "gone": true}, {"id": 7, "gone": true}, {"id": 8, "gone": true}]"#
    )
    #expect(try await albums() == [1, 7, 8])
    #expect(try await stack.find(Song.self, 5)?.albumID == 1)
    #expect(result.deleted == 1 && result.unsent >= 1, "\(result)")
    #expect(try await outbox.addEverything() == 2)
    #expect(try await outbox.requests().map(\.kind) == [.insert, .insert, .insert])
  }

  // MARK: - Adding them

  @Test(arguments: [true, false])
  func `rows from before are pushed once they are added`(_ isRefreshed: Bool) async throws {
    try await make(1, 2)
    let outbox = try await stack.outbox()
    if isRefreshed { try await hear(#"[{"id": 7}]"#) }
    #expect(try await outbox.requests().isEmpty)
    #expect(try await outbox.add(Album.where { $0.id == 1 }) == 1)
    #expect(try await outbox.add(Album.all) == 1)
    #expect(try await outbox.add(Album.all) == 0)
    #expect(try await outbox.requests().map(\.kind) == [.insert, .insert])
    #expect(await outbox.currentCounts.waiting == 2)
    try await outbox.push { _ in .done }
    // The server has them now.
    #expect(try await hear("[]").deleted == (isRefreshed ? 3 : 2))
  }

  @Test func `every local row is added with its links, in an order that the server can take`()
    async throws
  {
    try await stack.withScratch { scratch in
      scratch.insert(Song(id: 5, albumID: 1))
      scratch.insert(Album(id: 1))
      scratch.insert(Tag(id: "a"))
      scratch.link(1, to: "a", in: Album.tags)
    }
    let outbox = try await stack.outbox()
    #expect(try await outbox.addEverything() == 4)
    let requests = try await outbox.requests()
    #expect(requests.allSatisfy { $0.kind == .insert })
    let album = try #require(requests.firstIndex { $0.id(of: Album.self) != nil })
    let song = try #require(requests.firstIndex { $0.id(of: Song.self) != nil })
    let link = try #require(requests.firstIndex { $0.link(of: Album.tags) != nil })
    #expect(album < song && album < link)
  }

  @Test func `an added row brings its links`() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(Album(id: 1))
      scratch.insert(Tag(id: "a"))
      scratch.link(1, to: "a", in: Album.tags)
    }
    let outbox = try await stack.outbox()
    #expect(try await outbox.add(Album.all) == 2)
  }

  @Test func `an edit of such a row inserts it at the server, and its deletion needs no request`()
    async throws
  {
    try await hear(#"[{"id": 9}]"#)
    try await make(1, 2)
    let outbox = try await stack.outbox()
    try await stack.withScratch { scratch in
      scratch.update(try #require(try await scratch.find(Album.self, 1))) { $0.title = "edited" }
      scratch.delete(try #require(try await scratch.find(Album.self, 2)))
    }
    #expect(try await outbox.requests().map(\.kind) == [.insert])
    #expect(try await outbox.requests().first?.id(of: Album.self) == 1)
  }

  @Test
  func `an edit of a row from before the first import becomes an insertion when the feed lacks it`()
    async throws
  {
    try await make(1)
    let outbox = try await stack.outbox()
    try await stack.withScratch { scratch in
      scratch.update(try #require(try await scratch.find(Album.self, 1))) { $0.title = "edited" }
    }
    #expect(try await outbox.requests().map(\.kind) == [.update])
    try await hear(#"[{"id": 9}]"#)
    #expect(try await outbox.requests().map(\.kind) == [.insert])
    #expect(try await outbox.conflicts().isEmpty)
  }

  // MARK: - Authors

  @Test func `further ignored authors do not replace those that are always ignored`() async throws {
    let outbox = try await stack.outbox(ignoring: ["widget"])
    try await hear(#"[{"id": 1}]"#)
    try await hear("[]")
    try await stack.withScratch { scratch in
      scratch.author = "widget"
      scratch.insert(Album(id: 2))
    }
    #expect(try await outbox.requests().isEmpty)
    // The server has what an ignored author writes.
    #expect(try await hear("[]").deleted == 1)
    try await make(3)
    #expect(try await outbox.requests().count == 1)
  }
}
