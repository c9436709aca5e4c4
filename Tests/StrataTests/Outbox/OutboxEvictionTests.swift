import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Evictions in a stack with an outbox.
///
/// An eviction makes no requests, and leaves rows alone that no server has yet.
@Suite(.inTurn) struct OutboxEvictionTests {
  fileprivate func open() async throws -> (Stack, Outbox) {
    var options = Stack.Options()
    options.history = .keep(bytes: 1 << 20)
    let stack = try await Stack.temporary(Parcel.self, Crate.self, options: options)
    return (stack, try await stack.outbox())
  }

  @Test func `evicted rows are no requests, and rows that wait stay`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1), Parcel(id: 2), Parcel(id: 3), Parcel(id: 4))
    try await outbox.pushed()
    try await stack.insert(Parcel(id: 5))
    try await stack.update(2) { $0.name = "edited" }
    try await stack.delete(Parcel.self, 3)
    let waiting = ["insert Parcel 5", "update Parcel 2 name", "delete Parcel 3"]
    let report = try await stack.evict(Eviction<Parcel>.beyond(newest: 0, by: \.id))
    #expect(report.evicted == 2 && report.keptUnpushed == 2)
    #expect(try await stack.fetch(Parcel.all).map(\.id) == [2, 5])
    #expect(try await outbox.pushed().sorted() == waiting.sorted())
    // After the push the rows may be evicted.
    #expect(try await stack.evict(Eviction<Parcel>.beyond(newest: 0, by: \.id)).evicted == 2)
    #expect(try await outbox.requests().isEmpty)
    for try await entry in stack.history() where entry.author != stack.defaultAuthor {
      #expect(entry.author == Stack.evictionAuthor)
    }
    await stack.close()
  }

  @Test func `delete rules overwrite nothing that was edited here`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(
      Crate(id: 1, code: "a"), Crate(id: 2, code: "b"), Crate(id: 3, code: "c"),
      Parcel(id: 1, crateID: 2), Parcel(id: 2, crateID: 3), Parcel(id: 3, crateID: 2))
    try await outbox.pushed()
    // Parcel 1 is put into its crate here. Parcel 2 has an edit of a different attribute.
    try await stack.update(1) { $0.crateID = 1 }
    try await stack.update(2) { $0.name = "edited" }
    let report = try await stack.evict(
      Eviction<Crate>.beyond(newest: 0, by: \.id), referenced: .followDeleteRules)
    #expect(report.evicted == 2 && report.keptUnpushed == 1)
    #expect(try await stack.fetch(Parcel.all).map(\.crateID) == [1, nil, nil])
    #expect(
      try await outbox.pushed() == ["update Parcel 1 crateID", "update Parcel 2 name"])
    await stack.close()
  }
}

extension OutboxEvictionTests {
  @Test func `deletions by an import overwrite no row that was edited here`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(
      Crate(id: 1, code: "a"), Crate(id: 2, code: "b"), Crate(id: 3, code: "c"),
      Parcel(id: 1), Parcel(id: 2, crateID: 2))
    try await outbox.pushed()
    try await stack.update(1) { $0.crateID = 1 }
    try await stack.update(2) { $0.name = "edited" }
    try await stack.withScratch { scratch in
      scratch.update(try #require(try await scratch.find(Crate.self, 3))) { $0.code = "d" }
    }
    let target = try #require(stack.makeScratch().batchTarget(author: "import"))
    var batch = RecordBatch()
    for id in 1...3 {
      batch.delete(RecordKey(.integer(Int64(id))), from: stack.store.model.table(of: Crate.self))
    }
    let outcome = try await target.save(batch, ImportTarget.Saving()).outcome
    #expect(outcome.deleted == 1 && outcome.kept == 2)
    #expect(try await stack.fetch(Crate.all).map(\.id) == [1, 3])
    #expect(try await stack.fetch(Parcel.all).map(\.crateID) == [1, nil])
    #expect(
      try await outbox.pushed() == [
        "update Parcel 1 crateID", "update Parcel 2 name", "update Crate 3 code",
      ])
    await stack.close()
  }
}

extension Stack {
  fileprivate var defaultAuthor: String { store.writer.options.settings.author }
}
