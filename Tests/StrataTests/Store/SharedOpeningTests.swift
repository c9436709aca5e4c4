import StrataTesting
import Testing

@testable import Strata
@testable import StrataSQLite

private enum Widget {
  /// The boat of a program that says the same of its table in other words.
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

/// Several programs open one store.
@Suite(.timeLimit(.minutes(10))) struct SharedOpeningTests {
  private let folder: StoreFolder
  init() throws { folder = try StoreFolder() }

  private var hasty: Stack.Options {
    var options = Stack.Options()
    options.busyTimeout = .milliseconds(1)
    return options
  }

  /// Opening took the write lock to find out that there was nothing to do: a widget could not open
  /// the store while the app imported.
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
    // What has to be written waits for the lock.
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

  /// Opening rewrote the description for another type name, which is no commit that is counted, and
  /// every other process read all its tables again.
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
}
