internal import Foundation
import StrataFaults
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

private enum Widget {
  /// The boat of a program that describes the same table in other words.
  struct Vessel: Entity {
    var id = 0
    var name = "new"
    var length = 0
    var speed: Int?
    var harbourID: Harbour.ID?
    static let harbour = toOne(\.harbourID, Harbour.self, onDelete: .nullify)
    static let schema = Schema<Vessel>("boats", formerly: ["ships"], key: \.id) {
      harbour
      Attribute(\.name).formerly("title")
      Attribute(\.length).indexed()
      Attribute(\.speed)
    }
  }
}

/// Several programs that open one store.
@Suite(.inTurn) struct SharedOpeningTests {
  private let folder: StoreFolder
  init() throws { folder = try StoreFolder() }

  private var hasty: Stack.Options {
    var options = Stack.Options()
    options.busyTimeout = .milliseconds(1)
    return options
  }

  /// Opening takes no write lock if it has nothing to write. Otherwise a widget could not open the
  /// store while the app imports.
  @Test func `a store opens while somebody else writes`() async throws {
    let app = try await folder.stack()
    try await app.commit { $0.insert(Boat(id: 1)) }
    let other = try Connection(path: folder.path, .readWrite)
    try other.execute("BEGIN IMMEDIATE")
    try other.execute("UPDATE boats SET length = 3")
    let widget = try await folder.stack(hasty)
    #expect(try await widget.fetch(Boat.all).map(\.length) == [0])
    #expect(widget.migration.isEmpty)
    await widget.close()
    // An opening that has to write waits for the lock.
    var newer = hasty
    newer.schemaVersion = 2
    let locked = await failure { try await folder.stack(newer) }
    #expect(locked?.code == .busy)
    try other.execute("ROLLBACK")
    await app.close()
    let stack = try await folder.stack(newer)
    #expect(stack.migration.storedVersion == 1 && stack.migration.version == 2)
    await stack.close()
  }

  /// Opening keeps the stored description if only its type names differ. A rewrite is not a counted
  /// commit, so every other process would read all its tables again.
  @Test func `names that only people read are not rewritten by whoever opens`() async throws {
    let app = try await folder.stack()
    try await app.commit { $0.insert(Boat(id: 1)) }
    let description = try await app.rows("SELECT description FROM strata_schema")
    var changes = app.changes.makeAsyncIterator()
    for _ in 1...2 {
      let widget = try await Stack.open(
        Widget.Vessel.self, Harbour.self, at: folder.url, options: hasty)
      #expect(try await widget.fetch(Widget.Vessel.all).map(\.id) == [1])
      await widget.close()
    }
    #expect(try await app.rows("SELECT description FROM strata_schema") == description)
    try await app.commit { $0.insert(Boat(id: 2)) }
    let first = await changes.next()?.changes(of: Boat.self)
    #expect(first?.isReset == false && first?.inserted.map(\.id) == [2])
    await app.close()
  }

  /// SQLite asks no busy handler while it changes the journal mode. So all but one of several
  /// openings of a new store failed at once, whatever the busy timeout was.
  @Test func `all programs open a store that is new for all of them`() async throws {
    for turn in 0..<20 {
      let url = folder.url.deletingLastPathComponent().appending(path: "new-\(turn).sqlite")
      let ids = try await withThrowingTaskGroup(of: Int.self) { group in
        for id in 0..<6 {
          group.addTask {
            var options = Stack.Options()
            options.hasViewContext = false
            options.busyTimeout = .seconds(60)
            options.schemaVersion = turn % 2 + 1
            let stack = try await Stack.open(Boat.self, Harbour.self, at: url, options: options)
            try await stack.commit { $0.insert(Boat(id: id)) }
            await stack.close()
            return id
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let stack = try await Stack.open(
        Boat.self, Harbour.self, at: url, options: turn % 2 == 0 ? .init() : newer)
      #expect(try await stack.fetch(Boat.all).map(\.id) == ids.sorted())
      await stack.close()
    }
  }

  private var newer: Stack.Options {
    var options = Stack.Options()
    options.schemaVersion = 2
    return options
  }

  /// Each lock that opening, migrating and closing take may be held for a moment by another program.
  @Test(arguments: [1, 2])
  func `a lock that is held for a moment fails no step of opening`(_ version: Int) async throws {
    var number = 1
    while true {
      let name = "\(version)-\(number).sqlite"
      let url = folder.url.deletingLastPathComponent().appending(path: name)
      if version == 2 {
        await (try Stack.open(Boat.self, Harbour.self, at: url)).close()
      }
      let plan = FaultPlan()
      ObservedFileSystem.observe(url.path, with: plan)
      defer { ObservedFileSystem.endObserving(url.path, with: plan) }
      plan.arm(FaultPlan.Fault(.lock, number: number, length: 2, code: ResultCode.busy))
      var options = version == 2 ? newer : Stack.Options()
      options.hasViewContext = false
      let stack = try await Stack.open(Boat.self, Harbour.self, at: url, options: options)
      try await stack.commit { $0.insert(Boat(id: 1)) }
      await stack.close()
      if plan.disarm() == 0 { break }
      number += 1
    }
    #expect(number > 2)
  }

  /// A connection that reads a new file keeps its journal mode. SQLite reported that at once.
  @Test func `a new store that another program keeps locked is busy`() async throws {
    let other = try Connection(path: folder.path, .readWrite)
    try other.execute("PRAGMA journal_mode = DELETE")
    try other.execute("BEGIN")
    #expect(try other.integer("SELECT count(*) FROM sqlite_schema") == 0)
    #expect(await failure { try await folder.stack(hasty) }?.code == .busy)
    try other.execute("ROLLBACK")
    await (try folder.stack(hasty)).close()
  }

  private func deferIndexes(_ connection: Connection, _ stack: Stack) throws {
    try DeferredIndexes.drop(
      stack.store.model.table(of: Boat.self).plainIndexes, of: "boats", connection)
  }

  /// The widget's fingerprint differs from the stored one. If the indexes that an import of the app
  /// drops were a change of the tables, every save of the widget would fail for good.
  @Test func `indexes that come and go are no change for whoever says the same in other words`()
    async throws
  {
    let app = try await folder.stack()
    let widget = try await Stack.open(Widget.Vessel.self, Harbour.self, at: folder.url)
    let other = try Connection(path: folder.path, .readWrite)
    for id in 1...3 {
      try deferIndexes(other, app)
      try await widget.commit { $0.insert(Widget.Vessel(id: id)) }
      try DeferredIndexes.makeAll(other)
      let commit = try await app.commit { $0.insert(Boat(id: 10 + id)) }
      try await widget.viewContext.waitUntilMerged(commit)
      #expect(try await widget.viewContext.fetch(Widget.Vessel.all).count == 2 * id)
    }
    try other.execute("ALTER TABLE boats ADD COLUMN colour TEXT")
    let refused = await failure { try await widget.commit { $0.insert(Widget.Vessel(id: 9)) } }
    #expect(refused?.code == .schemaChanged)
    await widget.close()
    await app.close()
  }

  /// An import may still defer indexes. Opening does not need the lock to make them.
  @Test func `a store opens while somebody else fills it without indexes`() async throws {
    let app = try await folder.stack()
    try await app.commit { $0.insert(Boat(id: 1, length: 7)) }
    let other = try Connection(path: folder.path, .readWrite)
    try deferIndexes(other, app)
    try other.execute("BEGIN IMMEDIATE")
    let widget = try await folder.stack(hasty)
    #expect(try await widget.fetch(Boat.where { $0.length == 7 }).map(\.id) == [1])
    #expect(try DeferredIndexes.exist(other))
    try other.execute("ROLLBACK")
    await widget.close()
    let next = try await folder.stack(hasty)
    #expect(try !DeferredIndexes.exist(other))
    await next.close()
    await app.close()
  }

  /// The writer reads all facts about its store from one commit. Facts that are read one by one
  /// could come from half of another program's tables.
  @Test func `a store that is migrated while it is opened is not taken for one's own`() async throws
  {
    let app = try await folder.stack()
    let options = app.store.writer.options
    let other = try Connection(path: folder.path, .readWrite)
    #expect(try OpenedState(other, options).commit == 0)
    try other.execute("UPDATE strata_schema SET version = 2")
    let refused = await failure { _ = try OpenedState(other, options) }
    #expect(refused?.code == .schemaChanged)
    await app.close()
  }
}
