import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Artist: Entity, Equatable {
  var id = 0
  var name = ""

  static let schema = Schema<Artist>("artists", key: \.id) { Attribute(\.name) }
}

private struct Song: Entity, Equatable {
  var id = 0
  var title = ""
  var artistID: Int?

  static let artist = toOne(\.artistID, Artist.self, onDelete: .nullify)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    artist
  }
}

@Suite(.inTurn, .stack(Artist.self, Song.self)) struct JSONDocumentTests {
  let stack = Stack.test

  private static let catalogue = JSONDocument {
    JSONRecords(Song.self, at: "data.songs")
    JSONRecords(Artist.self, at: "data.artists")
  }

  private func importing(
    _ document: JSONDocument, _ json: String, chunk: Int = .max,
    absent: AbsentRows = .keep
  ) async throws -> ImportResult {
    let text = Data(json.utf8)
    let pieces = AsyncStream<Data> { continuation in
      for start in stride(from: 0, to: text.count, by: min(chunk, text.count)) {
        continuation.yield(text.dropFirst(start).prefix(chunk))
      }
      continuation.finish()
    }
    return try await stack.importJSON(document, from: .chunks(pieces), absent: absent)
  }

  private func songs() async throws -> [Song] { try await stack.fetch(Song.all) }
  private func artists() async throws -> [Artist] { try await stack.fetch(Artist.all) }

  private func failure(_ document: JSONDocument, _ json: String) async -> ImportError? {
    do {
      _ = try await importing(document, json)
      return nil
    } catch {
      return error as? ImportError
    }
  }

  @Test(arguments: [1, 5, 64, Int.max])
  func `arrays of several entities are read in any order`(chunk: Int) async throws {
    let result = try await importing(
      Self.catalogue,
      #"""
      {"meta": {"data": {"songs": [{"id": 99}]}},
       "data": {"x": [1], "songs": [{"id": 1, "title": "A", "artist_id": 5}],
                "artists": [{"id": 5, "name": "Miles"}, {"id": 6}], "more": null},
       "data": {"songs": [{"id": 2, "title": "B"}]}, "artists": [{"id": 98}]}
      """#, chunk: chunk)
    #expect(result.records == 4 && result.inserted == 4)
    let expected = [Song(id: 1, title: "A", artistID: 5), Song(id: 2, title: "B")]
    #expect(try await songs() == expected)
    #expect(try await artists() == [Artist(id: 5, name: "Miles"), Artist(id: 6)])
  }

  @Test func `a record may be in the place of an array, or null`() async throws {
    _ = try await importing(
      Self.catalogue, #"{"data": {"songs": {"id": 1, "title": "A"}, "artists": null}}"#, chunk: 3)
    #expect(try await songs() == [Song(id: 1, title: "A")])
    let lone = JSONDocument { JSONRecords(Song.self, at: "") }
    _ = try await importing(lone, #"{"id": 2}"#)
    _ = try await importing(lone, #"[{"id": 3}, {"id": 4}]"#)
    #expect(try await songs().map(\.id) == [1, 2, 3, 4])
  }

  @Test func `paths that are not there have no records, but one has to be there`() async throws {
    _ = try await importing(Self.catalogue, #"{"data": {"artists": [{"id": 1}]}}"#)
    #expect(try await artists().count == 1)
    #expect(await failure(Self.catalogue, #"{"data": {"x": []}}"#)?.code == .missingArray)
    #expect(
      await failure(Self.catalogue, #"{"data": {"songs": [{"id": 1}], "artists": 5}}"#) != nil)
  }

  @Test func `a full sync of a document deletes what none of its arrays has`() async throws {
    _ = try await importing(
      Self.catalogue,
      #"{"data": {"songs": [{"id": 1}, {"id": 2}], "artists": [{"id": 1}, {"id": 2}]}}"#)
    let result = try await importing(
      Self.catalogue, #"{"data": {"artists": [{"id": 2}], "songs": [{"id": 2}]}}"#, absent: .delete)
    #expect(result.deleted == 2)
    #expect(try await songs().map(\.id) == [2])
    #expect(try await artists().map(\.id) == [2])
  }

  // MARK: Discriminators

  @Test func `records of one array are told apart by a member`() async throws {
    let feed = JSONDocument {
      JSONRecords(Song.self, at: "items").when("kind.name", is: "song")
      JSONRecords(Artist.self, at: "items").when("kind.name", is: "art\"ist")
    }
    let result = try await importing(
      feed,
      #"""
      {"items": [{"id": 1, "title": "A", "kind": {"name": "song"}}, {"kind": {"name": "x"}, "id": []},
                 {"kind": {"name": "art\"ist"}, "id": 7, "name": "M"}, {"id": 8}]}
      """#, chunk: 7)
    #expect(result.records == 4 && result.inserted == 2)
    #expect(try await songs() == [Song(id: 1, title: "A")])
    #expect(try await artists() == [Artist(id: 7, name: "M")])
    let error = await failure(feed, #"{"items": [{"kind": {"name": "song"}, "id": "x"}]}"#)
    #expect(error?.code == .invalidValue && error?.path == "id")
  }

  @Test func `JSON API is read whatever the order of data and included`() async throws {
    let artist = JSONMapping<Artist> {
      Field(\.id, "id").allowingNumberInString()
      Field(\.name, "attributes.name")
    }
    let song = JSONMapping<Song> {
      Field(\.id, "id").allowingNumberInString()
      Field(\.title, "attributes.title")
      Field(\.artistID, "relationships.artist.data.id").allowingNumberInString()
    }
    let document = JSONDocument {
      JSONRecords.resources("songs", song)
      JSONRecords.resources("artists", artist)
    }
    let data =
      #""data":[{"type":"songs","id":"1","attributes":{"title":"A"},"relationships":{"artist":{"links":{},"data":{"type":"artists","id":"5"}}}}]"#
    let included =
      #""included":[{"type":"artists","id":"5","attributes":{"name":"Miles"}},{"type":"labels","id":"x"}]"#
    for json in ["{\(data),\(included),\"links\":{}}", "{\"meta\":{},\(included),\(data)}"] {
      _ = try await importing(document, json)
      #expect(try await songs() == [Song(id: 1, title: "A", artistID: 5)])
      #expect(try await artists() == [Artist(id: 5, name: "Miles")])
    }
    _ = try await importing(document, #"{"data":{"type":"artists","id":"6"}}"#)
    #expect(try await artists().count == 2)
  }

  // MARK: Descriptions

  @Test func `a document that cannot be read is refused before anything is`() async {
    let nested = JSONDocument {
      JSONRecords(Song.self, at: "a.b")
      JSONRecords(Artist.self, at: "a")
    }
    let twice = JSONDocument {
      JSONRecords(Song.self, at: "a")
      JSONRecords(Artist.self, at: "a")
    }
    let keys = JSONDocument {
      JSONRecords(Song.self, at: "a").when("x", is: "1")
      JSONRecords(Artist.self, at: "a").when("y", is: "1")
    }
    let values = JSONDocument {
      JSONRecords(Song.self, at: "a").when("x", is: "1")
      JSONRecords(Artist.self, at: "a").when("x", is: "1")
    }
    for document in [nested, twice, keys, values, JSONDocument {}] {
      #expect(await failure(document, "not read")?.code == .invalidMapping)
    }
  }

  @Test func `a document cut anywhere is an error`() async throws {
    let json = #"{"a":1,"data":{"songs":[{"id":1}],"artists":{"id":2}}}"#
    for count in 1..<json.utf8.count {
      let cut = String(decoding: json.utf8.prefix(count), as: UTF8.self)
      #expect(await failure(Self.catalogue, cut)?.code == .syntax, "cut at \(count)")
    }
  }
}
