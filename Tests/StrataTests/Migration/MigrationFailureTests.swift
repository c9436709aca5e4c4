import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

private enum V1 {
  struct Song: Entity, Equatable {
    var id: Int64 = 0
    var title = ""
    var year = 0
    var albumID: Int64 = 0
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title).indexed()
      Attribute(\.year)
      Attribute(\.albumID)
    }
  }
  struct Other: Entity {
    var id: Int64 = 0
    static let schema = Schema<Other>("others", key: \.id) {}
  }
}

private enum V2 {
  struct Song: Entity {
    var id: Int64 = 0
    var name = ""
    var year = ""
    var albumID: Int64 = 0
    static let schema = Schema<Song>("tunes", formerly: ["songs"], key: \.id) {
      Attribute(\.name).formerly("title").indexed()
      Attribute(\.year).converted(from: Int.self) {
        if $0 == 1998 { throw Nonsense() }
        return "\($0)"
      }
      Attribute(\.albumID)
    }
  }
  struct Unique: Entity {
    var id: Int64 = 0
    var title = ""
    var year = ""
    var albumID: Int64 = 0
    static let schema = Schema<Unique>("songs", key: \.id) {
      Attribute(\.title).unique()
      Attribute(\.year).converted(from: Int.self) { "\($0)" }
      Attribute(\.albumID)
    }
  }
  struct Referring: Entity {
    var id: Int64 = 0
    var title = ""
    var year = 0
    var albumID: Int64 = 0
    static let schema = Schema<Referring>("songs", key: \.id) {
      Attribute(\.title).indexed()
      Attribute(\.year)
      toOne(\.albumID, Album.self, onDelete: .deny)
    }
  }
  struct Album: Entity {
    var id: Int64 = 0
    static let schema = Schema<Album>("albums", key: \.id) {}
  }
}

/// Migrations that fail, in every phase.
///
/// The file keeps its bytes, and the old program still opens it.
@Suite(.inTurn) struct MigrationFailureTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  enum Phase: CaseIterable, Sendable { case step, copying, indexing, checking, declaring }

  @Test(arguments: Phase.allCases)
  func `a migration that fails leaves the file to the old program`(phase: Phase) async throws {
    let songs = (0..<2000).map { V1.Song(id: Int64($0), title: "t\($0 % 1999)", year: $0) }
    try await file.open(V1.Song.self, V1.Other.self) { stack in
      try await stack.withScratch { scratch in for song in songs { scratch.insert(song) } }
    }
    let bytes = try file.bytes
    let fill = MigrationStep(to: 2) { migration in
      try migration.removeTable("others")
      for row in try migration.rows(of: "songs") {
        if phase == .step && row.key == RecordKey(.integer(1500)) { throw Nonsense() }
        try migration.update(row.key, of: "songs", ["albumID": .integer(77)])
      }
    }
    let types: [any Entity.Type] =
      switch phase {
      case .step, .copying: [V2.Song.self, V2.Album.self]
      case .indexing: [V2.Unique.self, V2.Album.self]
      case .checking: [V2.Referring.self, V2.Album.self]
      case .declaring: [V2.Album.self]
      }
    var options = Stack.Options()
    options.schemaVersion = 2
    options.migrations = [fill]
    let error = await failure {
      _ = try await Stack.open(types, at: file.url, options: options)
    }
    let codes: [Phase: StoreError.Code] = [
      .step: .migrationFailed, .copying: .migrationFailed, .indexing: .uniquenessViolated,
      .checking: .missingReference, .declaring: .schemaMismatch,
    ]
    #expect(error?.code == codes[phase], "\(String(describing: error))")
    #expect(error?.message.contains(file.path) == true)
    #expect(try file.bytes == bytes)
    try await file.open(V1.Song.self, V1.Other.self) { stack in
      #expect(stack.migration.isEmpty)
      #expect(try await stack.fetch(V1.Song.all) == songs)
      try await stack.withScratch { $0.insert(V1.Song(id: -1)) }
    }
  }

  @Test func `another process that holds the lock is waited for, then told`() async throws {
    try await file.make([V1.Song(id: 1)])
    let connection = try Connection(path: file.path, .readWrite)
    try connection.execute("BEGIN IMMEDIATE")
    let error = await file.migrate(V1.Song.self, version: 2) { $0.busyTimeout = .milliseconds(20) }
      .error
    #expect(error?.code == .busy)
    try connection.execute("COMMIT")
    #expect(await file.migrate(V1.Song.self, version: 2).actions == [.record(version: 2)])
  }

  @Test func `a reader of another process does not stop a migration and keeps its view`()
    async throws
  {
    try await file.make([V1.Song(id: 1, title: "x", year: 3)])
    let reader = try Connection(path: file.path)
    try reader.execute("BEGIN")
    #expect(try reader.text("SELECT title FROM songs") == "x")
    #expect(await file.migrate(V2.Song.self).error == nil)
    #expect(try reader.text("SELECT title FROM songs") == "x")
    try reader.execute("COMMIT")
    #expect(try reader.text("SELECT name FROM tunes") == "x")
  }

  @Test func `two programs that open an old store at once migrate it once`() async throws {
    try await file.make((0..<500).map { V1.Song(id: $0, title: "t", year: 3) })
    let commit = try file.commit ?? 0
    let file = file
    let plans = await withTaskGroup(of: Result<MigrationPlan, StoreError>.self) { group in
      for _ in 0..<4 { group.addTask { await file.migrate(V2.Song.self) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(plans.allSatisfy { $0.error == nil })
    #expect(plans.count { $0.actions != [] } == 1)
    #expect(try file.commit == commit + 1)
  }
}
