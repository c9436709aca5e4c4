import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Refused edits of rows that refer to rows which are deleted here.
///
/// `revert` said true of a link whose end was deleted, and brought nothing back. A reverted row referred
/// to a deleted row, whose deletion was sent while the server had the reference.
@Suite(.inTurn) struct RevertedLinkTests {
  private let parcel = Parcel(id: 1, name: "old", crateID: 9)
  private let crate = Crate(id: 9, code: "a")

  /// A parcel in a crate, which are linked, too. The server has all three.
  private func open() async throws -> (Stack, Outbox) {
    let stack = try await Stack.temporary(Parcel.self, Crate.self)
    let outbox = try await stack.outbox()
    try await stack.withScratch { scratch in
      scratch.insert(parcel)
      scratch.insert(crate)
      scratch.link(parcel, to: crate, in: Parcel.labels)
    }
    try await outbox.pushed()
    return (stack, outbox)
  }

  private func links(_ stack: Stack) async throws -> [Int] {
    try await stack.fetch(Parcel.labels(of: 1)).map(\.id)
  }

  private func refuse(
    _ outbox: Outbox, _ isRefused: @escaping @Sendable (PushRequest) -> Bool
  ) async throws -> PushRefusal {
    try await outbox.push { isRefused($0) ? .refused("no") : .done }
    return try #require(try await outbox.refusals().first)
  }

  @Test(arguments: [true, false])
  func `a link comes back with the end that waits to be deleted`(isRoot: Bool) async throws {
    let (stack, outbox) = try await open()
    if isRoot {
      try await stack.delete(Parcel.self, 1)
    } else {
      try await stack.delete(Crate.self, 9)
    }
    let refusal = try await refuse(outbox) { $0.link(of: Parcel.labels) != nil }
    #expect(try await outbox.revert(refusal))
    #expect(try await links(stack) == [9])
    #expect(try await stack.fetch(Crate.all) == [crate])
    #expect(try await stack.fetch(Parcel.all).count == 1)
    #expect(try await outbox.isEmpty())
    await stack.close()
  }

  @Test func `a link comes back with both ends`() async throws {
    let (stack, outbox) = try await open()
    try await stack.withScratch { scratch in
      scratch.delete(parcel)
      scratch.delete(crate)
    }
    let refusal = try await refuse(outbox) { $0.link(of: Parcel.labels) != nil }
    #expect(try await outbox.revert(refusal))
    #expect(try await links(stack) == [9])
    #expect(try await stack.fetch(Parcel.all).map(\.id) == [1])
    await stack.close()
  }

  @Test func `a reverted deletion brings back the row to which its row refers`() async throws {
    let (stack, outbox) = try await open()
    try await stack.withScratch { $0.unlink(parcel, from: crate, in: Parcel.labels) }
    try await outbox.pushed()
    try await stack.withScratch { scratch in
      scratch.delete(parcel)
      scratch.delete(crate)
    }
    let refusal = try await refuse(outbox) { $0.id(of: Parcel.self) != nil }
    #expect(try await outbox.revert(refusal))
    #expect(try await stack.fetch(Parcel.all) == [parcel])
    #expect(try await stack.fetch(Crate.all) == [crate])
    #expect(try await outbox.requests().isEmpty)
    await stack.close()
  }

  @Test func `a reverted update brings back the row to which its row refers`() async throws {
    let (stack, outbox) = try await open()
    try await stack.withScratch { $0.unlink(parcel, from: crate, in: Parcel.labels) }
    try await outbox.pushed()
    // The delete rule ends the reference.
    try await stack.withScratch { $0.delete(crate) }
    let refusal = try await refuse(outbox) { $0.id(of: Parcel.self) != nil }
    #expect(try await outbox.revert(refusal))
    #expect(try await stack.fetch(Parcel.all) == [parcel])
    #expect(try await stack.fetch(Crate.all) == [crate])
    #expect(try await outbox.requests().isEmpty)
    await stack.close()
  }

  @Test func `a refused link whose end is gone cannot be reverted, and the attempt changes no row`()
    async throws
  {
    let (stack, outbox) = try await open()
    try await stack.withScratch { $0.unlink(parcel, from: crate, in: Parcel.labels) }
    let refusal = try await refuse(outbox) { _ in true }
    // A commit that the outbox ignores deletes the end for good.
    let ignored = stack.makeScratch()
    ignored.author = Stack.importAuthor
    ignored.delete(crate)
    try await ignored.save()
    let error = await failure { try await outbox.revert(refusal) }
    #expect(error?.code == .missingReference)
    #expect(try await outbox.refusals().count == 1)
    #expect(try await links(stack).isEmpty)
    // The advice: send the request again.
    #expect(try await outbox.retry(refusal))
    #expect(try await outbox.pushed().count == 1)
    await stack.close()
  }

  /// The request was noted as handed over before the closure was called. The row's deletion was then
  /// sent, although no server had heard of the row.
  @Test func `a cancelled push hands nothing over that it does not send`() async throws {
    let stack = try await Stack.temporary(Parcel.self, Crate.self)
    let outbox = try await stack.outbox()
    try await stack.insert(Parcel(id: 1), Parcel(id: 2))
    let gate = TestGate()
    let push = Task {
      try await outbox.push { _ in
        await gate.pass()
        return .done
      }
    }
    await gate.waitForArrivals()
    let stop = await WriterStop(stack)
    await gate.open()
    // The verdict and the next request wait for the writer.
    #expect(await eventually { stack.store.writer.queue.count > 0 })
    push.cancel()
    stop.release()
    await #expect(throws: CancellationError.self) { try await push.value }
    try await stack.delete(Parcel.self, 2)
    #expect(try await outbox.requests().isEmpty)
    await stack.close()
  }
}
