import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataImport
@testable import StrataSQLite

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
  static let json = JSONMapping<Song> {
    Field(\.id, "id")
    Field(\.title, "title")
  }
}

private struct Album: Entity, Equatable {
  var id = 0
  static let songs = toMany(\Song.albumID)
  static let schema = Schema<Album>("albums", key: \.id) { songs }
  static let json = JSONMapping<Album> {
    Field(\.id, "id")
    NestedKeys(Album.songs, "songs")
  }
}

private struct List: Entity, Equatable {
  var id = 0
  static let songs = manyToMany(Song.self, ordered: true)
  static let schema = Schema<List>("lists", key: \.id) { songs }
  static let json = JSONMapping<List> {
    Field(\.id, "id")
    NestedKeys(List.songs, "songs")
  }
}

/// Links to rows that come later. They were dropped, and the feed that had named them answered "not
/// modified" from then on, so that they never came.
@Suite(.inTurn, .stack(Song.self, Album.self, List.self)) struct WaitingLinkTests {
  let stack = Stack.test

  @discardableResult
  private func lists(_ json: String, _ stack: Stack? = nil) async throws -> ImportResult {
    try await (stack ?? self.stack).importJSON(
      List.self, from: .data(Data(json.utf8)), mapping: List.json)
  }

  @discardableResult
  private func albums(_ json: String) async throws -> ImportResult {
    try await stack.importJSON(Album.self, from: .data(Data(json.utf8)), mapping: Album.json)
  }

  @discardableResult
  private func songs(
    _ ids: Int..., absent: AbsentRows = .keep, commits: ImportOptions.Commits = .batched
  ) async throws -> ImportResult {
    let json = "[" + ids.map { #"{"id": \#($0)}"# }.joined(separator: ",") + "]"
    return try await stack.importJSON(
      Song.self, from: .data(Data(json.utf8)), mapping: Song.json, absent: absent,
      options: .init(batchSize: 1) { $0.commits = commits })
  }

  private func links(of list: Int, _ stack: Stack? = nil) async throws -> [Int] {
    try await (stack ?? self.stack).fetch(List.songs(of: list)).map(\.id)
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `links are made when their rows come, in the order of the array`(
    commits: ImportOptions.Commits
  ) async throws {
    #expect(try await lists(#"[{"id": 7, "songs": [3, 1, 2]}]"#).waitingLinks == 3)
    #expect(try await albums(#"[{"id": 8, "songs": [1, 2]}]"#).waitingLinks == 2)
    try await songs(1, 2, commits: commits)
    #expect(try await links(of: 7) == [1, 2])
    try await songs(3, commits: commits)
    #expect(try await links(of: 7) == [3, 1, 2])
    #expect(try await stack.fetch(Song.all).map(\.albumID) == [8, 8, nil])
  }

  @Test func `a feed that is imported again changes nothing while its links wait`() async throws {
    let json = #"[{"id": 7, "songs": [3, 1, 2]}]"#
    try await lists(json)
    let token = stack.historyToken
    #expect(try await lists(json).description == "1 records: 1 unchanged, 3 links wait")
    #expect(stack.historyToken == token)
  }

  /// The lists are read while the song is away, and have no newer version when it is back.
  @Test func `a row that goes for a day gets its links back`() async throws {
    try await songs(1, 2)
    try await lists(#"[{"id": 7, "songs": [1, 2]}]"#)
    try await albums(#"[{"id": 8, "songs": [1, 2]}]"#)
    try await songs(1, absent: .delete)
    #expect(try await lists(#"[{"id": 7, "songs": [1, 2]}]"#).waitingLinks == 1)
    try await albums(#"[{"id": 8, "songs": [1, 2]}]"#)
    try await songs(1, 2, absent: .delete)
    #expect(try await links(of: 7) == [1, 2])
    #expect(try await stack.fetch(Song.all).map(\.albumID) == [8, 8])
  }

  /// The links are the server's, so they are not sent to it.
  @Test @MainActor func `a save of the user makes the links, and the outbox does not send them`()
    async throws
  {
    let outbox = try await stack.outbox()
    let view = stack.viewContext
    try await lists(#"[{"id": 7, "songs": [1]}]"#)
    try await albums(#"[{"id": 8, "songs": [1]}]"#)
    view.insert(Song(id: 1, title: "mine"))
    try await view.save()
    #expect(try await links(of: 7) == [1])
    #expect(try await view.find(Song.self, 1) == Song(id: 1, title: "mine", albumID: 8))
    let requests = try await outbox.requests()
    #expect(requests.map(\.entity) == ["Song"])
    view.undo()
    try await view.save()
    #expect(try await stack.fetch(Song.all).isEmpty)
    #expect(try await links(of: 7).isEmpty)
  }

  @Test func `a pull makes the links of its rows`() async throws {
    try await lists(#"[{"id": 7, "songs": [1]}]"#)
    try await albums(#"[{"id": 8, "songs": [1]}]"#)
    let table = try #require(stack.replicableTable(of: Song.self))
    let (key, row) = (RecordKey(.integer(1)), try table.encode(Song(id: 1), RecordBuilder()))
    try await stack.apply(
      [ServerRows(table, .keys([key]), [key: row])], of: FollowedTables([table]), state: Data())
    #expect(try await links(of: 7) == [1])
    #expect(try await stack.fetch(Song.all).map(\.albumID) == [8])
  }

  @Test func `a row that has another reference keeps it`() async throws {
    try await albums(#"[{"id": 8, "songs": [1]}, {"id": 9}]"#)
    try await stack.withScratch { $0.insert(Song(id: 1, albumID: 9)) }
    #expect(try await stack.fetch(Song.all).map(\.albumID) == [9])
  }

  @Test func `links that were replaced, or whose other row is gone, are not made`() async throws {
    try await lists(#"[{"id": 7, "songs": [1, 2]}, {"id": 6, "songs": [1]}]"#)
    try await albums(#"[{"id": 8, "songs": [1, 2]}, {"id": 9, "songs": [3]}]"#)
    try await lists(#"[{"id": 7, "songs": [2]}]"#)
    try await albums(#"[{"id": 8, "songs": []}]"#)
    try await stack.withScratch { scratch in
      if let list = try await scratch.find(List.self, 6) { scratch.delete(list) }
      if let album = try await scratch.find(Album.self, 9) { scratch.delete(album) }
    }
    let waiting = try await stack.read("SELECT count(*) FROM strata_waiting_link", as: Int.self)
    #expect(waiting == [1])
    try await stack.withScratch { scratch in
      scratch.insert(List(id: 6))
      scratch.insert(Album(id: 9))
    }
    try await songs(1, 2, 3)
    #expect(try await links(of: 6) == [])
    #expect(try await links(of: 7) == [2])
    #expect(try await stack.fetch(Song.all).map(\.albumID) == [nil, nil, nil])
  }

  @Test func `links wait in the file, until a migration`() async throws {
    for isMigrated in [false, true] {
      let file = try StoreFile()
      var stack = try await file.open(Song.self, Album.self, List.self)
      try await lists(#"[{"id": 7, "songs": [1]}]"#, stack)
      await stack.close()
      if isMigrated {
        await (try await file.open(Song.self, Album.self, List.self, Author.self)).close()
        var options = Stack.Options()
        options.removedTables = ["authors"]
        stack = try await Stack.open(
          Song.self, Album.self, List.self, at: file.url, options: options)
      } else {
        stack = try await file.open(Song.self, Album.self, List.self)
      }
      try await stack.withScratch { $0.insert(Song(id: 1)) }
      #expect(try await links(of: 7, stack) == (isMigrated ? [] : [1]))
      await stack.close()
    }
  }

  /// Beyond the limit the feed is asked for whole, until the rows are there.
  @Test func `links beyond the limit do not wait, and their feed gets no validators`()
    async throws
  {
    let file = try StoreFile()
    await (try await file.open(Song.self, Album.self, List.self)).close()
    try Connection(path: file.url.path, access: .readWrite, busyTimeout: .zero).execute(
      "INSERT INTO strata_waiting_link WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL "
        + "SELECT n + 1 FROM numbers WHERE n < 99998) SELECT 'lists.songs', 6, n, 1.0 FROM numbers")
    let stack = try await file.open(Song.self, Album.self, List.self)
    let server = TestServer { request, _ in
      if request.value(forHTTPHeaderField: "If-None-Match") == "\"1\"" { return .init(status: 304) }
      return .init(headers: ["ETag": "\"1\""], body: #"[{"id": 7, "songs": [1, 2, 3]}]"#)
    }
    let feed = Feed("lists", List.self, from: try server.request("lists"), mapping: List.json)
    let refresher = Refresher(
      stack, transport: .urlSession(server.configuration), retries: .never)
    try await refresher.refresh(feed)
    try await stack.withScratch { $0.insert(Song(id: 3)) }
    #expect(try await links(of: 7, stack) == [])
    guard case .imported(let result) = try await refresher.refresh(feed) else {
      Issue.record("not imported")
      return
    }
    #expect(result.waitingLinks == 2)
    #expect(try await links(of: 7, stack) == [3])
    #expect(try await refresher.refresh(feed) == .notModified)
    await stack.close()
  }
}
