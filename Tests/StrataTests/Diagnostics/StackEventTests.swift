import StrataFaults
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

internal import Foundation

/// The events that a stack reports to its log.
@Suite(.inTurn) struct StackEventTests {
  /// A log that keeps its events.
  private final class Log: Sendable {
    private let seen = Lock<[StackEvent]>([])
    var events: [StackEvent] { seen.withLock(\.self) }
    var messages: [String] { events.map(\.message) }
    var options: Stack.Options {
      var options = Stack.Options()
      options.log = { event in self.seen.withLock { $0.append(event) } }
      // While other tests run, any commit may be slow.
      options.slowCommit = .seconds(3600)
      return options
    }
  }

  private let folder: StoreFolder
  private let log = Log()

  init() throws { folder = try StoreFolder() }

  @Test func `a life from opening to closing`() async throws {
    let stack = try await folder.stack(log.options)
    await stack.suspend()
    try await stack.resume()
    await stack.close()
    #expect(
      log.messages == ["opened the store", "suspended", "resumed", "closed the store"])
    #expect(log.events.allSatisfy { $0.level == .debug })
    guard case .opened(commit: 0, let duration)? = log.events.first else {
      Issue.record("\(log.events)")
      return
    }
    #expect(duration > .zero)
  }

  @Test func `a migration is told once, with its plan`() async throws {
    struct Old: Entity {
      var id = 0
      static let schema = Schema<Old>("things", key: \.id) {}
    }
    struct New: Entity {
      var id = 0
      var name = ""
      static let schema = Schema<New>("things", key: \.id) { Attribute(\.name) }
    }
    await (try Stack.open(Old.self, at: folder.url, options: log.options)).close()
    var options = log.options
    options.schemaVersion = 2
    for _ in 1...2 { await (try Stack.open(New.self, at: folder.url, options: options)).close() }
    let migrations = log.events.filter { if case .migrated = $0 { true } else { false } }
    #expect(migrations.count == 1 && migrations[0].level == .info)
    #expect(migrations[0].metadata["from"] == "1" && migrations[0].metadata["to"] == "2")
    #expect("\(migrations[0])".contains("add column \"name\" to \"things\""))
  }

  @Test func `a commit is slow from what the options say`() async throws {
    var options = log.options
    options.slowCommit = .zero
    let stack = try await folder.stack(options)
    try await stack.commit { scratch in
      for id in 1...3 { scratch.insert(Boat(id: id)) }
    }
    await stack.close()
    let slow = log.events.filter { $0.message == "a commit was slow" }
    #expect(slow.map { $0.metadata["rows"] } == ["3"] && slow[0].metadata["commit"] == "1")
    let calm = Log()
    options = calm.options
    options.slowCommit = .seconds(1_000)
    let other = try await folder.stack(options)
    try await other.commit { $0.insert(Boat(id: 4)) }
    await other.close()
    #expect(!calm.messages.contains("a commit was slow"))
  }

  @Test func `a log that cannot be started again is told with who holds it`() async throws {
    var options = log.options
    options.logLimit = 64 * 1024
    let stack = try await folder.stack(options)
    let old = stack.makeScratch()
    old.name = "forgotten"
    _ = try await old.count(Boat.all)
    for round in 0..<40 {
      try await stack.commit { scratch in
        for id in 1...50 {
          let name = String(repeating: "x", count: 200)
          scratch.insert(Boat(id: round * 50 + id, name: name, length: id))
        }
      }
    }
    let kept = log.events.filter { $0.message.hasPrefix("the log grows") }
    #expect(!kept.isEmpty && kept.count < 10)
    guard case .logRetained(let bytes, let snapshots)? = kept.first else {
      Issue.record("\(log.events)")
      return
    }
    #expect(bytes > 2 * 64 * 1024 && kept[0].level == .warning)
    #expect(snapshots.flatMap(\.holders).contains { $0.name == "forgotten" })
    #expect(kept[0].metadata["holders"]?.contains("scratch context \"forgotten\"") == true)
    withExtendedLifetime(old) {}
    await stack.close()
  }

  @Test func `growth is told at twice the limit, when it doubles, and anew after it was short`() {
    var growth = LogGrowth(limit: 10)
    let reported = (1...100).filter { growth.noteLength(frames: $0) }
    #expect(reported == [20, 40, 80])
    #expect(
      [9, 15, 19, 20, 21].map { growth.noteLength(frames: $0) } == [
        false, false, false, true, false,
      ])
  }

  @Test func `a connection that is given up, and the next one`() async throws {
    let stack = try await folder.stack(log.options)
    try await stack.store.writer.failRollback()
    try await stack.commit { $0.insert(Boat(id: 1)) }
    await stack.close()
    let reported = log.events.filter { $0.level > .debug }
    #expect(
      reported.map(\.message) == [
        "closed the connection after a failed transaction", "opened the connection again",
      ])
    #expect(reported.map(\.level) == [.warning, .info])
  }

  @Test func `a failure of the disk is logged, and a mistake of the caller is not`() async throws {
    let disk = try FaultyDisk()
    let stack = try await Stack.open(Boat.self, Harbour.self, at: disk.url, options: log.options)
    try await stack.commit { $0.insert(Boat(id: 1)) }
    let conflict = await failure {
      try await stack.commit { $0.insert(Boat(id: 1, name: "Other")) }
    }
    #expect(conflict?.code == .conflict)
    #expect(log.events.allSatisfy { $0.level == .debug })
    disk.fail(.full)
    let full = await failure { try await stack.commit { $0.insert(Boat(id: 2)) } }
    #expect(full?.code == .diskFull)
    disk.recover()
    let failed = log.events.filter { $0.level == .error }
    #expect(failed.map(\.message).contains("a commit failed"))
    #expect(failed.first { $0.message == "a commit failed" }?.metadata["code"] == "diskFull")
    await stack.close()
  }

  @Test func `a read that the disk fails is told`() async throws {
    let stack = try await folder.stack(log.options)
    let error = await failure {
      try await stack.store.reading { snapshot throws(StoreError) in
        try await snapshot.read { _, _ throws(StoreError) -> Int in
          throw StoreError(.inputOutput, "the disk is gone", advice: "none")
        }
      }
    }
    #expect(error?.code == .inputOutput)
    #expect(log.messages.filter { $0 == "a read failed" }.count == 1)
    await stack.close()
  }

  // A list with a mistake in its query was empty, and nobody was told why.
  @MainActor @Test func `a live query that cannot be run is told once`() async throws {
    struct Buoy: Entity {
      var id = 0
      var name = ""
      var initial: String { String(name.prefix(1)) }
      static let schema = Schema<Buoy>("buoys", key: \.id) { Attribute(\.name) }
    }
    let stack = try await Stack.open(Buoy.self, at: folder.url, options: log.options)
    let view = stack.viewContext
    let refused = { log.events.filter { $0.message == "a live query cannot be run" } }
    let live = view.live(Buoy.where { $0.initial == "a" })
    #expect(live.error?.code == .invalidQuery && refused().count == 1)
    #expect(refused().first?.level == .error)
    #expect(refused().first?.metadata["error"]?.contains("(String)") == true)
    _ = view.live(Buoy.all.sorted(by: \.initial))
    _ = view.live(Buoy.all, sectionedBy: \.initial)
    _ = view.live(.max(\.initial), of: Buoy.all)
    #expect(refused().count == 4)
    let names = view.live(Buoy.all)
    names.query = Buoy.where { $0.initial == "a" }
    #expect(names.error?.code == .invalidQuery && refused().count == 5)
    await stack.close()
  }

  @Test func `a store that makes room for a new one is told`() async throws {
    try Data(repeating: 0x5A, count: 4_096).write(to: folder.url)
    var options = log.options
    options.ifUnreadable = .rebuild()
    let stack = try await folder.stack(options)
    await stack.close()
    let event = try #require(log.events.first)
    #expect(event.level == .error && event.metadata["url"] == stack.setAside?.url?.path)
  }

  @Test func `tables that another program changes are told once`() async throws {
    let stack = try await folder.stack(log.options)
    try await stack.writeAsAnotherProgram("ALTER TABLE boats ADD COLUMN more")
    let error = await failure { try await stack.commit { $0.insert(Boat(id: 1)) } }
    #expect(error?.code == .schemaChanged)
    #expect(await eventually { log.messages.contains("another program changed the tables") })
    await stack.close()
    #expect(log.messages.count { $0 == "another program changed the tables" } == 1)
  }

  @Test func `deferred indexes are made with progress, and reported`() async throws {
    let progress = Lock<[MigrationProgress]>([])
    let stack = try await folder.stack(Stack.Options())
    let path = await stack.path
    await stack.close()
    let connection = try Connection(path: path, .readWrite)
    let table = try Model([Boat.self, Harbour.self]).table(of: Boat.self)
    try DeferredIndexes.drop(table.plainIndexes, of: table.name, connection)
    var options = log.options
    options.migrationProgress = { step in progress.withLock { $0.append(step) } }
    await (try folder.stack(options)).close()
    let count = table.plainIndexes.count
    #expect(log.events.first?.metadata["count"] == "\(count)")
    #expect(progress.withLock(\.self).map(\.done) == Array(0...count))
    #expect(progress.withLock(\.self).allSatisfy { $0.phase == .indexing && $0.total == count })
  }
}
