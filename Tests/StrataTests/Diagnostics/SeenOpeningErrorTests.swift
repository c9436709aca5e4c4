import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

internal import Foundation

private struct Artist: Entity {
  var id = 0
  static let schema = Schema<Artist>("artists", key: \.id) {}
}

/// The store's first version, and what a program may have in its place.
private enum V1 {
  struct Song: Entity {
    var id = 0
    var title = ""
    var bpm = ""
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title)
      Attribute(\.bpm)
    }
  }
}

private enum Shorter {
  struct Song: Entity {
    var id = 0
    var bpm = ""
    static let schema = Schema<Song>("songs", key: \.id) { Attribute(\.bpm) }
  }
}

private enum Other {
  struct Song: Entity {
    var id = 0
    var name = ""
    var bpm = 0
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.name)
      Attribute(\.bpm)
    }
  }
}

private enum Converted {
  struct Song: Entity {
    var id = 0
    var title = ""
    var bpm = 0
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title)
      Attribute(\.bpm).converted(from: String.self) {
        guard let bpm = Int($0) else { throw ValueError("it is no number") }
        return bpm
      }
    }
  }
}

private enum Distinct {
  struct Song: Entity {
    var id = 0
    var title = ""
    var bpm = ""
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title).unique()
      Attribute(\.bpm)
    }
  }
}

private enum Unlisted {
  struct Song: Entity {
    var id = 0
    var title = ""
    var notes = ""
    static let schema = Schema<Song>("songs", key: \.id) { Attribute(\.title) }
  }
}

private enum Referring {
  struct Song: Entity {
    var id = 0
    var artistID: Artist.ID?
    static let schema = Schema<Song>("songs", key: \.id) { toOne(\.artistID, Artist.self) }
  }
}

/// A file of a store, what is done to it, and the error of opening it.
///
/// The tests may run as root, for whom no permission is missing. So a folder of the system, in which
/// no file can be made, stands for one that may not be written.
@Suite(.inTurn) struct SeenOpeningErrorTests {
  typealias Provoke = @Sendable (StoreFile) async throws -> Void

  static let provocations: [(situation: String, provoke: Provoke)] = [
    ("the folder is missing", { try await open($0.folder + "/missing/store.sqlite") }),
    ("the folder may not be written", { _ in try await open(unwritable + "/store.sqlite") }),
    ("a folder is in the place of the file", { try await open($0.folder) }),
    (
      "a file is in the place of the folder",
      { file in
        try Data().write(to: file.url)
        try await open(file.path + "/store.sqlite")
      }
    ),
    (
      "the URL is not of a file",
      { _ in
        let url = try #require(URL(string: "https://example.com/store.sqlite"))
        await (try Stack.open(V1.Song.self, at: url)).close()
      }
    ),
    (
      "the file is no store",
      { file in
        try Data(String(repeating: "Dear Miles, ", count: 500).utf8).write(to: file.url)
        try await open(file.path)
      }
    ),
    (
      "the file is of another program",
      { file in
        try file.execute("CREATE TABLE songs (id INTEGER PRIMARY KEY)")
        try await open(file.path)
      }
    ),
    (
      "the file is damaged",
      { file in
        try await file.make(
          (1...500).map { V1.Song(id: $0, title: String(repeating: "a", count: 90)) })
        var bytes = try file.bytes
        // The header and the schema stay sound.
        for index in bytes.indices.dropFirst(2 * 4096) { bytes[index] = 0x5A }
        try bytes.write(to: file.url)
        try await file.open(V1.Song.self) { _ = try await $0.fetch(V1.Song.all) }
      }
    ),
    (
      "another program keeps the file locked",
      { file in
        try await file.make([V1.Song(id: 1)])
        let other = try Connection(path: file.path, .readWrite)
        try other.execute("PRAGMA locking_mode = EXCLUSIVE")
        try other.execute("UPDATE songs SET title = 'theirs'")
        defer { withExtendedLifetime(other) {} }
        try await open(file.path)
      }
    ),
    (
      "a newer version of the app wrote the store",
      { file in
        try await file.make([V1.Song(id: 1)], version: 3)
        try await open(file.path, version: 2)
      }
    ),
    (
      "a table was altered outside",
      { file in
        try await file.make([V1.Song(id: 1)])
        try file.execute("ALTER TABLE songs ADD COLUMN mood TEXT")
        try await open(file.path)
      }
    ),
    (
      "the schema lacks a column of the store",
      { file in
        try await file.make([V1.Song(id: 1)])
        try await open(file.path, Shorter.Song.self)
      }
    ),
    (
      "a conversion refuses an old value",
      { file in
        try await file.make([V1.Song(id: 1, bpm: "fast")])
        try await open(file.path, Converted.Song.self)
      }
    ),
    (
      "old rows break a new rule",
      { file in
        try await file.make([V1.Song(id: 1, title: "a"), V1.Song(id: 2, title: "a")])
        try await open(file.path, Distinct.Song.self)
      }
    ),
    ("a property is not in the schema", { try await open($0.path, Unlisted.Song.self) }),
    (
      "a store that is only read is missing",
      { try await open($0.path, access: .readOnly) }
    ),
    (
      "a store that is only read has another schema",
      { file in
        try await file.make([V1.Song(id: 1)])
        try await open(file.path, Converted.Song.self, access: .readOnly)
      }
    ),
    ("a related entity is not listed", { try await open($0.path, Referring.Song.self) }),
  ]

  #if os(Linux)
    private static let unwritable = "/proc"
  #else
    private static let unwritable = "/System"
  #endif

  private static func open(
    _ path: String, _ entities: any Entity.Type..., version: Int = 1,
    access: Stack.Access = .readWrite
  ) async throws {
    var options = Stack.Options()
    options.access = access
    options.schemaVersion = version
    options.busyTimeout = .milliseconds(1)
    let stack = try await Stack.open(
      entities.isEmpty ? [V1.Song.self] : entities, at: URL(filePath: path), options: options)
    await stack.close()
  }

  private let file: StoreFile
  private let seen: SeenErrors

  init() throws {
    file = try StoreFile()
    seen = try SeenErrors(under: "Opening a store")
  }

  @Test(arguments: provocations.indices)
  func `a store that cannot be opened is told as the article says`(_ index: Int) async {
    let (situation, provoke) = Self.provocations[index]
    await seen.check(situation, naming: [(file.folder, "/app"), (Self.unwritable, "/app")]) {
      try await provoke(file)
    }
  }

  @Test func `the article has the errors of opening that are provoked`() {
    seen.check(provoked: Self.provocations.map(\.situation))
  }

  @Test func `several differences are lines with their remedies`() async throws {
    try await file.open(V1.Song.self, Artist.self) { _ in }
    await seen.checkBlock(naming: [(file.folder, "/app")]) {
      try await Self.open(file.path, Other.Song.self)
    }
  }
}
