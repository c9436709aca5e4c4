import Dispatch
import StrataTesting
import Testing

@testable import Strata
@testable import StrataSQLite

@Suite(.stack(Boat.self, Harbour.self), .timeLimit(.minutes(25))) struct SnapshotTests {
  let stack = Stack.test

  private func count(_ snapshot: Snapshot) async throws -> Int {
    try await snapshot.count(QueryPlan(everyRowOf: stack.store.model.table(of: Boat.self)))
  }

  @Test func `a snapshot sees its commit for as long as it is held`() async throws {
    var snapshots: [Snapshot] = []
    for number in 0..<40 {
      snapshots.append(try await stack.store.snapshot())
      try await stack.commit { $0.insert(Boat(id: number)) }
    }
    for (number, snapshot) in snapshots.enumerated().reversed() {
      #expect(snapshot.commit == Int64(number))
      #expect(try await count(snapshot) == number)
    }
    #expect(try await count(try await stack.store.snapshot()) == 40)
  }

  @Test func `a snapshot is pinned before anything is read through it`() async throws {
    // A second program writes between the pin and the first read.
    let connection = try Connection(path: await stack.path, .readWrite)
    let snapshot = try await stack.store.snapshot()
    try connection.execute("INSERT INTO boats VALUES (1, 'Gull', 0, NULL, NULL)")
    #expect(try await count(snapshot) == 0)
    #expect(try await stack.rows("SELECT id FROM boats") == ["1"])
    #expect(try await count(try await stack.store.snapshot()) == 1)
  }

  @Test func `letting go of a snapshot gives its reader to the next one`() async throws {
    var snapshot: Snapshot? = try await stack.store.snapshot()
    let reader = try #require(snapshot?.idleReader)
    snapshot = nil
    let isGivenBack = await eventually {
      // Both snapshots are held at once, so that each needs a reader of its own.
      let first = try? await stack.store.snapshot()
      let second = try? await stack.store.snapshot()
      return first?.idleReader === reader || second?.idleReader === reader
    }
    #expect(isGivenBack)
  }

  @Test func `only a few idle readers are kept`() async throws {
    struct WeakReader {
      weak var reader: Reader?
    }
    var snapshots: [Snapshot] = []
    for _ in 0..<20 { snapshots.append(try await stack.store.snapshot()) }
    let readers = snapshots.map { WeakReader(reader: $0.idleReader) }
    #expect(readers.allSatisfy { $0.reader != nil })
    snapshots = []
    let isBounded = await eventually {
      readers.filter { $0.reader != nil }.count <= StoreBounds().idleReaders
    }
    #expect(isBounded)
  }

  /// A cursor may open just after its snapshot was found idle. Unpinning the reader would take the
  /// cursor's rows, and the cursor would report its end.
  @Test func `nothing is unpinned under an open cursor`() async throws {
    for number in 0..<3 { try await stack.commit { $0.insert(Boat(id: number)) } }
    let first = try await stack.store.snapshot()
    let second = try await stack.store.snapshot()
    // The view context may be about to take the newest commit's snapshot.
    let isUnpinned = await eventually { (try? await restarts(without: [first, second])) == 1 }
    #expect(isUnpinned)
    let cursor = CursorID()
    try await second.readOnce { reader, connection throws(StoreError) in
      try reader.openCursor(cursor, Self.everyID, connection)
    }
    for _ in 0..<10 { #expect(try await restarts(without: [first, second]) == 0) }
    let rows = try await second.readOnce { reader, _ throws(StoreError) in
      var rows = 0
      while try reader.cursor(cursor)?.next() == true { rows += 1 }
      reader.closeCursor(cursor)
      return rows
    }
    #expect(rows == 3)
    #expect(try await restarts(without: [first, second]) == 1)
    for snapshot in [first, second] { #expect(try await count(snapshot) == 3) }
  }

  private static let everyID = {
    var sql = SQLBuilder()
    sql.append("SELECT id FROM boats")
    return sql
  }()

  /// A reader that is busy until its hold is signalled.
  private struct BusyReader {
    let reader: Reader
    let hold = DispatchSemaphore(value: 0)
    let read: Task<Void, any Error>

    init(of snapshot: Snapshot) async throws {
      reader = try #require(snapshot.idleReader)
      let (isReading, begins) = AsyncStream<Void>.makeStream()
      read = Task { [hold] in
        try await snapshot.readOnce { _, _ in
          begins.finish()
          hold.wait()
        }
      }
      for await _ in isReading {}
    }
  }

  // A read may begin after the snapshot was found idle. If the restart waited for that read, all
  // commits would wait, too.
  @Test func `who restarts the log waits for no read`() async throws {
    let snapshot = try await stack.store.snapshot()
    let busy = try await BusyReader(of: snapshot)
    let isBack = Lock(false)
    DispatchQueue.global().async { [reader = busy.reader] in
      reader.withoutPin {
        Issue.record("the snapshot is being read")
      } then: { _ in
      }
      isBack.withLock { $0 = true }
    }
    #expect(await eventually { isBack.withLock { $0 } })
    busy.hold.signal()
    try await busy.read.value
  }

  // A task that is cancelled does not wait for the reader, which may open the cursor all the same.
  // Without a call that closes the cursor, the statement would stay open.
  @Test func `a cursor that is opened for nobody is closed`() async throws {
    let snapshot = try await stack.store.snapshot()
    let reader = try #require(snapshot.idleReader)
    for round in 0..<3_000 {
      let opening = Task { _ = try await Cursor(snapshot, Self.everyID, for: .batches) }
      for _ in 0..<round % 8 { await Task.yield() }
      opening.cancel()
      _ = await opening.result
    }
    let isUnpinned = await eventually {
      var isUnpinned = false
      reader.waitForWork()
      reader.withoutPin {
        isUnpinned = true
      } then: { _ in
      }
      return isUnpinned
    }
    #expect(isUnpinned)
  }

  @Test func `a snapshot that cannot be pinned again has ended, before anything is read`()
    async throws
  {
    try await stack.commit { $0.insert(Boat(id: 1)) }
    let snapshot = try await stack.store.snapshot()
    let path = await stack.path
    let isWhole = Lock<Bool?>(nil)
    // The view context may be about to take the newest commit's snapshot.
    let isUnpinned = await eventually {
      _ = try? await stack.store.writer.enqueue(.urgent) { writer in
        let answer = writer.pool.withoutPins(
          at: snapshot.commit, schemaVersion: writer.file.schemaVersion
        ) {
          isWhole.withLock { $0 = true }
          try? Connection(path: path, .readWrite).execute("UPDATE strata_commit SET number = 9")
        }
        isWhole.withLock { if $0 != nil { $0 = answer } }
      }.value
      return isWhole.withLock { $0 != nil }
    }
    #expect(isUnpinned && isWhole.withLock(\.self) == false)
    #expect(snapshot.isLost)
    #expect(await failure { try await count(snapshot) }?.code == .suspended)
  }

  /// Returns how often the log could be restarted without pins: one time or never.
  private func restarts(without snapshots: [Snapshot]) async throws -> Int {
    let count = Lock(0)
    _ = try await stack.store.writer.enqueue(.urgent) { writer in
      writer.pool.withoutPins(at: snapshots[0].commit, schemaVersion: writer.file.schemaVersion) {
        count.withLock { $0 += 1 }
      }
    }.value
    return count.withLock(\.self)
  }

  @Test func `many snapshots are read at once`() async throws {
    for number in 0..<10 { try await stack.commit { $0.insert(Boat(id: number)) } }
    let stack = stack
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 { group.addTask { try await stack.fetch(Boat.all).count } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == Array(repeating: 10, count: 50))
  }

  @Test func `cancelling stops a fetch that runs, and its reader goes on`() async throws {
    try await stack.commit { $0.insert(Boat(id: 1)) }
    let snapshot = try await stack.store.snapshot()
    for _ in 0..<3 {
      let fetch = await Endless(snapshot)
      fetch.task.cancel()
      #expect(await fetch.task.value?.code == .cancelled)
      #expect(try await count(snapshot) == 1)
    }
  }

  @Test func `a fetch of a task that is cancelled already does not start`() async throws {
    let stack = stack
    let fetch = Task {
      while !Task.isCancelled { await Task.yield() }
      return [
        await failure { try await stack.fetch(Boat.all) },
        await failure { try await stack.viewContext.fetch(Boat.all) },
        await failure { try await stack.makeScratch().find(Boat.self, 1) },
      ]
    }
    fetch.cancel()
    #expect(await fetch.value.map { $0?.code } == [.cancelled, .cancelled, .cancelled])
    #expect(try await stack.viewContext.fetch(Boat.all) == [])
  }

  @MainActor @Test func `nothing is read on the main actor`() async throws {
    let snapshot = try await stack.store.snapshot()
    for _ in 0..<3 {
      try await snapshot.read { _, _ in dispatchPrecondition(condition: .notOnQueue(.main)) }
    }
  }

  @Test func `only what is short is read where the caller runs`() async throws {
    let snapshot = try await stack.store.snapshot()
    let runs = Lock(0)
    @Sendable func sum(upTo last: Int, _ connection: Connection) throws(StoreError) -> Int64? {
      runs.withLock { $0 += 1 }
      return try connection.prepared(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(last)) "
          + "SELECT sum(i) FROM n"
      ).firstInteger()
    }
    let short = snapshot.readAtOnce { _, connection throws(StoreError) in
      try sum(upTo: 3, connection)
    }
    #expect(short == 6)
    let long = snapshot.readAtOnce { _, connection throws(StoreError) in
      try sum(upTo: .max, connection)
    }
    #expect(long == nil)
    runs.withLock { $0 = 0 }
    let result = try await snapshot.read { _, connection throws(StoreError) in
      try sum(upTo: 1_000_000, connection)
    }
    #expect(result == 500_000_500_000)
    #expect(runs.withLock { $0 } == 2)
  }

  @Test func `a context that has read already reads nothing in a cancelled task`() async throws {
    let stack = stack
    let reading = Task { @concurrent in
      let scratch = stack.makeScratch()
      _ = try await scratch.fetch(Boat.all)
      while !Task.isCancelled { await Task.yield() }
      return await failure { try await scratch.find(Boat.self, 1) }?.code
    }
    reading.cancel()
    // A task that is cancelled early fails at its first fetch.
    let code = try? await reading.value
    #expect(code ?? .cancelled == .cancelled)
    #expect(try await stack.fetch(Boat.all) == [])
  }

  @Test func `closing stops the fetches that run`() async throws {
    let snapshot = try await stack.store.snapshot()
    let fetch = await Endless(snapshot)
    await stack.close()
    #expect(await fetch.task.value != nil)
    #expect(await failure { try await count(snapshot) }?.code == .closed)
  }
}

/// A fetch that runs until it is stopped.
private struct Endless {
  let task: Task<StoreError?, Never>

  /// Returns when the statement is about to run.
  init(_ snapshot: Snapshot) async {
    var task: Task<StoreError?, Never>?
    await withUnsafeContinuation { started in
      task = Task {
        await failure {
          try await snapshot.readOnce { _, connection throws(StoreError) in
            started.resume()
            return try connection.prepared(
              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                + "SELECT count(*) FROM n"
            ).firstInteger()
          }
        }
      }
    }
    guard let task else { fatalError("the task is made in the body") }
    self.task = task
  }
}
