import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// Commits of another process, whose changes are unknown.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor
struct ForeignCommitTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  /// Commits like another process that uses Strata.
  private func commitElsewhere(_ sql: String) async throws {
    let connection = try Connection(path: await stack.path, .readWrite)
    try connection.execute("BEGIN IMMEDIATE")
    try connection.execute(sql)
    try connection.execute("UPDATE strata_commit SET number = number + 1")
    try connection.execute("COMMIT")
  }

  @Test func `the next commit here tells everybody to read again`() async throws {
    try await stack.withScratch { $0.insert(Boat(id: 1, name: "Gull")) }
    let live = try await view.loaded(Boat.sorted(by: \.name))
    var updates = live.updates.makeAsyncIterator()
    var changes = stack.changes.makeAsyncIterator()
    try await commitElsewhere("INSERT INTO boats VALUES (2, 'Auk', 0, NULL, NULL)")
    let commit = try await stack.commit { $0.insert(Boat(id: 3, name: "Tern")) }
    // Commit 2 is the other process's.
    #expect(commit == 3)
    try await view.waitUntilMerged(commit)
    #expect(live.elements.map(\.name) == ["Auk", "Gull", "Tern"])
    // The rows that are read again are compared with the shown rows.
    let update = try #require(await updates.next())
    #expect(!update.isReset && update.insertions == [0, 2] && update.deletions.isEmpty)
    #expect(await changes.next()?.changes(of: Boat.self).isReset == true)
  }

  /// A merge turn must not get a snapshot of a commit whose changes were not published.
  @Test func `a snapshot that is seen without a connection is told as a reset`() async throws {
    try await stack.withScratch { $0.insert(Boat(id: 1, name: "Gull")) }
    let other = try await Stack.open(
      Boat.self, Harbour.self, at: URL(fileURLWithPath: await stack.path))
    var changes = stack.changes.makeAsyncIterator()
    let writer = stack.store.writer
    await writer.suspend()
    let commit = try await other.commit { $0.insert(Boat(id: 2, name: "Tern")) }
    await writer.catchUp(with: try await other.store.snapshot())
    let reported = await changes.next()
    #expect(reported?.commit == commit && reported?.changes(of: Boat.self).isReset == true)
    #expect(await writer.commit == commit)
    await other.close()
    try await writer.resume()
    #expect(try await stack.fetch(Boat.all).map(\.id) == [1, 2])
  }

  @Test func `edits stay on top of what was read again`() async throws {
    let boats = (1...3).map { Boat(id: $0, name: "old") }
    try await stack.withScratch { scratch in boats.forEach(scratch.insert) }
    let live = try await view.loaded(Boat.all)
    view.update(boats[0]) { $0.length = 5 }
    view.update(boats[1]) { $0.name = "mine" }
    view.delete(boats[2])
    view.insert(Boat(id: 4))
    try await commitElsewhere("UPDATE boats SET name = 'theirs'")
    try await stack.withScratch { $0.insert(Harbour(id: 1)) }
    #expect(live.elements.map(\.name) == ["theirs", "mine", ""])
    #expect(live.elements.map(\.length) == [5, 0, 0])
    #expect(view.conflicts.map(\.key) == [RecordKey(.integer(2)), RecordKey(.integer(3))])
    #expect(await failure { try await view.save() }?.conflicts.count == 2)
    try await view.save(.overwrite)
    #expect(
      try await stack.rows("SELECT id, name, length FROM boats")
        == ["1 theirs 5", "2 mine 0", "4  0"])
  }

  @Test func `a save meets what another process committed, known or not`() async throws {
    let boat = Boat(id: 1, name: "old")
    try await stack.withScratch { $0.insert(boat) }
    view.update(boat) { $0.name = "mine" }
    try await commitElsewhere("UPDATE boats SET name = 'theirs'")
    let error = await failure { try await view.save() }
    #expect(error?.code == .conflict && error?.conflicts.first?.attributes == ["name"])
    #expect(view.hasChanges)
    try await view.save(.overwrite)
    #expect(try await stack.rows("SELECT name FROM boats") == ["mine"])
  }

  @Test func `a store whose tables were changed is not written to`() async throws {
    let connection = try Connection(path: await stack.path, .readWrite)
    try connection.execute("CREATE TABLE other (id INTEGER)")
    view.insert(Boat(id: 1))
    #expect(await failure { try await view.save() }?.code == .schemaChanged)
    #expect(view.hasChanges)
    #expect(try await stack.rows("SELECT id FROM boats") == [])
  }

  /// Swaps the meaning of two columns, as another program's migration might.
  private func changeTables() async throws {
    let connection = try Connection(path: await stack.path, .readWrite)
    try connection.execute("BEGIN IMMEDIATE")
    for (old, new) in [("name", "other"), ("length", "name"), ("other", "length")] {
      try connection.execute("ALTER TABLE boats RENAME COLUMN \(old) TO \(new)")
    }
    try connection.execute("UPDATE strata_commit SET number = number + 1")
    try connection.execute("COMMIT")
  }

  // Reads must check the schema, as saves do. Otherwise a read would show one column's values as
  // the other's.
  @Test func `tables that were changed are not read`() async throws {
    try await stack.withScratch { $0.insert(Boat(id: 1, name: "Gull")) }
    let live = try await view.loaded(Boat.all)
    let pinned = stack.makeScratch()
    #expect(try await pinned.fetch(Boat.all).map(\.name) == ["Gull"])
    try await changeTables()
    #expect(await failure { try await stack.fetch(Boat.all) }?.code == .schemaChanged)
    let new = stack.makeScratch()
    #expect(await failure { try await new.fetch(Boat.all) }?.code == .schemaChanged)
    // A snapshot that was pinned before keeps its rows.
    #expect(try await pinned.fetch(Boat.all).map(\.name) == ["Gull"])
    #expect(live.elements.map(\.name) == ["Gull"])
  }

  // The view context must not try to read the file ten times a second. Its waiters must get the
  // error.
  @Test func `a file that is damaged meanwhile is an error for whoever waits`() async throws {
    try await stack.withScratch { $0.insert(Boat(id: 1, name: "Gull")) }
    let live = try await view.loaded(Boat.all)
    let connection = try Connection(path: await stack.path, .readWrite)
    try connection.execute("UPDATE strata_commit SET number = 9223372036854775807")
    stack.store.writer.lookForForeignCommits()
    #expect(await failure { try await view.waitUntilMerged(2) }?.code == .notADatabase)
    #expect(live.error?.code == .notADatabase && live.elements.map(\.name) == ["Gull"])
    #expect(await failure { try await stack.fetch(Boat.all) }?.code == .notADatabase)
    view.insert(Boat(id: 2))
    #expect(await failure { try await view.save() }?.code == .notADatabase)
    #expect(view.hasChanges)
    let url = URL(fileURLWithPath: await stack.path)
    #expect(
      await failure { try await Stack.open(Boat.self, Harbour.self, at: url) }?.code
        == .notADatabase)
  }

  // A signal must not publish the commit. Otherwise live queries would load values of the swapped
  // columns.
  @Test func `live queries and the view context have the error`() async throws {
    try await stack.withScratch { $0.insert(Boat(id: 1, name: "Gull")) }
    let live = try await view.loaded(Boat.all)
    try await changeTables()
    stack.store.writer.lookForForeignCommits()
    #expect(await failure { try await view.waitUntilMerged(2) }?.code == .schemaChanged)
    #expect(live.error?.code == .schemaChanged && live.elements.map(\.name) == ["Gull"])
    #expect(await failure { try await view.fetch(Boat.all) }?.code == .schemaChanged)
    #expect(
      await failure { try await view.loaded(Boat.sorted(by: \.name)) }?.code == .schemaChanged)
    view.insert(Boat(id: 2))
    #expect(await failure { try await view.save() }?.code == .schemaChanged)
    #expect(view.hasChanges && stack.store.newestCommit == 1)
    // A suspension does not clear the error, and the stack can still be closed.
    await stack.suspend()
    #expect(await failure { try await stack.resume() }?.code == .schemaChanged)
    await stack.close()
  }

  // A fetch must not show entities of a commit that neither the streams nor the token know.
  @Test func `a foreign commit that a fetch has read is reported`() async throws {
    try await stack.withScratch { $0.insert(Boat(id: 1)) }
    var changes = stack.changes.makeAsyncIterator()
    try await commitElsewhere("INSERT INTO boats VALUES (2, 'Auk', 0, NULL, NULL)")
    #expect(try await stack.fetch(Boat.all).count == 2)
    #expect(stack.historyToken == stack.historyToken(at: 2))
    #expect(await changes.next()?.commit == 2)
    try await view.waitUntilMerged(2)
    #expect(try await view.fetch(Boat.all).count == 2)
  }
}
