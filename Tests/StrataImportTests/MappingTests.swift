import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private enum Genre: String, AttributeValue { case jazz, rock, other }

private struct Artist: Entity, Equatable {
  var id = 0
  var name = ""
  var homePageURL: URL?

  static let schema = Schema<Artist>("artists", key: \.id) {
    Attribute(\.name)
    Attribute(\.homePageURL)
  }
}

private struct Song: Entity, Equatable {
  var id = 0
  var title = ""
  var genre = Genre.other
  var playCount = 7
  var price: Double?
  var releasedAt: Date?
  var artistID: Int?

  static let artist = toOne(\.artistID, Artist.self, onDelete: .nullify)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.genre)
    Attribute(\.playCount)
    Attribute(\.price)
    Attribute(\.releasedAt)
    artist
  }
}

@Suite(.inTurn, .stack(Artist.self, Song.self)) struct MappingTests {
  let stack = Stack.test

  private func importing<E: Entity>(
    _ type: E.Type, _ mapping: JSONMapping<E>, _ json: String
  ) async throws -> ImportResult {
    try await stack.importJSON(type, from: .data(Data(json.utf8)), mapping: mapping)
  }

  private func songs() async throws -> [Song] { try await stack.fetch(Song.all) }
  private func artists() async throws -> [Artist] { try await stack.fetch(Artist.all) }

  private func refusal<E: Entity>(_ mapping: JSONMapping<E>, _ json: String) async -> ImportError? {
    do {
      _ = try await importing(E.self, mapping, json)
      return nil
    } catch {
      return error as? ImportError
    }
  }

  // MARK: Convention

  @Test func `names are found as they are, in snake_case and in camelCase`() {
    #expect(MappingNames.variants(of: "artistID") == ["artistID", "artist_id", "artistId"])
    #expect(MappingNames.variants(of: "artist_id") == ["artist_id", "artistId", "artistID"])
    #expect(MappingNames.variants(of: "title") == ["title"])
    #expect(
      MappingNames.variants(of: "homePageURL") == ["homePageURL", "home_page_url", "homePageUrl"])
    #expect(MappingNames.variants(of: "URLPath") == ["URLPath", "url_path", "urlPath"])
    #expect(MappingNames.target(ofReference: "artistID") == "artist")
    #expect(MappingNames.target(ofReference: "artist_id") == "artist")
    #expect(MappingNames.target(ofReference: "paid") == nil)
    #expect(MappingNames.target(ofReference: "ID") == nil)
  }

  @Test func `an import without a mapping uses the names of the schema`() async throws {
    _ = try await importing(
      Song.self, .automatic,
      #"""
      [{"id": 1, "title": "A", "genre": "jazz", "playCount": 3, "released_at": "1959-08-17"},
       {"id": 2, "title": "B", "play_count": 4, "artist_id": 9, "price": null, "x": {}}]
      """#)
    let expected = [
      Song(
        id: 1, title: "A", genre: .jazz, playCount: 3,
        releasedAt: Date(timeIntervalSince1970: -327_456_000)),
      Song(id: 2, title: "B", playCount: 4, artistID: 9),
    ]
    #expect(try await songs() == expected)
  }

  @Test func `an import without a mapping finds objects and arrays of related entities`()
    async throws
  {
    let result = try await importing(
      Song.self, .automatic,
      #"""
      [{"id": 1, "artist": {"id": 5, "name": "Miles", "home_page_url": "https://m.test/a"}},
       {"id": 2, "artist": {"id": 5, "name": "Miles"}}, {"id": 3, "artistId": 5}]
      """#)
    #expect(result.records == 3 && result.inserted == 4)
    #expect(try await songs().map(\.artistID) == [5, 5, 5])
    let miles = Artist(id: 5, name: "Miles", homePageURL: URL(string: "https://m.test/a"))
    #expect(try await artists() == [miles])
    _ = try await importing(
      Artist.self, .automatic,
      #"[{"id": 6, "name": "Bill", "songs": [{"id": 8, "title": "S"}, {"id": 1, "title": "T"}]}]"#)
    let artistSongs = try await songs().filter { $0.artistID == 6 }
    #expect(artistSongs.map(\.id) == [1, 8] && artistSongs.map(\.title) == ["T", "S"])
  }

  @Test func `an object that is null takes the reference away, one that is missing does not`()
    async throws
  {
    _ = try await importing(Song.self, .automatic, #"[{"id": 1, "artist": {"id": 5}}]"#)
    _ = try await importing(Song.self, .automatic, #"[{"id": 1, "title": "A"}]"#)
    #expect(try await songs().first?.artistID == 5)
    _ = try await importing(Song.self, .automatic, #"[{"id": 1, "artist": null}]"#)
    #expect(try await songs().first?.artistID == nil)
    #expect(try await artists().count == 1)
  }

  /// A null member of the object must not take the reference away.
  @Test func `an object with a member that is null is not null itself`() async throws {
    _ = try await importing(Song.self, .automatic, #"[{"id": 1, "artist": {"id": 5}}]"#)
    for object in [#"{"name": null}"#, #"{"id": null, "name": "x"}"#] {
      let error = await refusal(JSONMapping<Song>.automatic, #"[{"id": 1, "artist": \#(object)}]"#)
      #expect(error?.path == "artist.id", "\(object)")
    }
    _ = try await importing(Song.self, .automatic, #"[{"id": 1, "artist": {}}]"#)
    #expect(try await songs().first?.artistID == 5)
    _ = try await importing(
      Song.self, .automatic, #"[{"id": 1, "artist": {"id": null, "name": null}}]"#)
    #expect(try await songs().first?.artistID == nil)
  }

  @Test func `a member may be read by two fields, each in its own way`() async throws {
    let mapping = JSONMapping<Song> {
      Field(\.id, "id").allowingNumberInString()
      Field(\.playCount, "id")
    }
    #expect(await refusal(mapping, #"[{"id": "3"}]"#)?.path == "id")
    _ = try await importing(Song.self, mapping, #"[{"id": 3}]"#)
    #expect(try await songs().map(\.playCount) == [3])
  }

  // MARK: Declared

  @Test func `a fallback is for what is missing or null, and for updates, too`() async throws {
    let mapping = JSONMapping<Song> {
      Field(\.id, "id")
      Field(\.playCount, "plays", default: 1)
      Field(\.title, "title")
    }
    _ = try await importing(
      Song.self, mapping, #"[{"id": 1, "plays": 5}, {"id": 2, "plays": null}, {"id": 3}]"#)
    #expect(try await songs().map(\.playCount) == [5, 1, 1])
    _ = try await importing(Song.self, mapping, #"[{"id": 1}]"#)
    #expect(try await songs().map(\.playCount) == [1, 1, 1])
  }

  @Test func `values that an enumeration does not know become the one that is named`() async throws
  {
    let strict = JSONMapping<Song> {
      Field(\.id, "id")
      Field(\.genre, "genre")
    }
    let lenient = JSONMapping<Song> {
      Field(\.id, "id")
      Field(\.genre, "genre", .unknown(as: .other))
    }
    let json = #"[{"id": 1, "genre": "polka"}, {"id": 2, "genre": "jazz"}]"#
    let error = try #require(await refusal(strict, json))
    #expect(error.code == .invalidValue && error.path == "genre")
    _ = try await importing(Song.self, lenient, json)
    #expect(try await songs().map(\.genre) == [.other, .jazz])
  }

  @Test func `numbers in strings count only where that is said`() async throws {
    let mapping = JSONMapping<Song> {
      Field(\.id, "id").allowingNumberInString()
      Field(\.price, "price").allowingNumberInString()
      Field(\.playCount, "plays")
    }
    _ = try await importing(Song.self, mapping, #"[{"id": "12", "price": "9.99"}]"#)
    #expect(try await songs() == [Song(id: 12, price: 9.99)])
    let error = await refusal(mapping, #"[{"id": 12, "plays": "3"}]"#)
    #expect(error?.path == "plays" && error?.found == "\"3\"")
  }

  @Test func `the first of several keys that is there counts`() async throws {
    let mapping = JSONMapping<Song> {
      Field(\.id, "id").or("song.key")
      Field(\.title, "title").or("name").required()
    }
    _ = try await importing(
      Song.self, mapping,
      #"[{"id": 1, "name": "A"}, {"song": {"key": 2}, "title": "B", "name": "C"}]"#)
    #expect(try await songs().map(\.title) == ["A", "B"])
    let error = try #require(await refusal(mapping, #"[{"id": 1}]"#))
    #expect(error.path == "title" && error.message.contains("required and missing"))
    #expect(await refusal(mapping, #"[{"title": "A"}]"#)?.path == "id")
  }

  @Test func `declared objects and arrays are entities of their own`() async throws {
    let song = JSONMapping<Song> {
      Field(\.id, "key")
      Field(\.title, "title").required()
    }
    let mapping = JSONMapping<Artist> {
      Field(\.id, "id")
      Field(\.name, "name")
      NestedArray("discography.songs", song, \.artistID)
    }
    let result = try await importing(
      Artist.self, mapping,
      #"""
      [{"id": 1, "name": "Miles",
        "discography": {"songs": [{"key": 10, "title": "So \"What\""}, {"key": 11, "title": "é"}]}},
       {"id": 2, "discography": {"songs": []}}, {"id": 3, "discography": null}, {"id": 4}]
      """#)
    #expect(result.records == 4 && result.inserted == 6)
    let expected = [
      Song(id: 10, title: "So \"What\"", artistID: 1), Song(id: 11, title: "é", artistID: 1),
    ]
    #expect(try await songs() == expected)
    let again = try await importing(
      Artist.self, mapping, #"[{"id": 1, "discography": {"songs": [{"key": 10, "title": "X"}]}}]"#)
    #expect(again.updated == 1 && again.unchanged == 1)
  }

  @Test func `a refused element names its path, and nothing of its record is imported`()
    async throws
  {
    let song = JSONMapping<Song> {
      Field(\.id, "id")
      Field(\.title, "title").required()
      NestedObject(\.artistID, "by", JSONMapping<Artist> { Field(\.id, "id") })
    }
    let mapping = JSONMapping<Artist> {
      Field(\.id, "id")
      NestedArray("songs", song, \.artistID)
    }
    for (json, path) in [
      (#"[{"id": 1, "songs": [{"id": 1, "title": "A"}, {"id": 2}]}]"#, "songs[1].title"),
      (#"[{"id": 1, "songs": [{"id": 1, "title": 5}]}]"#, "songs[0].title"),
      (#"[{"id": 1, "songs": [{"id": 1, "title": "A", "by": {"id": "x"}}]}]"#, "songs[0].by.id"),
      (#"[{"id": 1, "songs": [null]}]"#, "songs[0]"), (#"[{"id": 1, "songs": {}}]"#, "songs"),
    ] {
      let error = try #require(await refusal(mapping, json))
      #expect(error.code == .invalidValue && error.path == path, "\(error)")
      #expect(try await songs().isEmpty)
      #expect(try await artists().isEmpty)
    }
  }

  @Test func `a mapping that does not fit is refused before anything is read`() async throws {
    let twice = JSONMapping<Song> {
      Field(\.id, "id")
      Field(\.title, "a")
      Field(\.title, "b")
    }
    let keyless = JSONMapping<Song> { Field(\.title, "a") }
    let crossed = JSONMapping<Song> {
      Field(\.id, "id")
      Field(\.title, "artist")
      NestedObject(\.artistID, "artist", JSONMapping<Artist> { Field(\.id, "id") })
    }
    for mapping in [twice, keyless, crossed] {
      #expect(await refusal(mapping, "not read")?.code == .invalidMapping)
    }
  }

  /// Positions begin at 0 in every array, source and page. As keys, they would make rows replace
  /// one another.
  @Test func `a position is a key only where it is another one for every record`() async throws {
    let placed = JSONMapping<Song> {
      Field(\.id, "id").orPosition()
      Field(\.title, "title")
    }
    let inside = JSONMapping<Artist> {
      Field(\.id, "id")
      NestedArray("songs", placed, \.artistID)
    }
    #expect(await refusal(inside, "not read")?.code == .invalidMapping)
    let source = JSONSource.data(Data(#"[{"title": "a"}, {"title": "b"}]"#.utf8))
    let several = await #expect(throws: ImportError.self) {
      try await stack.importJSON(Song.self, from: [source, source], mapping: placed)
    }
    #expect(several?.code == .invalidMapping)
    let server = TestServer { _, _ in .init(body: #"[{"title": "a"}]"#) }
    var feed = Feed("songs", Song.self, from: try server.request("songs"), mapping: placed)
    feed.paging = .linkHeader
    let refresher = Refresher(stack, transport: .urlSession(server.configuration), retries: .never)
    let paged = await #expect(throws: ImportError.self) { try await refresher.refresh(feed) }
    #expect(paged?.code == .invalidMapping)
    #expect(server.requests.isEmpty)
    #expect(try await songs().isEmpty)
    feed.paging = .one
    try await refresher.refresh(feed)
    try await stack.importJSON(Song.self, from: [source], mapping: placed)
    #expect(try await songs().map(\.title) == ["a", "b"])
  }

  /// Each row has its own defaults, such as its own token.
  @Test func `each imported row has defaults of its own, as each new entity has`() async throws {
    let stack = try await Stack.temporary(Ticket.self, Artist.self)
    let mapping = JSONMapping<Ticket> {
      Field(\.id, "id")
      Field(\.name, "name")
      Field(\.secret, "secret")
    }
    let json = #"[{"id": 1, "name": "a"}, {"id": 2, "secret": 5}, {"id": 3}]"#
    let nested = #"[{"id": 9, "tickets": \#(json.replacing(": 1,", with: ": 4,"))}]"#
    try await stack.importJSON(Ticket.self, from: .data(Data(json.utf8)), mapping: mapping)
    try await stack.importJSON(
      Artist.self, from: .data(Data(nested.utf8)),
      mapping: JSONMapping {
        Field(\.id, "id")
        NestedArray("tickets", mapping, \.artistID)
      })
    let tickets = try await stack.fetch(Ticket.all)
    #expect(tickets.map(\.id) == [1, 2, 3, 4])
    #expect(Set(tickets.map(\.token)).count == 4)
    #expect(tickets.map(\.name) == ["a", "new", "new", "a"])
    #expect(tickets[1].secret == 5 && Set(tickets.map(\.secret)).count == 4)
    // The defaults of a row come from one new entity, not from one entity for each attribute.
    #expect(tickets.allSatisfy { $0.name == "a" || $0.copy == $0.token })
    let again = try await stack.importJSON(
      Ticket.self, from: .data(Data(json.utf8)), mapping: mapping)
    #expect(again.unchanged == 3)
    await stack.close()
  }
}

private struct Ticket: Entity, Equatable {
  var id = 0
  var name = "new"
  var token = UUID()
  var copy = UUID()
  var secret = Int.random(in: 1_000...Int.max)
  var artistID: Int?

  init() { copy = token }

  static let schema = Schema<Ticket>("tickets", key: \.id) {
    Attribute(\.name)
    Attribute(\.token)
    Attribute(\.copy)
    Attribute(\.secret)
    toOne(\.artistID, Artist.self, onDelete: .nullify)
  }
}
