import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The queue's rules on a real stack whose writer is stopped.
@Suite(.inTurn, .stack(Boat.self, Harbour.self, Pier.self))
struct WriterOrderTests {
  let stack = Stack.test

  /// Queues one boat as a batch of an import.
  private func save(_ boat: Boat, in scratch: ScratchContext) throws -> BatchSave {
    let table = stack.store.model.table(of: Boat.self)
    var batch = RecordBatch()
    batch.add(try table.encode(boat, RecordBuilder()), to: table, attributes: nil)
    return try #require(scratch.save(batch))
  }

  @Test func `a view save overtakes the batches of an import`() async throws {
    let stop = await WriterStop(stack)
    let scratch = stack.makeScratch()
    let batches = try (1...5).map { try save(Boat(id: $0), in: scratch) }
    let stack = stack
    let viewSave = Task { @MainActor in
      stack.viewContext.insert(Boat(id: 100))
      return try await stack.viewContext.save()
    }
    #expect(await eventually { await MainActor.run { stack.viewContext.isSaving } })
    stop.release()
    #expect(try await viewSave.value == 1)
    for (index, batch) in batches.enumerated() {
      #expect(try await batch.outcome.commit == Int64(index + 2))
    }
  }

  @Test func `a scratch save keeps its place behind batches of its own context`() async throws {
    let stop = await WriterStop(stack)
    let importer = stack.makeScratch()
    let batches = try (1...3).map { try save(Boat(id: $0), in: importer) }
    importer.insert(Boat(id: 4))
    let stack = stack
    let other = Task { try await stack.commit { $0.insert(Boat(id: 100)) } }
    #expect(await eventually { stack.store.writer.queue.count == 4 })
    // Release the writer when the save below is in the queue.
    Task {
      #expect(await eventually { stack.store.writer.queue.count == 5 })
      stop.release()
    }
    #expect(try await importer.save() == 5)
    #expect(try await other.value == 1)
    for (index, batch) in batches.enumerated() {
      #expect(try await batch.outcome.commit == Int64(index + 2))
    }
  }

  // A cancellation withdraws the batches one by one. The second batch must not be saved between the
  // withdrawal of the first batch and its own.
  @Test(arguments: [true, false])
  func `no batch of a sequence is saved behind one that is not`(isTakenBack: Bool) async throws {
    let target = try #require(stack.makeScratch().batchTarget(author: "import"))
    var saving = ImportTarget.Saving()
    saving.sequence = BatchSequence()
    let table = stack.store.model.table(of: Pier.self)
    let harbour = isTakenBack ? 1 : 9
    try await stack.commit { $0.insert(Harbour(id: 1, name: "Kiel")) }
    let stop = await WriterStop(stack)
    let batches = try (1...3).map { id in
      var batch = RecordBatch()
      let pier = Pier(id: id, harbourID: id == 1 ? harbour : 1)
      batch.add(try table.encode(pier, RecordBuilder()), to: table, attributes: nil)
      return target.save(batch, saving)
    }
    if isTakenBack { batches[0].withdraw() }
    stop.release()
    let codes = [
      await failure { try await batches[0].outcome }?.code,
      await failure { try await batches[1].outcome }?.code,
      await failure { try await batches[2].outcome }?.code,
    ]
    #expect(codes == [isTakenBack ? .cancelled : .missingReference, .cancelled, .cancelled])
    #expect(try await stack.fetch(Pier.all) == [])
  }

  @Test func `a batch is not starved by any number of urgent saves`() async throws {
    let stop = await WriterStop(stack)
    let batch = try save(Boat(id: 1), in: stack.makeScratch())
    let urgent = (2...40).map { id in
      stack.commitUrgently(stack.layer { _ = $0.insert(Boat(id: id)) })
    }
    stop.release()
    #expect(try await batch.outcome.commit == Int64(WorkQueue<Int>.patience + 1))
    for save in urgent { _ = try await save.value }
    #expect(try await stack.rows("SELECT count(*) FROM boats") == ["40"])
  }

  @Test func `a batch says what it changed`() async throws {
    try await stack.commit {
      $0.insert(Boat(id: 1, name: "Gull"))
      $0.insert(Boat(id: 2, name: "Tern", length: 5))
    }
    let table = stack.store.model.table(of: Boat.self)
    var batch = RecordBatch()
    for boat in [Boat(id: 1, name: "Gull"), Boat(id: 2, name: "Swan"), Boat(id: 3)] {
      // The import writes only the name. The length is not the import's.
      batch.add(
        try table.encode(boat, RecordBuilder()), to: table, attributes: AttributeSet([0, 1]))
    }
    let outcome = try await stack.makeScratch().save(batch)?.outcome
    #expect(outcome?.inserted == 1 && outcome?.updated == 1 && outcome?.deleted == 0)
    #expect(
      try await stack.rows("SELECT id, name, length FROM boats") == [
        "1 Gull 0", "2 Swan 5", "3  0",
      ])
  }

  @Test func `a batch holds rows of several tables, what they refer to before or after`()
    async throws
  {
    let piers = stack.store.model.table(of: Pier.self)
    let harbours = stack.store.model.table(of: Harbour.self)
    let builder = RecordBuilder()
    var batch = RecordBatch()
    for pier in [Pier(id: 1, harbourID: 7, nextID: 2), Pier(id: 2, harbourID: 7)] {
      batch.add(try piers.encode(pier, builder), to: piers, attributes: nil)
    }
    batch.add(try harbours.encode(Harbour(id: 7), builder), to: harbours, attributes: nil)
    let outcome = try await stack.makeScratch().save(batch)?.outcome
    #expect(batch.count == 3 && outcome?.inserted == 3 && outcome?.commit == 1)
    var next = RecordBatch()
    for key in [RecordKey(.integer(7)), RecordKey(.integer(8))] { next.delete(key, from: harbours) }
    #expect(try await stack.makeScratch().save(next)?.outcome.deleted == 1)
    #expect(try await stack.rows("SELECT count(*) FROM piers") == ["0"])
  }
}
