import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A worker, which holds a scratch context.
private actor Worker {
  private let scratch: ScratchContext
  init(_ scratch: sending ScratchContext) { self.scratch = scratch }

  var hasChanges: Bool { scratch.hasChanges }
  func insert(_ boat: Boat) { scratch.insert(boat) }
  func save() async throws -> Int64 { try await scratch.save() }
  func find(_ id: Int) async throws -> Boat? { try await scratch.find(Boat.self, id) }

  /// Runs `body` on the actor, so that the actor is busy.
  func stand(_ body: @Sendable () -> Void) { body() }

  func update(_ boat: Boat, _ change: @Sendable (inout Boat) -> Void) {
    scratch.update(boat, change)
  }

  func lengthen(_ id: Int) async throws {
    guard let boat = try await scratch.find(Boat.self, id) else { return }
    scratch.update(boat) { $0.length += 1 }
  }
}

@Suite(.inTurn, .stack(Boat.self, Harbour.self, Pennant.self)) struct ScratchTests {
  let stack = Stack.test
  let gull = Boat(id: 1, name: "Gull", length: 9)

  @Test func `a worker holds a scratch context and saves from it again and again`() async throws {
    let worker = Worker(stack.makeScratch())
    for number in 1...5 {
      await worker.insert(Boat(id: number))
      #expect(try await worker.save() == Int64(number))
    }
    #expect(try await stack.rows("SELECT count(*) FROM boats") == ["5"])
  }

  @Test func `many workers lose no update`() async throws {
    try await stack.commit { $0.insert(Boat(id: 1)) }
    let stack = stack
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<25 {
            while true {
              let worker = Worker(stack.makeScratch())
              try await worker.lengthen(1)
              // A faster worker came first, so this worker tries again from the stored row.
              if await failure({ try await worker.save() })?.code != .conflict { break }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    // Two workers that lengthen the boat by the same amount at once agree, so not every step
    // counts.
    let length = try await stack.fetch(Boat.all)[0].length
    #expect(length >= 25 && length <= 100)
  }

  @Test func `withScratch saves when its body returns, and the view context has it`() async throws {
    let result = try await stack.withScratch { scratch in
      scratch.insert(gull)
      return try await scratch.fetch(Boat.all).count
    }
    #expect(result == 1)
    #expect(await stack.viewContext.commit == 1)
    #expect(try await stack.rows("SELECT id FROM boats") == ["1"])
  }

  @Test func `withScratch saves nothing if its body throws`() async throws {
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) {
      try await stack.withScratch { scratch in
        scratch.insert(gull)
        throw Refusal()
      }
    }
    #expect(try await stack.rows("SELECT id FROM boats") == [])
  }

  @Test func `a fetch sees the store as it was at the first one, with the edits made here`()
    async throws
  {
    let boats = (1...5).map { Boat(id: $0, length: $0) }
    try await stack.commit { scratch in boats.forEach(scratch.insert) }
    let scratch = stack.makeScratch()
    let long = Boat.where { $0.length > 2 }.sorted(by: \.length)
    #expect(try await scratch.fetch(long).map(\.id) == [3, 4, 5])
    try await stack.commit { $0.insert(Boat(id: 6, length: 6)) }
    scratch.update(boats[0]) { $0.length = 7 }
    scratch.update(boats[3]) { $0.length = 1 }
    scratch.delete(boats[4])
    scratch.upsert(Boat(id: 8, length: 8))
    scratch.insert(Boat(id: 9, length: 9))
    #expect(try await scratch.fetch(long).map(\.id) == [3, 1, 8, 9])
    #expect(try await scratch.count(long.offset(1).limit(2)) == 2)
    #expect(try await scratch.find(Boat.self, [9, 6, 8, 5, 1, 1]).map(\.id) == [9, 8, 1, 1])
    await scratch.refresh()
    #expect(try await scratch.fetch(long).map(\.id) == [3, 6, 1, 8, 9])
    scratch.rollback()
    #expect(!scratch.hasChanges)
    #expect(try await scratch.fetch(long).map(\.id) == [3, 4, 5, 6])
  }

  @Test func `a failed save keeps every edit`() async throws {
    try await stack.commit { $0.insert(Pennant(id: 1, code: "A")) }
    let scratch = stack.makeScratch()
    scratch.insert(gull)
    scratch.insert(Pennant(id: 2, code: "A", number: 2))
    for _ in 0..<2 {
      #expect(await failure { try await scratch.save() }?.code == .uniquenessViolated)
      #expect(scratch.hasChanges)
      #expect(try await scratch.count(Pennant.all) == 2)
    }
    scratch.update(Pennant(id: 2, code: "A", number: 2)) { $0.code = "B" }
    #expect(try await scratch.save() == 2 && !scratch.hasChanges)
    #expect(try await stack.rows("SELECT name FROM boats") == ["Gull"])
  }

  @Test func `cancelling withdraws a save that waits, and keeps its edits`() async throws {
    let worker = Worker(stack.makeScratch())
    await worker.insert(gull)
    let stop = await WriterStop(stack)
    let saving = Task { await failure { try await worker.save() } }
    await others()
    saving.cancel()
    #expect(await saving.value?.code == .cancelled)
    stop.release()
    #expect(await worker.hasChanges)
    #expect(try await worker.save() == 1)
  }

  @Test func `a save sees the newest state afterwards`() async throws {
    let scratch = stack.makeScratch()
    #expect(try await scratch.count(Boat.all) == 0)
    try await stack.commit { $0.insert(Boat(id: 2)) }
    scratch.insert(gull)
    try await scratch.save()
    #expect(try await scratch.fetch(Boat.all).map(\.id) == [1, 2])
    // An older value in hand does not conflict with the context's own save.
    scratch.update(gull) { $0.length = 10 }
    try await scratch.save()
    scratch.update(gull) { $0.length += 1 }
    try await scratch.save()
    #expect(try await stack.rows("SELECT length FROM boats WHERE id = 1") == ["11"])
  }

  // The commit that an empty save returns may be newer than the rows that the save has read.
  @Test func `a save that has nothing to write has the number of the newest commit`() async throws {
    try await stack.commit { $0.insert(gull) }
    let empty = stack.makeScratch()
    let agreeing = stack.makeScratch()
    for scratch in [empty, agreeing] {
      let found = try #require(try await scratch.find(Boat.self, 1))
      scratch.update(found) { $0.name = scratch === empty ? "Gull" : "Swan" }
    }
    try await stack.commit { $0.update(gull) { $0.name = "Swan" } }
    #expect(try await empty.save() == 2)
    #expect(try await agreeing.save() == 2)
    #expect(stack.historyToken.commit == 2)
  }

  @Test func `an edit starts from what was fetched, not from what was saved here long ago`()
    async throws
  {
    // The worker counts in turns with another context. Its own save must not replace the value that
    // it has read since. Otherwise the step made meanwhile would be lost silently.
    let scratch = stack.makeScratch()
    scratch.insert(Boat(id: 1, length: 0))
    try await scratch.save()
    try await stack.commit { $0.update(Boat(id: 1, length: 0)) { $0.length += 1 } }
    await scratch.refresh()
    let found = try #require(try await scratch.find(Boat.self, 1))
    #expect(found.length == 1)
    #expect(scratch.update(found) { $0.length += 1 }.length == 2)
    try await scratch.save()
    #expect(try await stack.rows("SELECT length FROM boats") == ["2"])
  }

  // The fetch pins a snapshot before the save. That snapshot must not become the context's after
  // the save.
  @Test func `a fetch and a save of one context see each other`() async throws {
    let worker = Worker(stack.makeScratch())
    let stop = await WriterStop(stack)
    let reading = Task(priority: .background) { try await worker.find(1) }
    #expect(await eventually { stack.store.writer.queue.count == 1 })
    let saving = Task(priority: .high) {
      await worker.insert(gull)
      return try await worker.save()
    }
    #expect(await eventually { stack.store.writer.queue.count == 2 })
    // Both answers then wait for the actor, which takes the save's answer first.
    let goOn = DispatchSemaphore(value: 0)
    let stopped = Lock(false)
    let standing = Task {
      await worker.stand {
        stopped.withLock { $0 = true }
        goOn.wait()
      }
    }
    #expect(await eventually { stopped.withLock(\.self) })
    stop.release()
    _ = await stack.store.writer.commit
    goOn.signal()
    await standing.value
    _ = try await reading.value
    _ = try await saving.value
    #expect(try await worker.find(1) == gull)
  }

  @Test func `edits made while a save is under way are not lost`() async throws {
    // An actor may edit its context while its own save waits for the writer.
    let worker = Worker(stack.makeScratch())
    await worker.insert(gull)
    let stop = await WriterStop(stack)
    let saving = Task { try await worker.save() }
    #expect(await eventually { stack.store.writer.queue.count == 1 })
    await worker.insert(Boat(id: 2, name: "Tern"))
    await worker.update(gull) { $0.length = 10 }
    stop.release()
    #expect(try await saving.value == 1)
    #expect(await worker.hasChanges)
    _ = try await worker.save()
    #expect(
      try await stack.rows("SELECT id, name, length FROM boats") == ["1 Gull 10", "2 Tern 0"])
  }
}
