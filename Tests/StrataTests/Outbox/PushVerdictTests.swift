import StrataTesting
@testable import Strata
import StrataTestTurns
import Testing

/// The verdicts of a server.
///
/// A request that the server postpones or refuses does not block other requests.
@Suite(.inTurn) struct PushVerdictTests {
  private func open() async throws -> (Stack, Outbox) {
    let stack = try await Stack.temporary(Crate.self, Parcel.self)
    return (stack, try await stack.outbox())
  }

  /// Pushes to a server that gives some requests a verdict of their own.
  private func push(
    _ outbox: Outbox, _ verdicts: [String: PushVerdict] = [:]
  ) async throws -> (sent: [String], result: PushResult) {
    let sent = Lock<[String]>([])
    let result = try await outbox.push { request in
      sent.withLock { $0.append(request.text) }
      return verdicts["\(request.entity) \(request.key)"] ?? .done
    }
    return (sent.withLock { $0 }, result)
  }

  /// A server's answer 422 to one request must not stop all other requests for ever.
  @Test func `a refused request is set aside and the others are sent`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Crate(id: 1, code: "a"), Parcel(id: 1, crateID: 1), Parcel(id: 2))
    let first = try await push(outbox, ["Crate 1": .refused("no such code")])
    // The parcel in the crate waits for the crate.
    #expect(Set(first.sent) == ["insert Crate 1", "insert Parcel 2"])
    #expect((first.result.sent, first.result.refused, first.result.left) == (1, 1, 1))
    #expect(first.result.retryAfter == nil)
    #expect(try await outbox.requests().map(\.text) == ["insert Parcel 1"])
    let refusals = try await outbox.refusals()
    #expect(refusals.map(\.reason) == ["no such code"])
    #expect(refusals.map(\.request.text) == ["insert Crate 1"])
    // The refused request is not sent again by itself.
    #expect(try await push(outbox).sent == [])
    try await outbox.retry(try #require(refusals.first))
    #expect(try await push(outbox).sent == ["insert Crate 1", "insert Parcel 1"])
    #expect(try await outbox.refusals().isEmpty)
    await stack.close()
  }

  @Test func `an edit of a refused row is another request`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1, name: "wrong"))
    _ = try await push(outbox, ["Parcel 1": .refused("bad name")])
    let refusal = try #require(try await outbox.refusals().first)
    try await stack.update(1) { $0.name = "right" }
    #expect(try await outbox.refusals().isEmpty)
    // The refused request is gone, so it can be neither retried nor reverted.
    #expect(try await !outbox.retry(refusal))
    #expect(try await !outbox.revert(refusal))
    #expect(try await push(outbox).sent == ["insert Parcel 1"])
    await stack.close()
  }

  @Test func `a row that is edited while its request is refused is sent again`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1, name: "wrong"))
    let sent = Lock<[String]>([])
    let result = try await outbox.push { request in
      let isFirst = sent.withLock { sent in
        sent.append(request.text)
        return sent.count == 1
      }
      if !isFirst { return .done }
      try await stack.update(1) { $0.name = "right" }
      return .refused("bad name")
    }
    #expect(sent.withLock { $0 } == ["insert Parcel 1", "insert Parcel 1"])
    #expect(result.sent == 1)
    #expect(try await outbox.refusals().isEmpty)
    await stack.close()
  }

  @Test func `a refused edit that is given up leaves what the server has`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1, name: "old"), Parcel(id: 2, name: "kept"))
    _ = try await push(outbox)
    try await stack.update(1) { $0.name = "new" }
    try await stack.delete(Parcel.self, 2)
    try await stack.insert(Parcel(id: 3))
    let verdicts = ["Parcel 1", "Parcel 2", "Parcel 3"].map { ($0, PushVerdict.refused("no")) }
    let first = try await push(outbox, Dictionary(uniqueKeysWithValues: verdicts))
    #expect(first.result.refused == 3)
    for refusal in try await outbox.refusals() { #expect(try await outbox.revert(refusal)) }
    let parcels = try await stack.fetch(Parcel.sorted(by: \.id))
    #expect(parcels.map(\.id) == [1, 2] && parcels.map(\.name) == ["old", "kept"])
    #expect(try await outbox.refusals().isEmpty)
    #expect(try await outbox.requests().isEmpty)
    await stack.close()
  }

  @Test func `a request that the server wants later waits longer with each push`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Crate(id: 1, code: "a"), Parcel(id: 1, crateID: 1), Parcel(id: 2))
    for delay in [1, 2, 4, 8] {
      let later = try await push(outbox, ["Crate 1": .later])
      #expect(later.sent.contains("insert Crate 1") && !later.sent.contains("insert Parcel 1"))
      #expect(later.result.left == 2 && later.result.refused == 0)
      #expect(later.result.retryAfter == .seconds(delay))
    }
    let done = try await push(outbox)
    #expect(done.sent == ["insert Crate 1", "insert Parcel 1"])
    #expect(done.result.left == 0 && done.result.retryAfter == nil)
    await stack.close()
  }

  /// A postponed request counted as one that may have arrived, for good. It held up every deletion
  /// from the table that its row refers to.
  @Test func `the longest time that a server asks to wait is kept`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1), Parcel(id: 2), Parcel(id: 3))
    let asked = try await push(
      outbox,
      [
        "Parcel 1": .later(after: .seconds(40)), "Parcel 2": .later(after: .seconds(90)),
        "Parcel 3": .later,
      ])
    #expect(asked.result.left == 3 && asked.result.retryAfter == .seconds(90))
    // A time shorter than the outbox's own does not count.
    let short = try await push(outbox, ["Parcel 1": .later(after: .milliseconds(5))])
    #expect(short.result.left == 1 && short.result.retryAfter == .seconds(2))
    await stack.close()
  }

  @Test func `a postponed request that is refused later holds up no deletion`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Crate(id: 1, code: "a"), Parcel(id: 1))
    _ = try await push(outbox)
    try await stack.update(1) { $0.name = "new" }
    #expect(try await push(outbox, ["Parcel 1": .later]).result.left == 1)
    #expect(try await push(outbox, ["Parcel 1": .refused("no")]).result.refused == 1)
    try await stack.delete(Crate.self, 1)
    #expect(try await push(outbox).sent == ["delete Crate 1"])
    await stack.close()
  }

  /// The server was asked to delete a row that it never took.
  @Test func `a postponed insertion that is deleted leaves nothing to send`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1), Parcel(id: 2))
    _ = try await push(outbox, ["Parcel 1": .later])
    try await stack.delete(Parcel.self, 1)
    #expect(try await outbox.requests().isEmpty)
    // The row is deleted while the server is asked.
    try await stack.insert(Parcel(id: 3))
    _ = try await outbox.push { _ in
      try await stack.delete(Parcel.self, 3)
      return .later
    }
    #expect(try await outbox.requests().isEmpty)
    #expect(try await push(outbox).sent == [])
    await stack.close()
  }

  /// The older value of the first edit came back.
  @Test func `a refused edit gives way to what imports brought meanwhile`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1, name: "old", weight: 1))
    _ = try await push(outbox)
    try await stack.update(1) { $0.name = "new" }
    let importer = stack.makeScratch()
    importer.author = Stack.importAuthor
    let parcel = try #require(try await importer.find(Parcel.self, 1))
    importer.update(parcel) { $0.weight = 2 }
    try await importer.save()
    try await stack.update(1) { $0.weight = 3 }
    _ = try await push(outbox, ["Parcel 1": .refused("no")])
    #expect(try await outbox.revert(try #require(try await outbox.refusals().first)))
    #expect(await stack.viewContext.commit == stack.store.newestCommit)
    let reverted = try #require(try await stack.find(Parcel.self, 1))
    #expect(reverted.name == "old" && reverted.weight == 2)
    await stack.close()
  }

  @Test func `a refusal is in the store, and keeps its row from evictions`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1, name: "mine"))
    _ = try await push(outbox, ["Parcel 1": .refused("no")])
    let again = try await stack.outbox()
    #expect(try await again.refusals().map(\.reason) == ["no"])
    #expect(try await stack.evict(.beyond(newest: 0, by: \Parcel.id)).keptUnpushed == 1)
    await stack.close()
  }

  /// Reads until the counts are as given; false if the sequence ends before.
  private func reach(
    _ counts: inout AsyncStream<OutboxCounts>.Iterator, _ waiting: Int, _ refused: Int
  ) async -> Bool {
    while let next = await counts.next(isolation: nil) {
      if next == OutboxCounts(waiting: waiting, refused: refused) { return true }
    }
    return false
  }

  @Test func `the counts are told`() async throws {
    let (stack, outbox) = try await open()
    var counts = outbox.counts.makeAsyncIterator()
    #expect(await reach(&counts, 0, 0))
    try await stack.insert(Parcel(id: 1), Parcel(id: 2))
    #expect(await reach(&counts, 2, 0))
    _ = try await push(outbox, ["Parcel 1": .refused("no")])
    #expect(await reach(&counts, 0, 1))
    try await outbox.retry(try #require(try await outbox.refusals().first))
    #expect(await reach(&counts, 1, 0))
    await stack.close()
    #expect(await counts.next() == nil)
  }

  // MARK: Two things at once

  private func expectEmpty(_ outbox: Outbox) async throws {
    #expect(try await outbox.isEmpty())
  }

  /// Saves edits as an import does.
  private func imported(
    _ stack: Stack, _ body: (ScratchContext) async throws -> Void
  ) async throws {
    let scratch = stack.makeScratch()
    scratch.author = Stack.importAuthor
    try await body(scratch)
    try await scratch.save()
  }

  @Test func `giving an edit up leaves what an import wrote since`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1, name: "old", weight: 1))
    _ = try await push(outbox)
    try await stack.update(1) { $0.name = "new" }
    _ = try await push(outbox, ["Parcel 1": .refused("no")])
    try await imported(stack) { scratch in
      let parcel = try #require(try await scratch.find(Parcel.self, 1))
      scratch.update(parcel) { $0.weight = 2 }
    }
    let refusal = try #require(try await outbox.refusals().first)
    #expect(try await outbox.revert(refusal))
    #expect(try await stack.fetch(Parcel.all) == [Parcel(id: 1, name: "old", weight: 2)])
    await stack.close()
  }

  @Test func `giving an insertion up takes along what only this store has`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1), Crate(id: 1, code: "a"))
    let scratch = stack.makeScratch()
    scratch.link(1, to: 1, in: Parcel.labels)
    try await scratch.save()
    _ = try await push(outbox, ["Parcel 1": .refused("no")])
    #expect(try await outbox.requests().count == 1)
    #expect(try await outbox.revert(try #require(try await outbox.refusals().first)))
    #expect(try await stack.fetch(Parcel.all).isEmpty)
    // Nothing is left of the link either.
    try await expectEmpty(outbox)
    #expect(try await stack.fetch(Crate.all).count == 1)
    await stack.close()
  }

  @Test
  func `a row that may have arrived is deleted there although its insertion was refused later`()
    async throws
  {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1))
    // The answer is lost.
    await #expect(throws: Unreachable.self) { try await outbox.push { _ in throw Unreachable() } }
    _ = try await push(outbox, ["Parcel 1": .refused("there is one already")])
    try await stack.delete(Parcel.self, 1)
    #expect(try await outbox.described() == ["delete Parcel 1"])
    await stack.close()
  }

  @Test func `an insertion that is refused while its row is deleted leaves nothing`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1))
    let result = try await outbox.push { _ in
      try await stack.delete(Parcel.self, 1)
      return .refused("no")
    }
    #expect(result.refused == 1)
    try await expectEmpty(outbox)
    await stack.close()
  }

  @Test func `a deletion that is refused while its row comes back becomes an update`() async throws
  {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1, name: "old"))
    _ = try await push(outbox)
    try await stack.delete(Parcel.self, 1)
    let sent = Lock<[String]>([])
    try await outbox.push { request in
      sent.withLock { $0.append(request.text) }
      guard request.kind == .delete else { return .done }
      try await stack.insert(Parcel(id: 1, name: "back"))
      return .refused("no")
    }
    #expect(
      sent.withLock { $0 } == ["delete Parcel 1", "update Parcel 1 crateID,id,name,weight"])
    try await expectEmpty(outbox)
    await stack.close()
  }

  @Test func `giving an edit up is no edit, whoever is ignored`() async throws {
    let stack = try await Stack.temporary(Crate.self, Parcel.self)
    let outbox = try await stack.outbox(ignoring: ["sync"])
    try await stack.insert(Parcel(id: 1, name: "old"))
    _ = try await push(outbox)
    try await stack.update(1) { $0.name = "new" }
    _ = try await push(outbox, ["Parcel 1": .refused("no")])
    #expect(try await outbox.revert(try #require(try await outbox.refusals().first)))
    try await expectEmpty(outbox)
    #expect(try await stack.fetch(Parcel.all).map(\.name) == ["old"])
    await stack.close()
  }

  // A task that followed the counts of an outbox that a function had made got one count and the end.
  @Test func `the counts go on without the outbox, and end with the stack`() async throws {
    let stack = try await Stack.temporary(Crate.self, Parcel.self)
    weak var released: Outbox?
    var counts: AsyncStream<OutboxCounts>.Iterator
    do {
      let outbox = try await stack.outbox()
      released = outbox
      counts = outbox.counts.makeAsyncIterator()
    }
    #expect(released == nil)
    #expect(await reach(&counts, 0, 0))
    try await stack.insert(Parcel(id: 1))
    #expect(await reach(&counts, 1, 0))
    try await stack.insert(Parcel(id: 2))
    #expect(await reach(&counts, 2, 0))
    await stack.close()
    #expect(await counts.next() == nil)
  }

  @Test func `released counts leave nothing behind`() async throws {
    let stack = try await Stack.temporary(Crate.self, Parcel.self)
    let before = stack.store.publisher.load.subscriptions
    var outbox: Outbox? = try await stack.outbox()
    var counts = outbox?.counts.makeAsyncIterator()
    outbox = nil
    #expect(await counts?.next() == OutboxCounts(waiting: 0, refused: 0))
    #expect(stack.store.publisher.load.subscriptions == before + 1)
    counts = nil
    #expect(await eventually { stack.store.publisher.load.subscriptions == before })
    let cancelled = Task { [counts = try await stack.outbox().counts] in for await _ in counts {} }
    cancelled.cancel()
    await cancelled.value
    #expect(await eventually { stack.store.publisher.load.subscriptions == before })
    await stack.close()
  }

  @Test func `a second consumer gets the counts at once, and a later one the present counts`()
    async throws
  {
    let (stack, outbox) = try await open()
    do {
      var first = outbox.counts.makeAsyncIterator()
      #expect(await first.next() == OutboxCounts(waiting: 0, refused: 0))
      var second = outbox.counts.makeAsyncIterator()
      #expect(await second.next() == OutboxCounts(waiting: 0, refused: 0))
    }
    try await stack.insert(Parcel(id: 1))
    var later = outbox.counts.makeAsyncIterator()
    #expect(await later.next() == OutboxCounts(waiting: 1, refused: 0))
    await stack.close()
  }

  // `await push()` returned, and the badge still had the numbers from before it.
  @Test @MainActor func `the main actor has the counts when a call of the outbox returns`()
    async throws
  {
    let (stack, outbox) = try await open()
    #expect(outbox.currentCounts == OutboxCounts(waiting: 0, refused: 0))
    try await stack.insert(Parcel(id: 1), Parcel(id: 2))
    await expect(outbox.currentCounts, becomes: OutboxCounts(waiting: 2, refused: 0))
    _ = try await push(outbox, ["Parcel 1": .refused("no")])
    #expect(outbox.currentCounts == OutboxCounts(waiting: 0, refused: 1))
    try await outbox.retry(try #require(try await outbox.refusals().first))
    #expect(outbox.currentCounts == OutboxCounts(waiting: 1, refused: 0))
    try await stack.insert(Parcel(id: 3))
    // The second request fails, so one of two is left.
    let sent = Lock(0)
    await #expect(throws: CancellationError.self) {
      try await outbox.push { _ in
        let number = sent.withLock { sent in
          sent += 1
          return sent
        }
        if number == 2 { throw CancellationError() }
        return .done
      }
    }
    #expect(outbox.currentCounts == OutboxCounts(waiting: 1, refused: 0))
    try await outbox.acknowledgeEverything()
    #expect(outbox.currentCounts == OutboxCounts(waiting: 0, refused: 0))
    await stack.close()
  }

  @Test @MainActor func `counts that nobody has read are right after a push`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1), Parcel(id: 2))
    _ = try await push(outbox, ["Parcel 1": .refused("no")])
    #expect(outbox.currentCounts == OutboxCounts(waiting: 0, refused: 1))
    let again = try await stack.outbox()
    #expect(again.currentCounts == OutboxCounts(waiting: 0, refused: 1))
    await stack.close()
  }
}
