import StrataTestTurns
import StrataTesting
import Testing

@testable import Strata

/// All results of `stack.outbox()` are one outbox, and the stacks of one file push in turn.
///
/// Each snippet of the article asked for the outbox anew. Two such outboxes sent the same request at once.
@Suite(.inTurn) struct OutboxHandlesTests {
  private enum Handles: String, CaseIterable {
    case one = "one handle"
    case asked = "two handles of a stack"
    case stacks = "two stacks of a file"
  }

  private func withHandles(
    _ handles: Handles,
    _ body: (_ stack: Stack, _ first: Outbox, _ second: Outbox) async throws -> Void
  ) async throws {
    let folder = try StoreFolder()
    let stack = try await Stack.open(Crate.self, Parcel.self, at: folder.url)
    let first = try await stack.outbox()
    switch handles {
    case .one: try await body(stack, first, first)
    case .asked: try await body(stack, first, try await stack.outbox())
    case .stacks:
      let other = try await Stack.open(Crate.self, Parcel.self, at: folder.url)
      try await body(stack, first, try await other.outbox())
      await other.close()
    }
    await stack.close()
  }

  @Test(arguments: [Handles.one, .asked, .stacks])
  private func `pushes wait for each other`(_ handles: Handles) async throws {
    try await withHandles(handles) { stack, first, second in
      try await stack.insert(Parcel(id: 1))
      let sent = Lock<[String]>([])
      let (isSending, mayAnswer) = (TestGate(), TestGate())
      async let one = first.push { request in
        sent.withLock { $0.append("first \(request.text)") }
        await isSending.open()
        await mayAnswer.pass()
        return .done
      }
      await isSending.pass()
      async let two = second.push { request in
        sent.withLock { $0.append("second \(request.text)") }
        return .done
      }
      #expect(await eventually { stack.store.pushTurns.waitingCount == 1 })
      try await stack.update(1) { $0.name = "edited meanwhile" }
      await mayAnswer.open()
      let results = try await (one, two)
      #expect(results.0.sent + results.1.sent == sent.withLock(\.count))
      let texts = sent.withLock(\.self)
      #expect(texts.first == "first insert Parcel 1", "\(texts)")
      #expect(texts.count == 2 && texts.last?.contains("update Parcel 1") == true, "\(texts)")
      #expect(try await first.requests().isEmpty)
    }
  }

  @Test(arguments: [Handles.one, .asked, .stacks])
  private func `a push within the closure is refused`(_ handles: Handles) async throws {
    try await withHandles(handles) { stack, first, second in
      try await stack.insert(Parcel(id: 1))
      try await first.push { _ in
        let error = await #expect(throws: StoreError.self) { try await second.push { _ in .done } }
        #expect(error?.code == .nestedPush)
        return .done
      }
    }
  }

  @Test(arguments: [Handles.one, .asked, .stacks])
  private func `the delay grows with each postponed push of the store`(
    _ handles: Handles
  ) async throws {
    try await withHandles(handles) { stack, first, second in
      try await stack.insert(Parcel(id: 1))
      var delays: [Duration?] = []
      for outbox in [first, second, first] {
        delays.append(try await outbox.push { _ in .later }.retryAfter)
      }
      #expect(delays == [.seconds(1), .seconds(2), .seconds(4)])
      #expect(try await second.push { _ in .done }.retryAfter == nil)
    }
  }

  @Test func `the delay does not begin anew with each handle`() async throws {
    let stack = try await Stack.temporary(Crate.self, Parcel.self)
    _ = try await stack.outbox()
    try await stack.insert(Parcel(id: 1))
    #expect(try await stack.outbox().push { _ in .later }.retryAfter == .seconds(1))
    #expect(try await stack.outbox().push { _ in .later }.retryAfter == .seconds(2))
    await stack.close()
  }

  @Test func `an open stack has one outbox, and keeps none alive`() async throws {
    let stack = try await Stack.temporary(Crate.self, Parcel.self)
    var outbox: Outbox? = try await stack.outbox()
    #expect(try await stack.outbox() === outbox)
    weak let old = outbox
    outbox = nil
    #expect(await eventually { old == nil })
    await stack.close()
  }

  // MARK: - Counts

  private static let calls: [(name: String, call: @Sendable (Stack, Outbox) async throws -> Void)] =
    [
      ("requests", { _ = try await $1.requests() }),
      ("refusals", { _ = try await $1.refusals() }),
      ("conflicts", { _ = try await $1.conflicts() }),
      ("outbox", { stack, _ in _ = try await stack.outbox() }),
      ("add", { _ = try await $1.add(Parcel.all) }),
      ("push", { _ = try await $1.push { _ in .later } }),
    ]

  // The first value of the badge was that of the outbox's first moment.
  @Test(arguments: calls.indices)
  @MainActor func `the first value that is read is right after a call`(_ index: Int) async throws {
    let (stack, outbox) = try await {
      let stack = try await Stack.temporary(Crate.self, Parcel.self)
      return (stack, try await stack.outbox())
    }()
    let scratch = stack.makeScratch()
    scratch.insert(Parcel(id: 1))
    try await scratch.save()
    try await Self.calls[index].call(stack, outbox)
    #expect(
      outbox.currentCounts == OutboxCounts(waiting: 1, refused: 0), "\(Self.calls[index].name)")
    await stack.close()
  }

  @Test @MainActor func `commits of another stack are counted before the first look`() async throws
  {
    let folder = try StoreFolder()
    let stack = try await Stack.open(Crate.self, Parcel.self, at: folder.url)
    let outbox = try await stack.outbox()
    let other = try await Stack.open(Crate.self, Parcel.self, at: folder.url)
    try await other.insert(Parcel(id: 1), Parcel(id: 2))
    #expect(await eventually { outbox.counter.latest.waiting == 2 })
    #expect(outbox.currentCounts.waiting == 2)
    try await other.delete(Parcel.self, 1)
    await expect(outbox.currentCounts, becomes: OutboxCounts(waiting: 1, refused: 0))
    await other.close()
    await stack.close()
  }
}
