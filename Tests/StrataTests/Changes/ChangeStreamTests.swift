import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Streams as their consumers see them.
///
/// The tests and the consumers run on the main actor. A consumer that has reported its start has
/// run up to its wait, because nothing else can run in between.
@MainActor @Suite(.inTurn) struct ChangeStreamTests {
  private let publisher = ChangePublisher()
  private var stream: ChangeStream<ChangeSet> { ChangeStream(publisher.subscribe(to: nil)) { $0 } }

  private func stream(of table: TableID) -> ChangeStream<ChangeSet> {
    ChangeStream(publisher.subscribe(to: table)) { $0 }
  }

  /// A consumer in the middle of its first `next`.
  @MainActor private final class Consumer {
    private(set) var elements: [ChangeSet] = []
    private(set) var hasEnded = false
    private(set) var hasStarted = false
    private var task: Task<Void, Never>?

    init(_ stream: ChangeStream<ChangeSet>) {
      task = Task { [weak self] in
        self?.hasStarted = true
        for await element in stream { self?.elements.append(element) }
        self?.hasEnded = true
      }
    }

    func cancel() { task?.cancel() }
    func started() async { await until { hasStarted } }
    func ended() async { await until { hasEnded } }
    func received(_ count: Int) async { await until { elements.count >= count } }

    private func until(_ condition: () -> Bool) async {
      #expect(await eventually { condition() })
    }
  }

  private func expect(
    _ elements: [ChangeSet], are changes: [TableID: [RecordKey: Change]]
  ) {
    #expect(ChangeSet.composed(elements)?.byKey ?? [:] == changes)
  }

  @Test func `1,000 subscribers all get everything`() async throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    let consumers = (0..<1_000).map { _ in Consumer(stream) }
    for number in 0..<60 {
      publisher.publish(try history.commit(&random))
      if number % 20 == 0 { await consumers[random.below(1_000)].received(1) }
    }
    publisher.finish()
    for consumer in consumers { await consumer.ended() }
    for consumer in consumers {
      expect(consumer.elements, are: history.changes())
      #expect(consumer.elements.last?.commit == 60)
    }
    #expect(publisher.load == (0, 0))
  }

  @Test func `consumers on other threads get everything, too`() async throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    let streams = (0..<50).map { _ in stream }
    let readers = streams.map { stream in
      Task.detached {
        var elements: [ChangeSet] = []
        for await element in stream { elements.append(element) }
        return elements
      }
    }
    for _ in 0..<200 {
      publisher.publish(try history.commit(&random))
      await Task.yield()
    }
    publisher.finish()
    var received: [[ChangeSet]] = []
    for reader in readers { received.append(await reader.value) }
    for elements in received {
      expect(elements, are: history.changes())
      #expect(zip(elements, elements.dropFirst()).allSatisfy { $0.commit < $1.commit })
    }
  }

  @Test func `a slow subscriber gets what it missed as one set`() async throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    var iterator = stream.makeAsyncIterator()
    for _ in 0..<100 { publisher.publish(try history.commit(&random)) }
    let element = await iterator.next()
    #expect(element?.commit == 100)
    expect(element.map { [$0] } ?? [], are: history.changes())
    #expect(publisher.load == (1, 0))
  }

  /// A consumer may have read the row in between, and would keep it for good.
  @Test func `a change that is undone before it is read is reported all the same`() async throws {
    let history = try History()
    let consumer = Consumer(stream)
    await consumer.started()
    let record = try Record([.integer(1), .integer(1), .integer(1)])
    let insert = Change(before: nil, after: record)
    for change in [insert, insert.inverse, insert, insert.inverse] {
      let row = RowChange(key: RecordKey(.integer(1)), change: change)
      publisher.publish(
        ChangeSet(commit: 1, model: history.model, tables: [history.items: .rows([row])]))
    }
    publisher.finish()
    await consumer.ended()
    let changes = consumer.elements.map { $0.changes(of: History.Item.self) }
    #expect(changes.count == 1 && changes.first?.keys == [RecordKey(.integer(1))])
    #expect(changes.first?.deleted.map(\.id) == [1])
    #expect(changes.first?.inserted.isEmpty == true && changes.first?.updated.isEmpty == true)
  }

  @Test func `a stream starts when it is asked for`() async throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    publisher.publish(try history.commit(&random))
    let asked = stream
    let old = history
    publisher.publish(try history.commit(&random))
    publisher.publish(try history.commit(&random))
    publisher.finish()
    let consumer = Consumer(asked)
    await consumer.ended()
    expect(consumer.elements, are: history.changes(since: old))
  }

  // MARK: The end

  @Test func `finishing ends everybody after what they have not read`() async throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    let waiting = Consumer(stream)
    await waiting.started()
    let late = stream
    publisher.publish(try history.commit(&random))
    publisher.finish()
    publisher.publish(try history.commit(&random))
    let reading = Consumer(late)
    for consumer in [waiting, reading] {
      await consumer.ended()
      #expect(consumer.elements.map(\.commit) == [1])
    }
    let after = Consumer(stream)
    await after.ended()
    #expect(after.elements.isEmpty && publisher.load == (0, 0))
  }

  // MARK: Cancellation

  @Test func `cancelling before waiting ends the iteration at once`() async {
    let consumer = Consumer(stream)
    consumer.cancel()
    await consumer.ended()
    #expect(publisher.load == (0, 0))
  }

  @Test func `cancelling while waiting ends the iteration`() async {
    let consumer = Consumer(stream)
    await consumer.started()
    #expect(!consumer.hasEnded && publisher.load == (1, 0))
    consumer.cancel()
    #expect(publisher.load == (0, 0))
    await consumer.ended()
  }

  @Test func `cancelling after an element was published but before it was read`() async throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    let consumer = Consumer(stream)
    await consumer.started()
    publisher.publish(try history.commit(&random))
    consumer.cancel()
    await consumer.ended()
    #expect(consumer.elements.count <= 1 && publisher.load == (0, 0))
  }

  @Test func `cancelling after the end changes nothing`() async {
    let consumer = Consumer(stream)
    publisher.finish()
    await consumer.ended()
    consumer.cancel()
    #expect(publisher.load == (0, 0))
  }

  @Test func `cancelling one subscriber leaves the others`() async throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    let consumers = (0..<10).map { _ in Consumer(stream) }
    for consumer in consumers { await consumer.started() }
    for consumer in consumers.prefix(5) { consumer.cancel() }
    publisher.publish(try history.commit(&random))
    publisher.finish()
    for consumer in consumers { await consumer.ended() }
    #expect(consumers.map(\.elements.count) == [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
  }

  // MARK: Release

  @Test func `letting go of a stream and its iterator unsubscribes`() async throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    do {
      let stream = stream
      var iterator = stream.makeAsyncIterator()
      publisher.publish(try history.commit(&random))
      _ = await iterator.next()
      publisher.publish(try history.commit(&random))
      #expect(publisher.load == (1, 1))
      withExtendedLifetime(stream) {}
    }
    #expect(publisher.load == (0, 0))
  }

  @Test func `leaving the loop unsubscribes`() async throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    publisher.publish(try history.commit(&random))
    let task = Task { [stream] in
      for await _ in stream { break }
    }
    publisher.publish(try history.commit(&random))
    await task.value
    #expect(publisher.load.unread == 0)
  }

  // MARK: One table

  @Test func `a change elsewhere wakes nobody else`() async throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    let items = Consumer(stream(of: history.items))
    let marks = Consumer(stream(of: history.marks))
    await items.started()
    await marks.started()
    for _ in 0..<3 { publisher.publish(try history.commit(to: [history.marks], &random)) }
    publisher.publish(try history.commit(to: [history.items], &random))
    publisher.finish()
    await items.ended()
    await marks.ended()
    #expect(items.elements.map(\.commit) == [4])
    #expect(items.elements.allSatisfy { Array($0.tables.keys) == [history.items] })
    expect(marks.elements, are: history.changes().filter { $0.key == history.marks })
  }

  @Test func `a consumer that waits for one table keeps no changes of another`() async throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    let items = Consumer(stream(of: history.items))
    await items.started()
    for _ in 0..<100 { publisher.publish(try history.commit(to: [history.marks], &random)) }
    #expect(publisher.load == (1, 0) && items.elements.isEmpty)
    publisher.finish()
    await items.ended()
  }
}
