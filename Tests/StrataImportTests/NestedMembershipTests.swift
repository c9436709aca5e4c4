import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@testable import StrataImport

private struct Tag: Entity, Equatable {
  var id = 0
  var name = ""
  static let schema = Schema<Tag>("tags", key: \.id) { Attribute(\.name) }
  static let json = JSONMapping<Tag> {
    Field(\.id, "id")
    Field(\.name, "name")
  }
}

private struct Person: Entity, Equatable {
  var id = ""
  var name = ""
  static let schema = Schema<Person>("people", key: \.id) { Attribute(\.name) }
  static let json = JSONMapping<Person> {
    Field(\.id, "id")
    Field(\.name, "name")
  }
}

private struct Song: Entity, Equatable {
  var id = 0
  var title = ""
  var albumID: Int?
  var leadID: String?
  static let tags = manyToMany(Tag.self, ordered: true)
  static let people = manyToMany(Person.self, ordered: true)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    toOne(\.albumID, Album.self, onDelete: .nullify)
    toOne(\.leadID, Person.self, onDelete: .nullify)
    tags
    people
  }
  static let json = JSONMapping<Song> {
    Field(\.id, "id")
    Field(\.title, "title")
    NestedArray(Song.tags, "tags", Tag.json)
    NestedObject(\.leadID, "people[0]", Person.json)
    NestedArray(Song.people, "people", Person.json)
  }
}

/// A part of an album. Its reference to the album is required.
private struct Track: Entity, Equatable {
  var id = ""
  var albumID = 0
  var title = ""
  static let schema = Schema<Track>("tracks", key: \.id) {
    Attribute(\.title)
    toOne(\.albumID, Album.self, onDelete: .cascade)
  }
  static let json = JSONMapping<Track> {
    Field(\.id, joining: ["disc", "number"], separator: "/")
    Field(\.title, "title")
  }
}

private struct Album: Entity, Equatable {
  var id = 0
  static let songs = toMany(\Song.albumID)
  static let tracks = toMany(\Track.albumID)
  static let schema = Schema<Album>("albums", key: \.id) {
    songs
    tracks
  }
  static let json = JSONMapping<Album> {
    Field(\.id, "id")
    NestedArray(Album.songs, "songs", Song.json)
    NestedArray(Album.tracks, "tracks", Track.json, deletingOthers: true)
  }
}

/// Tests nested arrays that list all rows of a relationship.
@Suite(.inTurn, .stack(Tag.self, Person.self, Song.self, Track.self, Album.self))
struct NestedMembershipTests {
  let stack = Stack.test

  private func read<E: Entity>(
    _ type: E.Type, _ json: String, _ mapping: JSONMapping<E>,
    _ commits: ImportOptions.Commits = .batched
  ) async throws -> ImportResult {
    try await stack.importJSON(
      type, from: .data(Data(json.utf8)), mapping: mapping,
      options: .init(batchSize: 2) { $0.commits = commits })
  }

  private func tags(of song: Int) async throws -> [Int] {
    try await stack.fetch(Song.tags(of: song)).map(\.id)
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `objects of an array are imported and linked in one go`(
    commits: ImportOptions.Commits
  ) async throws {
    let first = #"""
      [{"id": 1, "tags": [{"id": 3, "name": "c"}, {"id": 1, "name": "a"}]},
       {"id": 2, "tags": [{"id": 1, "name": "a"}, {"id": 1, "name": "a"}]}, {"id": 3}]
      """#
    _ = try await read(Song.self, first, Song.json, commits)
    #expect(try await tags(of: 1) == [3, 1])
    #expect(try await tags(of: 2) == [1])
    #expect(try await stack.fetch(Tag.sorted(by: \.id)).map(\.name) == ["a", "c"])
    let token = stack.historyToken
    _ = try await read(Song.self, first, Song.json, commits)
    #expect(stack.historyToken == token)
    _ = try await read(
      Song.self, #"[{"id": 1, "tags": [{"id": 2}, {"id": 3}]}, {"id": 2}]"#, Song.json, commits)
    #expect(try await tags(of: 1) == [2, 3])
    #expect(try await tags(of: 2) == [1])
    _ = try await read(
      Song.self, #"[{"id": 1, "tags": []}, {"id": 2, "tags": null}]"#, Song.json, commits)
    #expect(try await tags(of: 1) == [])
    #expect(try await tags(of: 2) == [])
    #expect(try await stack.count(Tag.all) == 3)
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `an array is read as links, and its first element as an object`(
    commits: ImportOptions.Commits
  ) async throws {
    let people = #"[{"id": "x", "name": "\u00e9"}, {"id": "y"}]"#
    _ = try await read(Song.self, #"[{"people": \#(people), "id": 1}]"#, Song.json, commits)
    #expect(try await stack.fetch(Song.people(of: 1)).map(\.id) == ["x", "y"])
    #expect(try await stack.fetch(Song.all).map(\.leadID) == ["x"])
    #expect(try await stack.fetch(Person.sorted(by: \.id)).map(\.name) == ["é", ""])
    // An empty array leaves the reference to its first element alone. A null array takes the
    // reference away.
    _ = try await read(Song.self, #"[{"id": 1, "people": []}]"#, Song.json, commits)
    #expect(try await stack.fetch(Song.people(of: 1)).isEmpty)
    #expect(try await stack.fetch(Song.all).map(\.leadID) == ["x"])
    _ = try await read(Song.self, #"[{"id": 1, "people": null}]"#, Song.json, commits)
    #expect(try await stack.fetch(Song.all).map(\.leadID) == [nil])
    let error = await #expect(throws: ImportError.self) {
      _ = try await read(Song.self, #"[{"id": 1, "people": {"id": "x"}}]"#, Song.json, commits)
    }
    #expect(error?.code == .invalidValue && error?.path == "people")
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `a row that a nested array no longer has is deleted, or loses its reference`(
    commits: ImportOptions.Commits
  ) async throws {
    let tracks = (1...5).map { #"{"disc": 1, "number": \#($0)}"# }.joined(separator: ",")
    _ = try await read(
      Album.self,
      #"""
      [{"id": 7, "songs": [{"id": 1}, {"id": 2}], "tracks": [\#(tracks)]},
       {"id": 8, "songs": [{"id": 3}], "tracks": [{"disc": "B", "number": "01"}]}]
      """#, Album.json, commits)
    #expect(try await stack.fetch(Track.sorted(by: \.id)).map(\.id).suffix(2) == ["1/5", "B/01"])
    let result = try await read(
      Album.self,
      #"[{"id": 7, "songs": [{"id": 3}, {"id": 2}], "tracks": [{"disc": 1, "number": 2}]}, {"id": 8}]"#,
      Album.json, commits)
    #expect(try await stack.fetch(Song.sorted(by: \.id)).map(\.albumID) == [nil, 7, 7])
    #expect(try await stack.fetch(Track.sorted(by: \.id)).map(\.id) == ["1/2", "B/01"])
    #expect(result.deleted == 4)
    let last = try await read(
      Album.self, #"[{"id": 7, "tracks": null}, {"id": 8, "tracks": []}]"#, Album.json, commits)
    #expect(last.deleted == 2)
    #expect(try await stack.count(Track.all) == 0)
    #expect(try await stack.count(Song.all) == 3)
  }

  /// The array says that the row is gone, so its deletion is a commit like any other.
  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  @MainActor func `an unsaved edit of a row that an array deletes is a conflict`(
    commits: ImportOptions.Commits
  ) async throws {
    let first = #"{"disc": 1, "number": 1}"#
    let both = #"\#(first), {"disc": 1, "number": 2}"#
    _ = try await read(Album.self, #"[{"id": 7, "tracks": [\#(both)]}]"#, Album.json, commits)
    let track = try #require(try await stack.viewContext.find(Track.self, "1/2"))
    stack.viewContext.update(track) { $0.title = "mine" }
    let result = try await read(
      Album.self, #"[{"id": 7, "tracks": [\#(first)]}]"#, Album.json, commits)
    #expect(result.deleted == 1 && result.kept == 0)
    #expect(try await stack.fetch(Track.all).map(\.id) == ["1/1"])
    let error = await #expect(throws: StoreError.self) { try await stack.viewContext.save() }
    #expect(error?.code == .conflict && error?.conflicts.map(\.isOrphaned) == [true])
    try await stack.viewContext.save(.overwrite)
    #expect(try await stack.fetch(Track.sorted(by: \.id)).map(\.title) == ["", "mine"])
  }

  @Test func `a refused record takes nothing out of its array`() async throws {
    _ = try await read(
      Album.self, #"[{"id": 7, "tracks": [{"disc": 1, "number": 1}]}]"#, Album.json)
    let result = try await stack.importJSON(
      Album.self,
      from: .data(Data(#"[{"id": 7, "tracks": [{"disc": 1, "number": 1.5}]}]"#.utf8)),
      mapping: Album.json, options: .init { $0.refusedRecords = .skip() })
    #expect(result.skipped == 1 && result.deleted == 0)
    #expect(try await stack.count(Track.all) == 1)
  }

  /// Album 8 has track 1/2 now, but its record is refused: album 7's array deleted the track.
  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `arrays only add if a record is refused`(commits: ImportOptions.Commits) async throws {
    _ = try await read(
      Album.self,
      #"""
      [{"id": 7, "songs": [{"id": 1}], "tracks": [{"disc": 1, "number": 1}, {"disc": 1, "number": 2}]}]
      """#, Album.json)
    let text = #"""
      [{"id": 7, "songs": [{"id": 2}], "tracks": [{"disc": 1, "number": 1}]},
       {"id": "eight", "songs": [{"id": 1}], "tracks": [{"disc": 1, "number": 2}]}]
      """#
    let result = try await stack.importJSON(
      Album.self, from: .data(Data(text.utf8)), mapping: Album.json,
      options: .init {
        $0.refusedRecords = .skip()
        $0.commits = commits
      })
    #expect(result.skipped == 1 && result.deleted == 0)
    #expect(try await stack.fetch(Track.sorted(by: \.id)).map(\.id) == ["1/1", "1/2"])
    #expect(try await stack.fetch(Song.sorted(by: \.id)).map(\.albumID) == [7, 7])
  }

  /// The lines may be cut: an album that was not read may have the track.
  @Test func `elements stay if the feed may lack records`() async throws {
    _ = try await read(
      Album.self, #"[{"id": 7, "tracks": [{"disc": 1, "number": 1}, {"disc": 1, "number": 2}]}]"#,
      Album.json)
    let server = try MisbehavingServer { _ in
      ServerAnswer(
        body: #"{"id": 7, "tracks": [{"disc": 1, "number": 1}]}"# + "\n", fault: .withoutLength)
    }
    let source = JSONSource.response(to: URLRequest(url: server.url))
    let result = try await stack.importJSON(
      Album.self, from: source, as: .lines, mapping: Album.json)
    #expect(result.deleted == 0)
    #expect(try await stack.count(Track.all) == 2)
  }

  @Test func `two arrays of one relationship are refused`() async throws {
    let mapping = JSONMapping<Album> {
      Field(\.id, "id")
      NestedArray(Album.songs, "a", Song.json)
      NestedArray(Album.songs, "b", Song.json)
    }
    let error = await #expect(throws: ImportError.self) {
      _ = try await read(Album.self, "[]", mapping)
    }
    #expect(error?.code == .invalidMapping)
    #expect(
      error?.message == "Album: two arrays give the same relationship, and the second would "
        + "replace the first")
  }

  /// All ids that were texts became one row, and a full sync deleted the others.
  @Test func `a key has no value for what cannot be read`() async throws {
    let mapping = JSONMapping<Album> { Field(\.id, "id", .unknown(as: 0)) }
    let error = await #expect(throws: ImportError.self) {
      _ = try await read(Album.self, "[]", mapping)
    }
    #expect(error?.code == .invalidMapping)
    #expect(
      error?.message == "Album.id: all values that cannot be read would be one key, so a key has "
        + "no `unknown(as:)`")
  }

  @Test func `an element that a required reference needs is not left without one`() async throws {
    let mapping = JSONMapping<Album> {
      Field(\.id, "id")
      NestedArray(Album.tracks, "tracks", Track.json)
    }
    let error = await #expect(throws: ImportError.self) {
      _ = try await read(Album.self, "[]", mapping)
    }
    #expect(error?.code == .invalidMapping && error?.description.contains("deletingOthers") == true)
  }

  @Test func `every record has the parent that the call says`() async throws {
    _ = try await read(Album.self, #"[{"id": 5}, {"id": 6}]"#, Album.json)
    _ = try await read(
      Song.self, #"[{"id": 1}, {"id": 2, "albumID": 6, "album": {"id": 6}}]"#,
      .automatic.setting(\.albumID, to: 5).setting(\.title, to: "t"))
    let songs = try await stack.fetch(Song.all)
    #expect(songs.map(\.albumID) == [5, 5] && songs.map(\.title) == ["t", "t"])
    _ = try await read(Song.self, #"[{"id": 1}]"#, Song.json.setting(\.albumID, to: nil))
    #expect(try await stack.fetch(Song.sorted(by: \.id)).map(\.albumID) == [nil, 5])
    let error = await #expect(throws: ImportError.self) {
      _ = try await read(Song.self, "[]", Song.json.setting(\.id, to: 1))
    }
    #expect(error?.code == .invalidMapping)
  }

  @Test(arguments: [
    (#"{"number": 1}"#, "disc"), (#"{"disc": 1, "number": null}"#, "number"),
    (#"{"disc": "1/2", "number": 3}"#, "disc"), (#"{"disc": 1, "number": 0.5}"#, "number"),
    (#"{"disc": true, "number": 1}"#, "disc"), (#"{"disc": [1], "number": 1}"#, "disc"),
  ])
  func `a joined key needs all of its members, without the separator`(
    record: String, path: String
  ) async throws {
    let error = await #expect(throws: ImportError.self) {
      _ = try await read(Track.self, "[\(record)]", Track.json.setting(\.albumID, to: 1))
    }
    #expect(error?.code == .invalidValue && error?.path == path)
  }

  @Test func `a joined key is written as its members`() async throws {
    let mapping = Track.json.setting(\.albumID, to: 1)
    _ = try await read(Album.self, #"[{"id": 1}]"#, Album.json)
    _ = try await read(
      Track.self, #"[{"disc": 1e1, "number": "2"}, {"disc": "", "number": -3}]"#, mapping)
    #expect(try await stack.fetch(Track.sorted(by: \.id)).map(\.id) == ["/-3", "10/2"])
    let json = try await stack.exportJSON(Track.sorted(by: \.id), mapping: mapping)
    #expect(
      String(decoding: json, as: UTF8.self).contains(#"{"disc":"10","number":"2","title":""}"#))
    let token = stack.historyToken
    _ = try await read(Track.self, String(decoding: json, as: UTF8.self), mapping)
    #expect(stack.historyToken == token)
  }
}
