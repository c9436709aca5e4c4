internal import StrataSQLite
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Sale.self, Shop.self)) @MainActor struct BatchTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  private func save(_ count: Int) async throws {
    try await stack.withScratch { scratch in
      for id in 1...count { scratch.insert(Sale(id: Int64(id), units: Int64(id % 7))) }
    }
  }

  @Test func `batches are those of an array, at any depth of unsaved edits`() async throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<10 {
      var book = SalesBook()
      try await stack.withScratch { scratch in
        for sale in try await scratch.fetch(Sale.all) { scratch.delete(sale) }
        for shop in try await scratch.fetch(Shop.all) { scratch.delete(shop) }
      }
      let base = stack.makeScratch()
      for _ in 0..<random.below(40) { base.apply(book.edit(&random)) }
      try await base.save()
      try await compare(stack, book, &random)
      for _ in 0..<random.below(8) { view.apply(book.edit(&random)) }
      try await compare(view, book, &random)
      let sheet = view.makeScratch()
      for _ in 0..<random.below(8) { sheet.apply(book.edit(&random)) }
      try await compare(sheet, book, &random)
      view.rollback()
    }
  }

  private func compare(
    _ source: some FetchSource, _ book: SalesBook, _ random: inout SeededRandom
  ) async throws {
    for _ in 0..<12 {
      let question = SalesQuestion(&random)
      let expected = question.answer(book.sales, book.shops)
      let size = 1 + random.below(9)
      var found: [Sale] = []
      for try await batch in source.batches(of: question.query, size: size) {
        #expect(batch.count == size || found.count + batch.count == expected.count)
        found += batch
      }
      #expect(found == expected, "\(question), \(size)")
    }
  }

  @Test func `the entities of a relationship come in batches, with unsaved edits`() async throws {
    let shop = Shop(id: 1)
    try await stack.withScratch { scratch in
      scratch.insert(shop)
      for id in 1...9 { scratch.insert(Sale(id: Int64(id), shopID: id % 2 == 0 ? 1 : nil)) }
    }
    func ids() async throws -> [[Int64]] {
      var ids: [[Int64]] = []
      for try await batch in view.batches(of: Shop.sales(of: shop), size: 2) {
        ids.append(batch.map(\.id))
      }
      return ids
    }
    #expect(try await ids() == [[2, 4], [6, 8]])
    view.insert(Sale(id: 5_000, shopID: 1))
    view.delete(Sale(id: 4, shopID: 1))
    #expect(try await ids() == [[2, 6], [8, 5_000]])
    view.delete(shop)
    #expect(try await ids().isEmpty)
  }

  @Test func `an iteration reads one state, whatever is edited and saved meanwhile`() async throws {
    try await save(40)
    for isUnsaved in [false, true] {
      if isUnsaved { view.insert(Sale(id: 1_000, units: 3)) }
      let expected = try await view.fetch(Sale.sorted(by: \.units))
      var found: [Sale] = []
      for try await batch in view.batches(of: Sale.sorted(by: \.units), size: 7) {
        found += batch
        try await stack.withScratch { scratch in
          scratch.upsert(Sale(id: Int64(found.count), units: 6))
          scratch.insert(Sale(id: Int64(2_000 + 500 * (isUnsaved ? 1 : 0) + found.count)))
        }
        view.insert(Sale(id: Int64(5_000 + 500 * (isUnsaved ? 1 : 0) + found.count)))
        // This fetch runs an equal statement on the same reader.
        _ = try await view.fetch(Sale.sorted(by: \.units))
      }
      #expect(found == expected)
      view.rollback()
    }
  }

  @Test func `many iterations go on side by side`() async throws {
    try await save(20)
    var first = stack.batches(of: Sale.all, size: 3).makeAsyncIterator()
    var second = view.batches(of: Sale.all, size: 4).makeAsyncIterator()
    var third = view.batches(of: Sale.all, size: 4).makeAsyncIterator()
    var found: [[Int64]] = [[], [], []]
    for _ in 0..<8 {
      found[0] += try await first.next()?.map(\.id) ?? []
      found[1] += try await second.next()?.map(\.id) ?? []
      found[2] += try await third.next()?.map(\.id) ?? []
    }
    #expect(found == Array(repeating: Array(1...20), count: 3))
  }

  @Test func `leaving the loop releases the snapshot, and its connection is used again`()
    async throws
  {
    try await save(30)
    #if os(Linux)
      let path = stack.store.writer.options.path
      let before = try OpenFiles(of: path).descriptors
    #endif
    for _ in 0..<40 {
      var iterator: FetchBatches<Stack, Sale>.Iterator? = stack.batches(of: Sale.all, size: 2)
        .makeAsyncIterator()
      _ = try await iterator?.next()
      iterator = nil
    }
    #if os(Linux)
      // The descriptors must not grow by one for each iteration. The pool keeps a few readers,
      // which have three files each.
      let isBounded = await eventually {
        (try? OpenFiles(of: path).descriptors).map { $0 <= before + 3 * StoreBounds().idleReaders }
          ?? false
      }
      #expect(isBounded)
    #endif
    struct Held {
      weak var snapshot: Snapshot?
    }
    let held: Held
    do {
      let snapshot = try await stack.store.snapshot()
      held = Held(snapshot: snapshot)
      var rows: BatchRows? = try await LayeredFetch(
        snapshot: snapshot, layers: LayerStack(), model: stack.store.model
      ).batches(Sale.all)
      _ = try await rows?.entities(2, as: Sale.self)
      #expect(snapshot.idleReader == nil)
      rows = nil
      #expect(snapshot.idleReader != nil)
    }
    // A reader's thread may hold the snapshot for another moment.
    let isReleased = await eventually { held.snapshot == nil }
    #expect(isReleased)
    #expect(try await stack.fetch(Sale.all).count == 30)
  }

  @Test func `an error ends an iteration, and so does cancelling its task`() async throws {
    try await save(30)
    var iterator = stack.batches(of: Sale.all, size: 2).makeAsyncIterator()
    _ = try await iterator.next()
    await stack.suspend()
    do {
      _ = try await iterator.next()
      Issue.record("read on")
    } catch StoreError.Code.suspended {}
    #expect(try await iterator.next() == nil)
    try await stack.resume()
    let gate = TestGate()
    let reading = Task { [stack] in
      var count = 0
      do {
        for try await batch in stack.batches(of: Sale.all, size: 2) {
          count += batch.count
          await gate.pass()
        }
      } catch { return (count, (error as? StoreError)?.code) }
      return (count, nil as StoreError.Code?)
    }
    await gate.waitForArrivals()
    reading.cancel()
    await gate.open()
    let (count, code) = await reading.value
    #expect(count == 2 && code == .cancelled)
    #expect(try await stack.fetch(Sale.all).count == 30)
  }

  @Test func `a bad value in a later batch is an error by name`() async throws {
    try await save(6)
    let path = stack.store.writer.options.path
    let other = try Connection(path: path, access: .existing, busyTimeout: .seconds(5))
    try other.execute("UPDATE sales SET kind = 'barter' WHERE id = 5")
    var found: [Sale] = []
    do {
      for try await batch in stack.batches(of: Sale.all, size: 2) { found += batch }
      Issue.record("read on")
    } catch let error as StoreError {
      #expect(error.code == .invalidValue && error.keys == [RecordKey(.integer(5))])
      #expect(error.message.hasPrefix("the stored Sale.kind of 5: "))
    }
    #expect(found.map(\.id) == [1, 2, 3, 4])
  }
}
