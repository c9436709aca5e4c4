import Dispatch
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

@Suite(.inTurn, .stack(Boat.self, Harbour.self)) struct SnapshotTests {
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

  @Test func `a small number of idle readers is kept`() async throws {
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

  @Test func `a snapshot with an open cursor is not moved`() async throws {
    for number in 0..<3 { try await stack.commit { $0.insert(Boat(id: number)) } }
    let snapshot = try await stack.store.snapshot()
    let reader = try #require(snapshot.idleReader)
    let plan = QueryPlan(everyRowOf: stack.store.model.table(of: Boat.self))
    let rows = plan.select(limit: nil, offset: 0)
    var cursor: Cursor? = try await Cursor(snapshot, rows, for: .batches)
    #expect(snapshot.idleReader == nil)
    try await moveSnapshots(at: snapshot.commit)
    #expect(try await cursor?.records(10, of: plan).count == 3)
    cursor = nil
    #expect(await eventually { snapshot.idleReader === reader })
    try await moveSnapshots(at: snapshot.commit)
    #expect(snapshot.idleReader !== reader)
    #expect(try await count(snapshot) == 3)
  }

  @Test func `a moved snapshot keeps its commit, and a later commit moves none`() async throws {
    try await stack.commit { $0.insert(Boat(id: 1)) }
    let snapshot = try await stack.store.snapshot()
    let reader = try #require(snapshot.idleReader)
    try await moveSnapshots(at: snapshot.commit)
    let moved = try #require(snapshot.idleReader)
    #expect(moved !== reader)
    #expect(try await count(snapshot) == 1)
    // Another program commits before the snapshots are moved.
    try Connection(path: await stack.path, .readWrite)
      .execute(
        """
        INSERT INTO boats VALUES (2, 'Gull', 0, NULL, NULL);
        UPDATE strata_commit SET number = 9
        """)
    try await moveSnapshots(at: snapshot.commit)
    #expect(snapshot.idleReader === moved)
    #expect(try await count(snapshot) == 1)
  }

  /// Moves the snapshots of a commit as the writer does between transactions.
  private func moveSnapshots(at commit: Int64) async throws {
    _ = try await stack.store.writer.enqueue(.urgent) { writer in
      writer.pool.moveSnapshots(at: commit, schemaVersion: writer.file.schemaVersion)
    }.value
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

  // If the restart waited for a read, all commits would wait, too.
  @Test func `the restart of the log waits for no read`() async throws {
    let snapshot = try await stack.store.snapshot()
    let busy = try await BusyReader(of: snapshot)
    let isAtRest = try await stack.store.writer.enqueue(.urgent) { writer in
      writer.pool.moveSnapshots(at: snapshot.commit, schemaVersion: writer.file.schemaVersion)
      return writer.pool.isAtRest(at: snapshot.commit)
    }.value
    #expect(!isAtRest)
    busy.hold.signal()
    try await busy.read.value
    #expect(snapshot.idleReader === busy.reader)
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
    #expect(await eventually { snapshot.idleReader === reader })
    reader.waitForWork()
    #expect(try await snapshot.readOnce { reader, _ in reader.cursors.isEmpty })
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

  @MainActor @Test func `a read does not run on the main actor`() async throws {
    let snapshot = try await stack.store.snapshot()
    for _ in 0..<3 {
      try await snapshot.read { _, _ in dispatchPrecondition(condition: .notOnQueue(.main)) }
    }
  }

  @Test func `a short read runs where its caller runs, and a long read does not`() async throws {
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
    #expect(try short?.get() == 6)
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
