import StrataFaults
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

internal import Foundation

/// The errors that an app gets when the system fails.
///
/// `strata-stress faults` lets every call fail in turn.
@Suite(.inTurn) struct FaultTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  // An error without a code of its own advises the user to report it. Want of memory has its own
  // code.
  @Test func `a store that cannot be opened says why`() async throws {
    let plan = FaultPlan()
    ObservedFileSystem.observe(file.path, with: plan)
    defer { ObservedFileSystem.endObserving(file.path, with: plan) }
    let expected: [StoreError.Code] = [.cannotOpen, .outOfMemory]
    for (code, expected) in zip(FaultPlan.codes(of: .open), expected) {
      plan.arm(FaultPlan.Fault(.open, number: 1, code: code))
      let error = await failure { _ = try await Stack.open(Item.self, at: file.url) }
      #expect(error?.code == expected && error?.sqliteCode == code)
    }
    plan.disarm()
    await (try Stack.open(Item.self, at: file.url)).close()
  }

  // A transaction that stayed open would fail every later save, because a transaction cannot begin
  // within another. Other processes would wait for its lock.
  @Test func `a rollback that fails leaves no transaction open`() async throws {
    let stack = try await Stack.open(Item.self, at: file.url)
    let error = await failure {
      try await stack.store.writer.enqueue(.urgent) { writer throws(StoreError) in
        _ = try writer.transaction { transaction throws(StoreError) in
          let connection = transaction.connection
          try connection.run("INSERT INTO items (id, name) VALUES (1, 'lost')")
          // A statement that fails takes the place of the rollback.
          let broken = try connection.prepared("SELECT abs(-9223372036854775807 - 1)")
          connection.cache.add(broken, for: Writer.rollback)
          throw .cancelled
        }
      }.value
    }
    #expect(error?.code == .cancelled)
    try await stack.writeAsAnotherProgram("INSERT INTO items (id, name) VALUES (2, 'other')")
    try await stack.commit { $0.insert(Item(id: 3, name: "mine")) }
    #expect(try await stack.fetch(Item.all).map(\.id) == [2, 3])
    await stack.suspend()
    try await stack.resume()
    try await stack.commit { $0.insert(Item(id: 4, name: "later")) }
    #expect(try await stack.fetch(Item.all).map(\.id) == [2, 3, 4])
    await stack.close()
  }

  @Test func `a connection that was given up is opened as soon as that is possible`() async throws {
    let plan = FaultPlan()
    ObservedFileSystem.observe(file.path, with: plan)
    defer { ObservedFileSystem.endObserving(file.path, with: plan) }
    let stack = try await Stack.open(Item.self, at: file.url)
    try await stack.commit { $0.insert(Item(id: 1)) }
    try await stack.store.writer.failRollback()
    let code = FaultPlan.codes(of: .open)[0]
    plan.arm(FaultPlan.Fault(.open, number: 1, length: 100, code: code))
    let error = await failure { try await stack.commit { $0.insert(Item(id: 2)) } }
    #expect(error?.code == .cannotOpen)
    plan.disarm()
    try await stack.commit { $0.insert(Item(id: 3)) }
    #expect(try await stack.fetch(Item.all).map(\.id) == [1, 3])
    await stack.close()
  }

  // A new reader finds another schema version, and only the writer's connection tells whether the
  // tables are the same.
  @Test func `a connection that was given up is opened for a read of tables that were made anew`()
    async throws
  {
    let stack = try await Stack.open(Item.self, at: file.url, options: Self.unwatched)
    try await stack.commit { $0.insert(Item(id: 1)) }
    try await stack.viewContext.waitUntilMerged(1)
    try await stack.store.writer.failRollback()
    try await stack.writeAsAnotherProgram("CREATE TABLE other (id); DROP TABLE other")
    #expect(try await stack.fetch(Item.all).map(\.id) == [1])
    await stack.close()
  }

  // SQLite rolls back when a read fails, and would commit each later statement by itself. A
  // simulated history (seed 93765209) had a save that found the full-text index damaged: FTS5 reads
  // its number of rows with a statement of its own, and went on with zero rows after that statement
  // had failed. The next commit stored the wrong number.
  @Test(arguments: 1...8)
  func `a save during which a read fails is whole or nothing, with exact indexes`(
    number: Int
  ) async throws {
    let plan = FaultPlan()
    ObservedFileSystem.observe(file.path, with: plan)
    defer { ObservedFileSystem.endObserving(file.path, with: plan) }
    let stack = try await Stack.open(
      [Page.self, Shelf.self], at: file.url, options: Self.unwatched)
    let pages = (1...3).map { Page(id: "\($0)", title: "word\($0)") }
    try await stack.commit { scratch in for page in pages { scratch.insert(page) } }
    // The writer reads its pages from the file again, and looks for the commit in the history.
    try await stack.writeAsAnotherProgram("UPDATE strata_commit SET number = number + 1")
    plan.arm(FaultPlan.Fault(.read, number: number, code: FaultPlan.codes(of: .read)[0]))
    let changed = Page(id: "1", title: "changed")
    let error = await failure {
      try await stack.commit(.overwrite) { scratch in
        scratch.update(pages[0]) { $0 = changed }
        scratch.insert(Page(id: "4", title: "word4"))
      }
    }
    plan.disarm()
    #expect([nil, .inputOutput].contains(error?.code), "\(String(describing: error))")
    #expect(try await stack.fetch(Page.all).count == (error == nil ? 4 : 3))
    #expect(try await stack.find(Page.self, "1") == (error == nil ? changed : pages[0]))
    try await stack.commit(.overwrite) { scratch in
      scratch.delete(changed)
      scratch.upsert(Page(id: "4", title: "later"))
    }
    try stack.checkSearch()
    await stack.close()
  }

  /// Options of a stack that reads only at the caller's request.
  private static var unwatched: Stack.Options {
    var options = Stack.Options()
    options.watchesOtherProcesses = false
    return options
  }

  // SQLite ends a read transaction when a file operation fails, and the next statement reads the
  // newest commit. A simulated history (seed 12025576) had rows of two commits in one context.
  @Test func `a read that fails ends the state that a context reads`() async throws {
    let plan = FaultPlan()
    ObservedFileSystem.observe(file.path, with: plan)
    defer { ObservedFileSystem.endObserving(file.path, with: plan) }
    let stack = try await Stack.open(Item.self, at: file.url, options: Self.unwatched)
    func writeItems(_ name: String) async throws {
      try await stack.commit { scratch in
        for id in 0..<2_000 { scratch.upsert(Item(id: id, name: name)) }
      }
    }
    try await writeItems("first")
    let scratch = stack.makeScratch()
    #expect(try await scratch.find(Item.self, 0)?.name == "first")
    try await writeItems("second")
    // Nothing but the fetch reads from here on.
    try await stack.viewContext.waitUntilMerged(stack.store.newestCommit)
    plan.arm(FaultPlan.Fault(.read, number: 1, code: FaultPlan.codes(of: .read)[0]))
    let error = await failure { _ = try await scratch.fetch(Item.all) }
    #expect(error?.sqliteCode == FaultPlan.codes(of: .read)[0])
    plan.disarm()
    #expect(try await scratch.find(Item.self, 0)?.name == "second")
    #expect(try await scratch.fetch(Item.all).allSatisfy { $0.name == "second" })
    await stack.close()
  }

  /// Opens a stack of 2,000 items whose view context has read none of them.
  private func stackOfItems() async throws -> Stack {
    let stack = try await Stack.open(Item.self, at: file.url, options: Self.unwatched)
    try await stack.commit { scratch in
      for id in 0..<2_000 { scratch.upsert(Item(id: id, name: "first")) }
    }
    try await stack.viewContext.waitUntilMerged(stack.store.newestCommit)
    return stack
  }

  @Test func `a view context whose read fails takes a new state, and shows later commits`()
    async throws
  {
    let plan = FaultPlan()
    ObservedFileSystem.observe(file.path, with: plan)
    defer { ObservedFileSystem.endObserving(file.path, with: plan) }
    let stack = try await stackOfItems()
    let view = await stack.viewContext
    plan.arm(FaultPlan.Fault(.read, number: 1, code: FaultPlan.codes(of: .read)[0]))
    let error = await failure { _ = try await view.fetch(Item.all) }
    #expect(error?.sqliteCode == FaultPlan.codes(of: .read)[0])
    plan.disarm()
    #expect(try await view.fetch(Item.all).count == 2_000)
    let items = await view.live(Item.all)
    try await items.waitUntilLoaded()
    try await stack.withScratch { $0.upsert(Item(id: 2_000, name: "later")) }
    #expect(await items.elements.count == 2_001)
    await stack.close()
  }

  @Test func `a second wait for a live query that could not be read has it read again`()
    async throws
  {
    let plan = FaultPlan()
    ObservedFileSystem.observe(file.path, with: plan)
    defer { ObservedFileSystem.endObserving(file.path, with: plan) }
    let stack = try await stackOfItems()
    let view = await stack.viewContext
    let code = FaultPlan.codes(of: .read)[0]
    plan.arm(FaultPlan.Fault(.read, number: 1, length: .max / 2, code: code))
    let (items, count) = await (view.live(Item.all), view.live(.count, of: Item.all))
    for _ in 0..<2 {
      #expect(await failure { try await items.waitUntilLoaded() }?.sqliteCode == code)
      #expect(await failure { try await count.waitUntilLoaded() }?.sqliteCode == code)
    }
    plan.disarm()
    try await items.waitUntilLoaded()
    #expect(await items.elements.count == 2_000)
    #expect(await items.error == nil)
    #expect(try await count.waitUntilLoaded() == 2_000)
    #expect(await count.error == nil)
    await stack.close()
  }

  // The writer tries a failed merge step again ten times a second. If every commit began tries of
  // its own, the writer would soon do nothing else.
  @Test func `a merge step that fails for every commit is tried again as for one`() async throws {
    let plan = FaultPlan()
    ObservedFileSystem.observe(file.path, with: plan)
    defer { ObservedFileSystem.endObserving(file.path, with: plan) }
    var options = Stack.Options()
    options.bounds.idleReaders = 0
    let stack = try await Stack.open(Item.self, at: file.url, options: options)
    let fault = FaultPlan.Fault(
      .open, number: 1, length: .max / 2, code: FaultPlan.codes(of: .open)[0])
    plan.arm(fault)
    for id in 1...300 { try await stack.commit { $0.insert(Item(id: id)) } }
    let tries = Lock<Int?>(nil)
    plan.arm(fault)
    stack.store.writer.executor.async(after: .milliseconds(500)) {
      tries.withLock { $0 = plan.disarm() }
    }
    #expect(await eventually { tries.withLock { $0 != nil } })
    #expect((1...100).contains(try #require(tries.withLock { $0 })))
    // No commit follows, but the writer goes on trying.
    try await stack.viewContext.waitUntilMerged(300)
    await stack.close()
  }

  // The statement that sets the journal mode writes the header at its end. If only its first row
  // were read, the store would open with the old journal, and the first reader would keep every
  // commit out.
  @Test(arguments: 1...5) func `a file whose log could not be begun is not opened`(
    number: Int
  ) async throws {
    let plan = FaultPlan()
    ObservedFileSystem.observe(file.path, with: plan)
    defer { ObservedFileSystem.endObserving(file.path, with: plan) }
    plan.arm(FaultPlan.Fault(.write, number: number, code: FaultPlan.codes(of: .write)[0]))
    let refused = await failure { await (try Stack.open(Item.self, at: file.url)).close() }
    #expect(refused?.code == .inputOutput)
    plan.disarm()
    let stack = try await Stack.open(Item.self, at: file.url)
    let reader = stack.makeScratch()
    #expect(try await reader.fetch(Item.all).isEmpty)
    try await stack.commit { $0.insert(Item(id: 1)) }
    #expect(try await reader.fetch(Item.all).isEmpty)
    await stack.close()
  }

  // SQLite then keeps its old journal, and says so only in the answer to the statement. Readers and
  // the writer would keep each other out.
  @Test func `a file system without shared memory is refused by name`() async throws {
    let plan = FaultPlan(sharesMemory: false)
    ObservedFileSystem.observe(file.path, with: plan)
    defer { ObservedFileSystem.endObserving(file.path, with: plan) }
    let error = await failure { _ = try await Stack.open(Item.self, at: file.url) }
    #expect(error?.code == .cannotOpen && error?.message.contains("write-ahead log") == true)
    #expect(error?.advice == "keep the store on a local disk")
  }

  private struct Item: Entity {
    var id = 0
    var name = ""
    static let schema = Schema<Item>("items", key: \.id) { Attribute(\.name) }
  }
}
