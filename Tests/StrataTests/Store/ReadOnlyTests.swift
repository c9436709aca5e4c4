import Foundation
import StrataFaults
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

private enum Newer {
  /// The boat of a newer version of the app, with an attribute more.
  struct Boat: Entity {
    var id = 0
    var name = ""
    var length = 0
    var speed: Int?
    var colour = "red"
    var harbourID: Harbour.ID?
    static let harbour = toOne(\.harbourID, Harbour.self, onDelete: .nullify)
    static let schema = Schema<Boat>("boats", key: \.id) {
      Attribute(\.name)
      Attribute(\.length).indexed()
      Attribute(\.speed)
      Attribute(\.colour)
      harbour
    }
  }

  struct Crew: Entity {
    var id = 0
    static let schema = Schema<Crew>("crews", key: \.id) {}
  }
}

private enum Other {
  /// A boat whose attributes have other types.
  struct Boat: Entity {
    var id = 0
    var name: String?
    var length = ""
    var speed: Int?
    var harbourID: Harbour.ID?
    static let harbour = toOne(\.harbourID, Harbour.self, onDelete: .nullify)
    static let schema = Schema<Boat>("boats", key: \.id) {
      Attribute(\.name).fullText()
      Attribute(\.length)
      Attribute(\.speed)
      harbour
    }
  }
}

/// Stacks that only read a store, as a widget does beside the app.
@Suite(.inTurn) struct ReadOnlyTests {
  private let folder: StoreFolder
  private let files = FileManager.default
  init() throws { folder = try StoreFolder() }

  private var options: Stack.Options {
    var options = Stack.Options()
    options.access = .readOnly
    options.busyTimeout = .milliseconds(1)
    return options
  }

  private var recording: Stack.Options {
    var options = Stack.Options()
    options.history = .keep(for: .seconds(1000))
    return options
  }

  private func fill(_ stack: Stack, _ name: String, _ ids: Range<Int>) async throws {
    try await stack.withScratch { scratch in
      for id in ids { scratch.upsert(Boat(id: id, name: "\(name) \(id)")) }
    }
  }

  private func bytes(_ suffix: String = "") -> Data? {
    files.contents(atPath: folder.path + suffix)
  }

  // MARK: - Reading

  @Test @MainActor func `a stack that only reads follows the commits of the app`() async throws {
    let app = try await folder.stack(recording)
    try await fill(app, "first", 0..<3)
    let widget = try await folder.stack(options)
    let live = try await widget.viewContext.loaded(Boat.sorted(by: \.id))
    var changes = widget.changes.makeAsyncIterator()
    #expect(live.elements.map(\.name) == ["first 0", "first 1", "first 2"])
    let commit = try await app.commit { $0.upsert(Boat(id: 1, name: "second")) }
    try await widget.viewContext.waitUntilMerged(commit)
    #expect(live.elements.map(\.name) == ["first 0", "second", "first 2"])
    let set = await changes.next()
    #expect(set?.commit == commit && set?.changes(of: Boat.self).updated.map(\.after.id) == [1])
    // The app closes the store and opens it again.
    await app.close()
    #expect(try await widget.fetch(Boat.all).count == 3)
    let again = try await folder.stack(recording)
    let last = try await again.commit { $0.insert(Boat(id: 9)) }
    try await widget.viewContext.waitUntilMerged(last)
    #expect(live.elements.map(\.id) == [0, 1, 2, 9])
    await widget.close()
    await again.close()
    #expect(try folder.names == ["store.sqlite"])
  }

  @Test @MainActor func `every write is refused, and edits stay`() async throws {
    let app = try await folder.stack()
    try await fill(app, "first", 0..<2)
    await app.close()
    let stack = try await folder.stack(options)
    let view = stack.viewContext
    let boats = try await view.fetch(Boat.all)
    view.update(boats[0]) { $0.name = "edit" }
    let live = try await view.loaded(Boat.all)
    #expect(live.elements.map(\.name) == ["edit", "first 1"])
    let error = await failure { try await view.save() }
    #expect(error?.code == .readOnly && error?.advice.contains("access") == true)
    #expect(view.hasChanges && live.elements.map(\.name) == ["edit", "first 1"])
    let scratch = stack.makeScratch()
    scratch.insert(Boat(id: 7))
    #expect(await failure { try await scratch.save() }?.code == .readOnly)
    #expect(scratch.hasChanges)
    let codes = [
      await failure { try await stack.delete(Boat.all) },
      await failure { try await stack.update(Boat.all, .set(\.name, to: "x")) },
      await failure { _ = try await stack.outbox() },
      await failure { try await stack.markFresh(Boat.all) },
      await failure { try await stack.compact() },
    ].map { $0?.code }
    #expect(codes == Array(repeating: .readOnly, count: codes.count))
    view.rollback()
    #expect(live.elements.map(\.name) == ["first 0", "first 1"])
    let copy = folder.url(of: "copy.store")
    try await stack.copy(to: copy)
    await stack.close()
    let opened = try await Stack.open(Boat.self, Harbour.self, at: copy)
    #expect(try await opened.fetch(Boat.all).count == 2)
    await opened.close()
  }

  enum State: CaseIterable, Sendable { case closed, killed, copied }

  @Test(arguments: State.allCases)
  func `a store that is only read stays as it is`(_ state: State) async throws {
    let app = try await folder.stack()
    try await fill(app, "first", 0..<3)
    switch state {
    case .closed: await app.close()
    case .killed: await app.endAsIfKilled()
    case .copied:
      let copy = folder.url(of: "copy.store")
      try await app.copy(to: copy)
      await app.close()
      #expect(rename(copy.path, folder.path) == 0)
    }
    let before = (bytes(), bytes("-wal"))
    #expect((before.1 != nil) == (state == .killed))
    let stack = try await folder.stack(options)
    #expect(try await stack.fetch(Boat.all).count == 3)
    if state == .copied {
      #expect(try folder.names == ["store.sqlite"])
      var writing = Stack.Options()
      writing.busyTimeout = .milliseconds(1)
      #expect(await failure { try await folder.stack(writing) }?.code == .busy)
    }
    await stack.suspend()
    try await stack.resume()
    #expect(try await stack.fetch(Boat.all).count == 3)
    await stack.close()
    #expect(bytes() == before.0 && bytes("-wal") == before.1)
    let names = try folder.names
    #expect(state == .killed || names == ["store.sqlite"])
    #expect(!files.fileExists(atPath: folder.path + "-notify"))
    // The app finds every commit.
    let again = try await folder.stack()
    #expect(try await again.fetch(Boat.all).count == 3)
    try await again.commit { $0.insert(Boat(id: 9)) }
    await again.close()
  }

  @Test func `a writer neither waits for a reading stack nor lets it wait`() async throws {
    let app = try await folder.stack()
    try await fill(app, "first", 0..<3)
    let other = try Connection(path: folder.path, .existing)
    try other.run("BEGIN IMMEDIATE; UPDATE boats SET length = 7")
    let stack = try await folder.stack(options)
    #expect(try await stack.fetch(Boat.all).map(\.length) == [0, 0, 0])
    try other.run("COMMIT")
    #expect(try await stack.fetch(Boat.all).map(\.length) == [7, 7, 7])
    await stack.close()
    await app.close()
  }

  @Test @MainActor func `a suspended stack that only reads is told what was committed meanwhile`()
    async throws
  {
    let app = try await folder.stack(recording)
    try await fill(app, "first", 0..<3)
    let stack = try await folder.stack(options)
    let live = try await stack.viewContext.loaded(Boat.sorted(by: \.id))
    var updates = live.updates.makeAsyncIterator()
    await stack.suspend()
    try await stack.resume()
    await stack.suspend()
    try await app.commit { $0.insert(Boat(id: 9)) }
    try await stack.resume()
    #expect(live.elements.map(\.id) == [0, 1, 2, 9])
    let update = await updates.next()
    #expect(update?.insertions == [3] && update?.isReset == false)
    await app.close()
    await stack.close()
  }

  // MARK: - Files

  enum Obstacle: CaseIterable, Sendable {
    case missing, empty, otherProgram, newerFormat, journal, otherLog, noLog
  }

  @Test(arguments: Obstacle.allCases)
  func `a file that cannot be read as it is is an error, and stays`(
    _ obstacle: Obstacle
  ) async throws {
    let plan = FaultPlan()
    ObservedFileSystem.observe(folder.path, with: plan)
    defer { ObservedFileSystem.endObserving(folder.path, with: plan) }
    let app = try await folder.stack()
    try await fill(app, "first", 0..<3)
    let log = try #require(bytes("-wal"))
    let copy = folder.url(of: "copy.store")
    try await app.copy(to: copy)
    await app.close()
    let code: StoreError.Code
    switch obstacle {
    case .missing:
      try files.removeItem(at: folder.url)
      code = .cannotOpen
    case .empty:
      try Data().write(to: folder.url)
      code = .cannotOpen
    case .otherProgram:
      try files.removeItem(at: folder.url)
      try Connection(path: folder.path, .readWrite).run("CREATE TABLE t (a)")
      code = .notADatabase
    case .newerFormat:
      try Connection(path: folder.path, .readWrite).run(
        "PRAGMA user_version = \(StoreFormat.version + 1)")
      code = .newerStore
    case .journal:
      #expect(rename(copy.path, folder.path) == 0)
      try leaveJournal()
      code = .cannotOpen
    case .otherLog:
      #expect(rename(copy.path, folder.path) == 0)
      try log.write(to: folder.url(of: "store.sqlite-wal"))
      code = .replaced
    case .noLog:
      // The first file is the store, and the next one is the log.
      plan.arm(FaultPlan.Fault(.open, number: 2, length: 1000, code: 14))
      code = .cannotOpen
    }
    let names = try folder.names
    let before = (bytes(), bytes("-wal"))
    let error = await failure { try await folder.stack(options) }
    #expect(error?.code == code, "\(String(describing: error))")
    #expect(error?.message.contains(folder.path) == true)
    #expect(try folder.names == names)
    #expect(bytes() == before.0 && bytes("-wal") == before.1)
    if obstacle == .noLog {
      // The advice: a copy needs no log.
      let url = folder.url(of: "copy.store")
      for name in [url.path + "-", folder.path] { ObservedFileSystem.observe(name, with: plan) }
      defer { ObservedFileSystem.endObserving(url.path + "-", with: plan) }
      let stack = try await Stack.open(Boat.self, Harbour.self, at: url, options: options)
      #expect(try await stack.fetch(Boat.all).count == 3)
      await stack.close()
    }
  }

  /// Leaves a transaction that is half written, as a killed process does.
  private func leaveJournal() throws {
    var connection: Connection? = try Connection(
      path: folder.path, access: .alone, busyTimeout: .zero)
    try connection?.run("BEGIN; UPDATE boats SET length = 1")
    try connection?.writePages()
    let (half, journal) = (bytes(), bytes("-journal"))
    try connection?.run("ROLLBACK")
    connection = nil
    try half?.write(to: folder.url)
    try journal?.write(to: folder.url(of: "store.sqlite-journal"))
  }

  // MARK: - Schemas

  @Test @MainActor func `a store of a newer schema that has all attributes is read`() async throws {
    var newer = recording
    newer.schemaVersion = 2
    let entities: [any Entity.Type] = [Newer.Boat.self, Newer.Crew.self, Harbour.self]
    let app = try await Stack.open(entities, at: folder.url, options: newer)
    try await app.withScratch { $0.insert(Newer.Boat(id: 1, name: "new")) }
    let stack = try await folder.stack(options)
    #expect(stack.migration.isEmpty && stack.migration.storedVersion == 2)
    let live = try await stack.viewContext.loaded(Boat.sorted(by: \.id))
    #expect(Array(live.elements) == [Boat(id: 1, name: "new")])
    let commit = try await app.commit { $0.insert(Newer.Boat(id: 2, name: "newer")) }
    try await stack.viewContext.waitUntilMerged(commit)
    #expect(Array(live.elements) == [Boat(id: 1, name: "new"), Boat(id: 2, name: "newer")])
    await stack.close()
    await app.close()
  }

  @Test func `a store that lacks what is read is an error with all of it`() async throws {
    let app = try await folder.stack()
    try await fill(app, "first", 0..<1)
    await app.close()
    let before = bytes()
    let older = await failure {
      try await Stack.open(
        Newer.Boat.self, Newer.Crew.self, Harbour.self, at: folder.url, options: options)
    }
    #expect(older?.code == .schemaMismatch && older?.advice.contains("migrates") == true)
    for text in ["\"crews\"", "Boat.colour"] { #expect(older?.message.contains(text) == true) }
    let other = await failure {
      try await Stack.open(Other.Boat.self, Harbour.self, at: folder.url, options: options)
    }
    #expect(other?.code == .schemaMismatch)
    for text in ["Boat.length is Int", "full-text"] {
      #expect(other?.message.contains(text) == true, "\(String(describing: other))")
    }
    #expect(other?.message.contains("Boat.name") == false)
    var newest = Stack.Options()
    newest.schemaVersion = 7
    await (try await folder.stack(newest)).close()
    let newer = await failure {
      try await Stack.open(Other.Boat.self, Harbour.self, at: folder.url, options: options)
    }
    #expect(newer?.code == .newerStore)
    #expect(bytes() != before)
  }

  @Test func `a migration by the app ends the reading until the store is opened again`()
    async throws
  {
    await (try await folder.stack()).close()
    let stack = try await folder.stack(options)
    #expect(try await stack.fetch(Boat.all).isEmpty)
    let entities: [any Entity.Type] = [Newer.Boat.self, Newer.Crew.self, Harbour.self]
    let app = try await Stack.open(entities, at: folder.url)
    try await app.withScratch { $0.insert(Newer.Boat(id: 1, name: "new")) }
    #expect(await failure { try await stack.fetch(Boat.all) }?.code == .schemaChanged)
    await stack.close()
    let again = try await folder.stack(options)
    #expect(try await again.fetch(Boat.all) == [Boat(id: 1, name: "new")])
    await again.close()
    await app.close()
  }
}
