import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The requests of an outbox, their order and their end.
@Suite(.inTurn) struct PushTests {
  private func open(_ options: Stack.Options = Stack.Options()) async throws -> (Stack, Outbox) {
    let stack = try await Stack.temporary(Parcel.self, Crate.self, options: options)
    return (stack, try await stack.outbox())
  }

  @Test func `a row is made before those that refer to it and deleted after they let go`()
    async throws
  {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1, crateID: 9), Crate(id: 9, code: "a"))
    #expect(try await outbox.pushed() == ["insert Crate 9", "insert Parcel 1"])
    // The last edit of the parcel comes after the deletion of its old crate.
    try await stack.insert(Crate(id: 8, code: "b"))
    try await stack.update(1) { $0.crateID = 8 }
    try await stack.delete(Crate.self, 9)
    try await stack.update(1) { $0.name = "late" }
    #expect(
      try await outbox.pushed()
        == ["insert Crate 8", "update Parcel 1 crateID,name", "delete Crate 9"])
    // The delete rule in the same commit removes the reference, too.
    try await stack.delete(Crate.self, 8)
    #expect(try await outbox.pushed() == ["update Parcel 1 crateID", "delete Crate 8"])
    await stack.close()
  }

  @Test func `a unique value is given away before another row gets it`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Crate(id: 1, code: "a"), Crate(id: 2, code: "b"))
    try await outbox.pushed()
    // Both edits are in one commit.
    try await stack.withScratch { scratch in
      scratch.delete(try #require(try await scratch.find(Crate.self, 1)))
      scratch.insert(Crate(id: 3, code: "a"))
    }
    #expect(try await outbox.pushed() == ["delete Crate 1", "insert Crate 3"])
    // Crate 2 gives the value away, and is edited again after crate 4 has it.
    try await stack.withScratch { scratch in
      scratch.update(try #require(try await scratch.find(Crate.self, 2))) { $0.code = "c" }
    }
    try await stack.insert(Crate(id: 4, code: "b"))
    try await stack.withScratch { scratch in
      scratch.update(try #require(try await scratch.find(Crate.self, 2))) { $0.code = "d" }
    }
    #expect(try await outbox.pushed() == ["update Crate 2 code", "insert Crate 4"])
    await stack.close()
  }

  @Test func `a value that only the server has unique comes free first, too`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1, name: "unique"))
    try await outbox.pushed()
    try await stack.delete(Parcel.self, 1)
    try await stack.insert(Parcel(id: 2, name: "unique"))
    #expect(try await outbox.pushed() == ["delete Parcel 1", "insert Parcel 2"])
    await stack.close()
  }

  @Test func `links are requests with two ends`() async throws {
    let (stack, outbox) = try await open()
    let (parcel, crate) = (Parcel(id: 1), Crate(id: 9))
    try await stack.withScratch { scratch in
      scratch.insert(parcel)
      scratch.insert(crate)
      scratch.link(parcel, to: crate, in: Parcel.labels)
    }
    var last = try #require(try await outbox.requests().last)
    #expect(last.kind == .insert && last.value(as: Parcel.self) == nil)
    let link = try #require(last.link(of: Parcel.labels))
    #expect(link.root == 1 && link.target == 9)
    try await outbox.pushed()
    try await stack.delete(Crate.self, 9)
    let requests = try await outbox.requests()
    #expect(requests.map(\.kind) == [.delete, .delete])
    last = try #require(requests.first)
    #expect(last.link(of: Parcel.labels)?.target == 9)
    #expect(requests.last?.link(of: Parcel.labels) == nil)
    await stack.close()
  }

  @Test func `an edit that is made while its row is sent waits for the next request`() async throws
  {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1), Parcel(id: 2), Parcel(id: 3))
    let sent = Lock<[String]>([])
    try await outbox.push { request in
      sent.withLock { $0.append(request.text) }
      guard request.kind == .insert else { return .done }
      switch request.key.cell {
      case .integer(1): try await stack.update(1) { $0.name = "again" }
      // The server has the row by the time it is deleted here.
      case .integer(2): try await stack.delete(Parcel.self, 2)
      default:
        try await stack.delete(Parcel.self, 3)
        try await stack.insert(Parcel(id: 3, name: "back"))
      }
      return .done
    }
    #expect(
      sent.withLock { $0 } == [
        "insert Parcel 1", "insert Parcel 2", "insert Parcel 3", "update Parcel 1 name",
        "delete Parcel 2", "update Parcel 3 crateID,id,name,weight",
      ])
    #expect(try await outbox.requests().isEmpty)
    await stack.close()
  }

  @Test func `a row that may have been sent is deleted there, one that was not is forgotten`()
    async throws
  {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1), Parcel(id: 2))
    await #expect(throws: Unreachable.self) { try await outbox.push { _ in throw Unreachable() } }
    try await stack.delete(Parcel.self, 1)
    try await stack.delete(Parcel.self, 2)
    #expect(try await outbox.described() == ["delete Parcel 1"])
    await stack.close()
  }

  @Test func `a request that ends although its task was cancelled is acknowledged`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1), Parcel(id: 2))
    let gate = TestGate()
    let push = Task {
      try await outbox.push { _ in
        await gate.pass()
        return .done
      }
    }
    await gate.waitForArrivals()
    push.cancel()
    await gate.open()
    await #expect(throws: CancellationError.self) { try await push.value }
    #expect(try await outbox.described() == ["insert Parcel 2"])
    await stack.close()
  }

  @Test func `every request can be taken for pushed`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1), Crate(id: 1))
    try await outbox.acknowledgeEverything()
    #expect(try await outbox.requests().isEmpty)
    try await stack.update(1) { $0.weight = 1 }
    #expect(try await outbox.described() == ["update Parcel 1 weight"])
    await stack.close()
  }

  @Test func `a commit of more rows than are announced one by one waits row by row`() async throws {
    var options = Stack.Options()
    options.bounds.listedRows = 2
    let (stack, outbox) = try await open(options)
    var changes = stack.changes.makeAsyncIterator()
    try await stack.insert(Parcel(id: 1), Parcel(id: 2), Parcel(id: 3))
    #expect(await changes.next()?.changes(of: Parcel.self).isReset == true)
    #expect(
      try await outbox.pushed() == ["insert Parcel 1", "insert Parcel 2", "insert Parcel 3"])
    await stack.close()
  }
}
