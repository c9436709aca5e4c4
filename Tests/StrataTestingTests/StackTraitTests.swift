import Foundation
import Strata
import StrataImport
import StrataTesting
import StrataTestTurns
import Testing

extension Fixture {
  fileprivate static let artists = Fixture(Artist.self, #"[{"id": 7, "name": "Miles Davis"}]"#)
  fileprivate static let songs = Fixture(
    Song.self, #"[{"id": 1, "title": "So What", "artistID": 7}, {"id": 2, "title": "Freddie"}]"#)
}

@Suite(.inTurn, .stack(Song.self, Artist.self, loading: .artists, .songs))
struct StackTraitTests {
  let stack = Stack.test

  /// The cases run at the same time. Each case adds a song with the same key, and finds only its
  /// own song.
  @Test(arguments: 0..<20) func `every case has a store of its own`(number: Int) async throws {
    try await stack.withScratch { $0.insert(Song(id: 3, title: "\(number)")) }
    await Task.yield()
    let titles = try await stack.fetch(Song.sorted(by: \.id)).map(\.title)
    #expect(titles == ["So What", "Freddie", "\(number)"])
  }

  @Test func `fixtures are there when the test begins, in the view too`() async throws {
    let song = try #require(try await stack.viewContext.find(Song.self, 1))
    #expect(try await stack.viewContext.fetch(Song.artist, of: song)?.name == "Miles Davis")
    #expect(Stack.test === stack)
  }

  @Test func `a task of the test has its stack`() async throws {
    let stack = stack
    let isSame = await Task { Stack.test === stack }.value
    #expect(isSame)
  }

  private struct Broken: Error {}

  @Test func `files are removed, however the test ends`() async throws {
    var folders: [String] = []
    try await withTemporaryStack(Song.self, Artist.self) {
      folders.append(try await folder(of: $0))
    }
    await #expect(throws: Broken.self) {
      try await withTemporaryStack(Song.self, Artist.self) {
        folders.append(try await folder(of: $0))
        throw Broken()
      }
    }
    #expect(folders.count == 2)
    for folder in folders { #expect(!FileManager.default.fileExists(atPath: folder)) }
  }

  /// Returns the folder with the files of a temporary stack.
  private func folder(of stack: Stack) async throws -> String {
    let file = try await stack.diagnostics().file.path
    #expect(FileManager.default.fileExists(atPath: file))
    return URL(fileURLWithPath: file).deletingLastPathComponent().path
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
