import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// Suspended stacks: the files that they release, and the work that goes on.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor
struct SuspensionTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  let gull = Boat(id: 1, name: "Gull")

  #if os(Linux)
    @Test func `no file of the store is open and none is locked`() async throws {
      let path = await stack.path
      try await stack.withScratch { [gull] in $0.insert(gull) }
      let live = try await view.loaded(Boat.all)
      let scratch = stack.makeScratch()
      #expect(try await scratch.count(Boat.all) == 1)
      let sheet = view.makeScratch()
      let before = try OpenFiles(of: path)
      #expect(before.descriptors > 0 && before.locks > 0)

      await stack.suspend()
      #expect(try OpenFiles(of: path) == .none)
      #expect(FileManager.default.fileExists(atPath: path))
      // The log is written back, so the file alone is the store.
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
      await others()
      #expect(try OpenFiles(of: path) == .none)

      try await stack.resume()
      #expect(try OpenFiles(of: path).locks > 0)
      #expect(try await scratch.count(Boat.all) == 1 && Array(live.elements) == [gull])
      #expect(try await sheet.count(Boat.all) == 1)
      await stack.suspend()
      #expect(try OpenFiles(of: path) == .none)
      await stack.close()
    }
  #endif

  @Test func `the view context and its live queries work in memory during a suspension`()
    async throws
  {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let live = try await view.loaded(Boat.sorted(by: \.name))
    var updates = live.updates.makeAsyncIterator()
    await stack.suspend()
    #expect(stack.isSuspended)
    view.update(gull) { $0.name = "Swan" }
    view.insert(Boat(id: 2, name: "Tern"))
    #expect(live.elements.map(\.name) == ["Swan", "Tern"])
    #expect(await updates.next()?.insertions == [1])
    view.rollback()
    #expect(Array(live.elements) == [gull] && view.commit == 1)
    view.update(gull) { $0.name = "Auk" }
    let sheet = view.makeScratch()
    sheet.update(gull) { $0.length = 3 }
    try await stack.resume()
    #expect(!stack.isSuspended)
    try await sheet.save()
    try await view.save()
    #expect(try await stack.rows("SELECT name, length FROM boats") == ["Auk 3"])
  }

  @Test func `a queued save is committed before a suspension, and a later save waits`() async throws
  {
    let path = await stack.path
    let stop = await WriterStop(stack)
    view.insert(Boat(id: 1))
    let queued = [
      Task { try await stack.commit { $0.insert(Boat(id: 2)) } },
      Task { try await view.save() },
    ]
    await others()
    let suspending = Task { await stack.suspend() }
    await others()
    view.insert(Boat(id: 3))
    let later = [
      Task { try await stack.commit { $0.insert(Boat(id: 4)) } },
      Task { try await view.save() },
    ]
    await others()
    stop.release()
    await suspending.value
    let other = try Connection(path: path)
    #expect(try other.integer("SELECT sum(id) FROM boats") == 3)
    #expect(try other.integer("SELECT number FROM strata_commit") == 2)
    try await stack.resume()
    for save in queued + later { _ = try await save.value }
    #expect(try await stack.fetch(Boat.all).map(\.id) == [1, 2, 3, 4])
    try await view.waitUntilMerged(4)
    #expect(view.commit == 4)
  }

  /// Returns all calls that need the store.
  private func calls(_ pinned: [ScratchContext] = []) -> [@MainActor () async throws -> Void] {
    [
      { _ = try await view.fetch(Boat.all) }, { _ = try await view.count(Boat.all) },
      { _ = try await view.find(Boat.self, 1) }, { _ = try await view.find(Boat.self, [1]) },
      { _ = try await stack.fetch(Boat.all) },
      { _ = try await stack.makeScratch().fetch(Boat.all) },
      { _ = try await view.makeScratch().fetch(Boat.all) },
      { try await view.waitUntilMerged(view.commit + 1) },
      { try await stack.commit { $0.upsert(Boat(id: 2)) } },
      { try await stack.withScratch { $0.upsert(Boat(id: 3)) } },
      { try await view.save() }, { try await view.save() },
      {
        let sheet = view.makeScratch()
        sheet.upsert(Boat(id: 4))
        try await sheet.save()
      },
    ] + pinned.map { scratch in { _ = try await scratch.fetch(Boat.all) } }
  }

  private func start(
    _ calls: [@MainActor () async throws -> Void], _ ended: Lock<Int>
  ) -> [Task<StoreError?, Never>] {
    calls.map { call in
      Task { @MainActor in
        let error = await failure { try await call() }
        ended.withLock { $0 += 1 }
        return error
      }
    }
  }

  @Test func `calls made while suspended wait for the resumption`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let pinned = stack.makeScratch()
    _ = try await pinned.fetch(Boat.all)
    await stack.suspend()
    view.insert(Boat(id: 9))
    let ended = Lock(0)
    let tasks = start(calls([pinned, view.makeScratch()]), ended)
    await others()
    #expect(ended.withLock { $0 } == 0)
    try await stack.resume()
    for (number, task) in tasks.enumerated() {
      #expect(await task.value == nil, "call \(number)")
    }
    try await view.save()
    #expect(try await stack.fetch(Boat.all).map(\.id) == [1, 2, 3, 4, 9])
  }

  @Test func `calls that wait for the resumption end when they are cancelled`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let pinned = stack.makeScratch()
    _ = try await pinned.fetch(Boat.all)
    await stack.suspend()
    view.insert(Boat(id: 9))
    let ended = Lock(0)
    let tasks = start(calls([pinned]), ended)
    await others()
    for task in tasks { task.cancel() }
    for (number, task) in tasks.enumerated() {
      #expect(await task.value?.code == .cancelled, "call \(number)")
    }
    // Calls of a task that is cancelled already end as well.
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure { try await view.fetch(Boat.all) }
    }
    #expect(await late.value?.code == .cancelled)
    try await stack.resume()
    #expect(view.hasChanges)
    #expect(try await stack.fetch(Boat.all) == [gull])
  }

  @Test func `calls that wait for the resumption end when the stack closes`() async throws {
    let pinned = stack.makeScratch()
    _ = try await pinned.fetch(Boat.all)
    await stack.suspend()
    view.insert(Boat(id: 9))
    let ended = Lock(0)
    let tasks = start(calls([pinned]), ended)
    await others()
    await stack.close()
    for (number, task) in tasks.enumerated() {
      #expect(await task.value?.code == .closed, "call \(number)")
    }
    #expect(await failure { try await stack.resume() }?.code == .closed)
    #expect(view.hasChanges)
  }

  @Test func `a fetch that runs is stopped, and runs again after the resumption`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let scratch = stack.makeScratch()
    #expect(try await scratch.count(Boat.all) == 1)
    // All readers are busy with a statement that never ends by itself.
    let started = TestGate()
    let endless = [view.snapshot, try #require(scratch.snapshot)].map { snapshot in
      Task { await failure { try await snapshot.readForever(started) } }
    }
    let runs = Lock(0)
    let running = Task {
      try await stack.store.reading { snapshot throws(StoreError) in
        let run = runs.withLock { runs in
          runs += 1
          return runs
        }
        if run == 1 { try await snapshot.readForever(started) }
        return run
      }
    }
    await started.waitForArrivals(3)
    let ended = Lock(0)
    let calls: [@MainActor () async throws -> Int] = [
      { try await view.count(Boat.all) }, { try await view.find(Boat.self, [1, 2]).count },
      { try await scratch.count(Boat.all) },
    ]
    let fetches = calls.map { call in
      Task { @MainActor in
        defer { ended.withLock { $0 += 1 } }
        return try await call()
      }
    }
    await others()
    await stack.suspend()
    for task in endless { #expect(await task.value?.code == .suspended) }
    await others()
    #expect(ended.withLock { $0 } == 0 && runs.withLock { $0 } == 1)
    try await stack.resume()
    for fetch in fetches { #expect(try await fetch.value == 1) }
    #expect(try await running.value == 2)
  }

  @Test func `a scratch context reads the newest state after a resumption`() async throws {
    let path = await stack.path
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let scratch = stack.makeScratch()
    let sheet = view.makeScratch()
    for context in [scratch, sheet] {
      #expect(try await context.count(Boat.all) == 1)
      context.insert(Boat(id: 3))
    }
    await stack.suspend()
    view.insert(Boat(id: 2))
    try commitElsewhere("UPDATE boats SET name = 'theirs'", at: path)
    try await stack.resume()
    #expect(try await scratch.fetch(Boat.all) == [Boat(id: 1, name: "theirs"), Boat(id: 3)])
    // A child of the view context lies over the rows that the view context shows after the
    // resumption.
    #expect(
      try await sheet.fetch(Boat.all)
        == [Boat(id: 1, name: "theirs"), Boat(id: 2), Boat(id: 3)])
    try await sheet.save()
    try await view.save()
    #expect(try await stack.rows("SELECT id, name FROM boats") == ["1 theirs", "2 ", "3 "])
  }

  @Test func `suspending and resuming twice does nothing`() async throws {
    try await stack.resume()
    await stack.suspend()
    await stack.suspend()
    #expect(stack.isSuspended)
    try await stack.resume()
    try await stack.resume()
    #expect(!stack.isSuspended)
    try await stack.withScratch { [gull] in $0.insert(gull) }
    #expect(try await view.count(Boat.all) == 1)
  }

  @Test func `calls take effect in their order, whoever waits for whom`() async throws {
    let stop = await WriterStop(stack)
    var ends: [String] = []
    func begin(_ name: String, _ body: @escaping @MainActor () async throws -> Void) async {
      Task { @MainActor in
        let error = await failure { try await body() }
        ends.append(name + (error.map { " \($0.code)" } ?? ""))
      }
      await others()
    }
    await begin("first") { await stack.suspend() }
    await begin("second") { try await stack.resume() }
    await begin("third") { await stack.suspend() }
    await begin("fourth") { await stack.close() }
    await begin("fifth") { await stack.close() }
    await begin("sixth") { try await stack.resume() }
    #expect(ends == [])
    stop.release()
    #expect(await eventually { ends.count == 6 })
    // The second call may find the stack suspended again before the view context has caught up.
    let second = ends.filter { $0.hasPrefix("second") }
    #expect(second == ["second"] || second == ["second closed"])
    #expect(
      ends.filter { !$0.hasPrefix("second") }.sorted()
        == ["fifth", "first", "fourth", "sixth closed", "third"])
  }

  @Test func `every call of close returns when the stack is closed`() async throws {
    let path = await stack.path
    let stop = await WriterStop(stack)
    let ended = Lock(0)
    let closing = (0..<3).map { _ in
      Task {
        await stack.close()
        ended.withLock { $0 += 1 }
        return FileManager.default.fileExists(atPath: path + "-wal")
      }
    }
    await others()
    #expect(ended.withLock { $0 } == 0)
    stop.release()
    for close in closing { #expect(await close.value == false) }
    await stack.suspend()
    #expect(!stack.isSuspended)
  }
}

extension Snapshot {
  /// Runs a statement that only a raised flag ends.
  fileprivate func readForever(_ started: TestGate) async throws(StoreError) {
    try await read { _, connection throws(StoreError) in
      Task { await started.pass() }
      try connection.run(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
    }
  }
}

/// Commits like another process that uses Strata.
func commitElsewhere(_ sql: String, at path: String) throws {
  let connection = try Connection(path: path, .readWrite)
  try connection.execute("BEGIN IMMEDIATE")
  try connection.execute(sql)
  try connection.execute("UPDATE strata_commit SET number = number + 1")
  try connection.execute("COMMIT")
}
