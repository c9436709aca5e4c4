import Foundation
import Strata
import StrataImport
import StrataTesting
import Testing

extension Fixture {
  fileprivate static let artists = Fixture(Artist.self, #"[{"id": 7, "name": "Miles Davis"}]"#)
  fileprivate static let songs = Fixture(
    Song.self, #"[{"id": 1, "title": "So What", "artistID": 7}, {"id": 2, "title": "Freddie"}]"#)
}

@Suite(.stack(Song.self, Artist.self, loading: .artists, .songs), .timeLimit(.minutes(10)))
struct StackTraitTests {
  let stack = Stack.test

  /// Each case adds a song of the same key, and finds its own alone: they run at the same time.
  @Test(arguments: 0..<20) func `every case has a store of its own`(number: Int) async throws {
    try await stack.withScratch { $0.insert(Song(id: 3, title: "\(number)")) }
    await Task.yield()
    let titles = try await stack.fetch(Song.sorted(by: \.id)).map(\.title)
    #expect(titles == ["So What", "Freddie", "\(number)"])
  }

  @Test func `fixtures are there when the test begins, in the view too`() async throws {
    let song = try #require(try await stack.view.find(Song.self, 1))
    #expect(try await stack.view.fetch(Song.artist, of: song)?.name == "Miles Davis")
    #expect(Stack.test === stack)
  }

  @Test func `a task of the test has its stack`() async throws {
    let stack = stack
    let isSame = await Task { Stack.test === stack }.value
    #expect(isSame)
  }

  private struct Broken: Error {}

  @Test func `files are removed, however the test ends`() async throws {
    let before = try folders()
    var during: Set<String> = []
    try await withTemporaryStack(Song.self, Artist.self) { _ in during = try folders() }
    await #expect(throws: Broken.self) {
      try await withTemporaryStack(Song.self, Artist.self) { _ in
        during.formUnion(try folders())
        throw Broken()
      }
    }
    let new = during.subtracting(before)
    #expect(new.count >= 2)
    // Those of other tests go, too; one that is left by this test stays.
    for folder in new {
      let path = FileManager.default.temporaryDirectory.appendingPathComponent(folder).path
      for _ in 0..<3_000_000 where FileManager.default.fileExists(atPath: path) {
        await Task.yield()
      }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  private func folders() throws -> Set<String> {
    let temporary = FileManager.default.temporaryDirectory.path
    return Set(try FileManager.default.contentsOfDirectory(atPath: temporary))
      .filter { $0.hasPrefix("strata-") }
  }

  @Test func `a fixture that does not fit says where`() async throws {
    let wrong = Fixture(Song.self, #"[{"id": 3, "title": 4}]"#)
    let error = await #expect(throws: ImportError.self) { try await stack.load(wrong) }
    #expect(error?.path == "title" && error?.line == 1)
  }

  @Test func `a fixture has several entities, or is a file`() async throws {
    let library = JSONDocument {
      JSONRecords(Artist.self, at: "artists")
      JSONRecords(Song.self, at: "songs")
    }
    let json = """
      {"artists": [{"id": 8, "name": "Bill Evans"}],
       "songs": [{"id": 4, "title": "Peace Piece", "artistID": 8}]}
      """
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("fixture-\(UUID().uuidString).json")
    try Data(json.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try await stack.load(Fixture(library, json), Fixture(library, contentsOf: file))
    #expect(try await stack.fetch(Song.where { $0.artist.name == "Bill Evans" }).count == 1)
  }
}
