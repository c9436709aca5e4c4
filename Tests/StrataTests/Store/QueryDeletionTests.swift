internal import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// A box, which may be in a box, beside a box, and held by a box.
private struct Box: Entity, Equatable {
  var id = 0
  var name = ""
  var size = 0
  var inside: Box.ID?
  var beside: Box.ID?
  var across: Box.ID?
  var holding: Box.ID?
  var latitude: Double?
  var longitude: Double?

  static let outer = toOne(\.inside, Box.self, onDelete: .cascade)
  static let neighbour = toOne(\.beside, Box.self, onDelete: .nullify)
  static let held = toOne(\.holding, Box.self, onDelete: .deny)
  static let labels = manyToMany(Label.self)
  static let schema = Schema<Box>("boxes", key: \.id) {
    Attribute(\.name).fullText()
    Attribute(\.size).indexed()
    Attribute(\.latitude)
    Attribute(\.longitude)
    outer
    neighbour
    toOne(\.across, Box.self, onDelete: .nullify)
    held
    labels
    spatial(\.latitude, \.longitude)
  }
}

private struct Label: Entity, Equatable {
  var id = 0
  var text = ""
  static let boxes = manyToMany(inverseOf: \Box.Type.labels)
  static let schema = Schema<Label>("labels", key: \.id) {
    Attribute(\.text)
    boxes
  }
}

/// An item, which needs a box or a spare box.
private struct Item: Entity, Equatable {
  var id = 0
  var words = ""
  var box: Box.ID?
  var spare: Box.ID?
  static let schema = Schema<Item>("items", key: \.id) {
    Attribute(\.words).fullText()
    toOne(\.box, Box.self, onDelete: .nullify)
    toOne(\.spare, Box.self, onDelete: .nullify)
    Validation<Item>("needs a box") { $0.box != nil || $0.spare != nil }
  }
}

/// A seal, which keeps its box.
private struct Seal: Entity, Equatable {
  var id = 0
  var box = 0
  static let schema = Schema<Seal>("seals", key: \.id) {
    toOne(\.box, Box.self, onDelete: .deny)
  }
}

/// Calls that the writer makes after its commits, before it takes the next unit.
private final class Commits: Sendable {
  private let calls = Lock<(number: Int, actions: [Int: @Sendable () -> Void])>((0, [:]))

  /// Makes a call after a commit, counted from 1.
  func after(_ number: Int, _ action: @escaping @Sendable () -> Void) {
    calls.withLock { $0.actions[$0.number + number] = action }
  }

  func note(_ event: StackEvent) {
    guard case .slowCommit = event else { return }
    let action = calls.withLock { calls in
      calls.number += 1
      return calls.actions[calls.number]
    }
    action?()
  }
}

/// Deletions of a query's rows by the writer, in batches.
@Suite(.inTurn) struct QueryDeletionTests {
  private let commits = Commits()

  private func options(batches: Int?) -> Stack.Options {
    var options = Stack.Options()
    options.bounds.deletedRows = batches
    options.slowCommit = .zero
    options.log = { [commits] event in commits.note(event) }
    return options
  }

  private func open(_ boxes: [Box] = [], batches: Int? = 2) async throws -> Stack {
    let stack = try await Stack.temporary(
      Box.self, Label.self, Item.self, Seal.self, options: options(batches: batches))
    try await stack.withScratch { scratch in for box in boxes { scratch.insert(box) } }
    return stack
  }

  private func ids(_ stack: Stack) async throws -> [Int] {
    try await stack.fetch(Box.all).map(\.id)
  }

  private func boxes(_ count: Int) -> [Box] { (1...count).map { Box(id: $0, size: $0) } }

  /// The changes come before and after the batch that refuses the row, which no longer meets the
  /// query's conditions then.
  @Test func `a refused row goes after rules have changed it twice`() async throws {
    let boxes = [
      Box(id: 1, size: 9), Box(id: 2, beside: 1, across: 3), Box(id: 3, size: 9),
      Box(id: 4, size: 9, holding: 2),
    ]
    let stack = try await open(boxes, batches: 1)
    #expect(try await stack.delete(Box.where { $0.size == 9 || $0.beside != nil }) == 4)
    #expect(try await ids(stack) == [])
    await stack.close()
  }

  @Test func `rows go in batches, each a commit that is told exactly`() async throws {
    let stack = try await open(boxes(5))
    let view = await stack.viewContext
    let live = try await view.loaded(Box.all)
    var changes = stack.changes.makeAsyncIterator()
    let before = await view.commit
    #expect(try await stack.delete(Box.where { $0.size > 0 }) == 5)
    #expect(await live.elements.isEmpty)
    #expect(await view.commit == before + 3)
    // A consumer may get several commits as one.
    var told: [Int] = []
    while told.count < 5, let change = await changes.next() {
      told += change.changes(of: Box.self).deleted.map(\.id)
    }
    #expect(told == [1, 2, 3, 4, 5])
    // A query without rows makes no commit.
    #expect(try await stack.delete(Box.all) == 0)
    #expect(try await stack.delete(Box.where { _ in false }) == 0)
    #expect(stack.store.newestCommit == before + 3)
    await stack.close()
  }

  @Test func `a query with a limit, an offset or links loses exactly its rows`() async throws {
    let stack = try await open(boxes(9))
    try await stack.withScratch { scratch in
      for id in 1...2 { scratch.insert(Label(id: id, text: "label \(id)")) }
      for id in [1, 2, 3] {
        for label in 1...2 { scratch.link(Box(id: id), to: Label(id: label), in: Box.labels) }
      }
    }
    let newest = Box.sorted(by: \.size, order: .reverse)
    #expect(try await stack.delete(newest.offset(1).limit(3)) == 3)
    #expect(try await ids(stack) == [1, 2, 3, 4, 5, 9])
    #expect(try await stack.delete(Box.where { $0.labels.any { $0.id <= 2 } }.limit(2)) == 2)
    #expect(try await ids(stack) == [3, 4, 5, 9])
    let linked = try await stack.fetch(Label.all).map { $0.id }
    #expect(linked == [1, 2])
    #expect(try await stack.delete(Box.sorted(by: \.size).offset(3)) == 1)
    #expect(try await ids(stack) == [3, 4, 5])
    await stack.close()
  }

  @Test func `an urgent save comes between two batches`() async throws {
    let stack = try await open(boxes(6))
    let saved = Lock<Submission<Int64>?>(nil)
    let layer = stack.layer { _ = $0.insert(Label(id: 1)) }
    commits.after(1) { saved.withLock { $0 = stack.commitUrgently(layer) } }
    let before = stack.store.newestCommit
    #expect(try await stack.delete(Box.all) == 6)
    #expect(try await saved.withLock(\.self)?.value == before + 2)
    #expect(stack.store.newestCommit == before + 4)
    await stack.close()
  }

  @Test func `a row that is changed meanwhile goes only if it still belongs to the query`()
    async throws
  {
    let stack = try await open(boxes(8))
    // After the first batch: box 5 leaves the query, box 6 changes within it, box 7 is deleted and
    // inserted again, box 8 is replaced by a box outside, and box 9 is new.
    let layer = stack.layer { edits in
      _ = edits.upsert(Box(id: 5, size: -5))
      _ = edits.upsert(Box(id: 6, name: "new", size: 6))
      _ = edits.upsert(Box(id: 7, name: "again", size: 70))
      _ = edits.upsert(Box(id: 8, size: 0))
      _ = edits.upsert(Box(id: 9, size: 9))
    }
    commits.after(1) { _ = stack.commitUrgently(layer) }
    #expect(try await stack.delete(Box.where { $0.size > 0 }) == 6)
    #expect(try await ids(stack) == [5, 8, 9])
    #expect(try await stack.delete(Box.where { $0.size > 0 }) == 1)
    await stack.close()
  }

  @Test func `a row that leaves the query stays, although a rule changes it then`() async throws {
    var boxes = boxes(8)
    boxes[7].beside = 3
    let stack = try await open(boxes)
    let layer = stack.layer { _ = $0.upsert(Box(id: 8, size: -8, beside: 3)) }
    commits.after(1) { _ = stack.commitUrgently(layer) }
    #expect(try await stack.delete(Box.where { $0.size > 0 }) == 7)
    #expect(try await stack.fetch(Box.all) == [Box(id: 8, size: -8)])
    await stack.close()
  }

  @Test func `cancelling stops between two batches, and another call goes on`() async throws {
    let stack = try await open(boxes(7))
    let task = Lock<Task<StoreError?, Never>?>(nil)
    commits.after(2) { task.withLock { $0?.cancel() } }
    let stop = await WriterStop(stack)
    let deleting = Task { await failure { try await stack.delete(Box.all) } }
    task.withLock { $0 = deleting }
    stop.release()
    #expect(await deleting.value?.code == .cancelled)
    #expect(try await ids(stack) == [5, 6, 7])
    #expect(try await stack.delete(Box.all) == 3)
    await stack.close()
  }

  @Test func `an unsaved edit of a deleted row becomes a conflict`() async throws {
    let stack = try await open(boxes(3))
    let view = await stack.viewContext
    let live = try await view.loaded(Box.all)
    await MainActor.run { _ = view.update(live.elements[1]) { $0.name = "mine" } }
    #expect(try await stack.delete(Box.all) == 3)
    #expect(await view.conflicts.map(\.isOrphaned) == [true])
    let error = await failure { try await view.save() }
    #expect(error?.code == .conflict)
    await stack.close()
  }
}

// MARK: - Delete rules

extension QueryDeletionTests {
  @Test func `rows that hold rows of an earlier batch go first`() async throws {
    // Each box but the first holds the box before it, so no batch but the last may go at first.
    let held = boxes(9).map { box in
      var box = box
      box.holding = box.id == 1 ? nil : box.id - 1
      return box
    }
    let stack = try await open(held)
    #expect(try await stack.delete(Box.all) == 9)
    #expect(try await ids(stack) == [])
    await stack.close()
  }

  @Test func `rows that hold each other go together`() async throws {
    var boxes = boxes(8)
    // The three boxes of the ring are in different batches, and more than one batch takes.
    for (box, held) in [(1, 4), (4, 7), (7, 1)] { boxes[box - 1].holding = held }
    boxes[2].holding = 3
    let stack = try await open(boxes)
    #expect(try await stack.delete(Box.all) == 8)
    #expect(try await ids(stack) == [])
    await stack.close()
  }

  @Test func `a row that a rule keeps is an error after the others are gone`() async throws {
    let stack = try await open(boxes(6))
    try await stack.withScratch { $0.insert(Seal(id: 4, box: 3)) }
    let error = await failure { try await stack.delete(Box.all) }
    #expect(error?.code == .deleteDenied && error?.entity == "Seal")
    #expect(error?.message == "Box 3 cannot be deleted: Seal.box of 4 refers to it")
    #expect(try await ids(stack) == [3])
    try await stack.withScratch { $0.delete(Seal.self, 4) }
    #expect(try await stack.delete(Box.all) == 1)
    await stack.close()
  }

  @Test func `a row whose deletion breaks a validation is an error after the others are gone`()
    async throws
  {
    let stack = try await open(boxes(6))
    try await stack.withScratch {
      $0.insert(Item(id: 1, box: 2))
      $0.insert(Item(id: 2, box: 5, spare: 5))
    }
    let error = await failure { try await stack.delete(Box.where { $0.id != 5 }) }
    #expect(error?.code == .validationFailed)
    #expect(try await ids(stack) == [2, 5])
    await stack.close()
  }

  @Test func `rows that a rule changes or deletes still belong to the query`() async throws {
    var boxes = boxes(9)
    // Box 9 goes with box 1. Two batches change box 8, and one changes box 7.
    boxes[8].inside = 1
    (boxes[7].beside, boxes[7].across) = (2, 3)
    boxes[6].beside = 3
    let stack = try await open(boxes)
    let query = Box.where { $0.id <= 3 || $0.beside != nil || $0.inside != nil }
    #expect(try await stack.delete(query) == 6)
    #expect(try await ids(stack) == [4, 5, 6])
    await stack.close()
  }

  @Test func `a replica that is read-only refuses the deletion`() async throws {
    let stack = try await open(boxes(3))
    try await stack.withScratch { $0.insert(Label(id: 1)) }
    let table = stack.store.model.table(of: Box.self)
    _ = try await stack.openReplica(of: [table], isReadOnly: true, first: Data())
    let error = await failure { try await stack.delete(Box.all) }
    #expect(error?.code == .readOnly && error?.entity == "Box")
    #expect(try await ids(stack) == [1, 2, 3])
    #expect(try await stack.delete(Label.all) == 1)
    await stack.close()
  }

  @Test func `deletions wait for the outbox unless it ignores their author`() async throws {
    let stack = try await open(boxes(3))
    let outbox = try await stack.outbox()
    #expect(try await stack.delete(Box.where { $0.id < 3 }) == 2)
    #expect(try await outbox.requests().map(\.description).count == 2)
    try await outbox.acknowledgeEverything()
    #expect(try await stack.delete(Box.all, author: Stack.evictionAuthor) == 1)
    #expect(try await outbox.requests().isEmpty)
    await stack.close()
  }
}

// MARK: - Two stacks

extension QueryDeletionTests {
  @Test func `two stacks of one file delete the same rows, and one inserts meanwhile`()
    async throws
  {
    let stack = try await open(boxes(9))
    let other = try await Stack.open(
      Box.self, Label.self, Item.self, Seal.self,
      at: URL(fileURLWithPath: await stack.path), options: Stack.Options())
    let committed = DispatchSemaphore(value: 0)
    let layer = other.layer { edits in
      _ = edits.delete(Box.self, 4)
      _ = edits.delete(Box.self, 9)
      _ = edits.upsert(Box(id: 5, name: "theirs", size: -1))
      _ = edits.insert(Box(id: 10, size: 10))
    }
    // The other stack commits after the first batch, before the second one begins.
    commits.after(1) {
      _ = other.store.writer.enqueue(.urgent) { writer throws(StoreError) in
        defer { committed.signal() }
        _ = try writer.saveReporting(layer, policy: .overwrite)
      }
      committed.wait()
    }
    #expect(try await stack.delete(Box.where { $0.size > 0 }) == 6)
    #expect(try await ids(stack) == [5, 10])
    #expect(try await other.fetch(Box.all).map(\.id) == [5, 10])
    #expect(try await other.delete(Box.all) == 2)
    #expect(try await ids(stack) == [])
    await other.close()
    await stack.close()
  }
}

// MARK: - Beside a context

/// A store with generated rows, and the sinks of its changes.
private struct Warehouse {
  let stack: Stack
  let outbox: Outbox
  let boxes: LiveQuery<Box>
  let items: LiveQuery<Item>
  private let start: HistoryToken

  struct Rows {
    var boxes: [Box] = []
    var items: [Item] = []
    var seals: [Seal] = []
    var links: [(box: Int, label: Int)] = []
  }

  /// Everything that a deletion leaves. The numbers of the commits have no part in it.
  struct Contents: Equatable {
    var boxes: [Box] = []
    var items: [Item] = []
    var seals: [Seal] = []
    var links: [String] = []
    var found: [Int] = []
    var requests: [String] = []
    var history: [String] = []
  }

  init(_ rows: Rows, _ options: Stack.Options) async throws {
    var options = options
    options.history = .keep(for: .seconds(3600))
    stack = try await Stack.temporary(
      Box.self, Label.self, Item.self, Seal.self, options: options)
    outbox = try await stack.outbox(ignoring: ["seeds"])
    try await stack.withScratch { scratch in
      scratch.author = "seeds"
      for id in 0..<3 { scratch.insert(Label(id: id)) }
      for box in rows.boxes { scratch.insert(box) }
      for item in rows.items { scratch.insert(item) }
      for seal in rows.seals { scratch.insert(seal) }
      for link in rows.links {
        scratch.link(Box(id: link.box), to: Label(id: link.label), in: Box.labels)
      }
    }
    // Some rows have edits that wait.
    try await stack.withScratch { scratch in
      for box in rows.boxes where box.id % 5 == 0 { scratch.update(box) { $0.size += 100 } }
    }
    start = stack.historyToken
    let view = await stack.viewContext
    boxes = try await view.loaded(Box.all)
    items = try await view.loaded(Item.all)
  }

  func contents() async throws -> Contents {
    var contents = Contents()
    contents.boxes = try await stack.fetch(Box.all)
    contents.items = try await stack.fetch(Item.all)
    contents.seals = try await stack.fetch(Seal.all)
    contents.links = try await stack.rows("SELECT * FROM \"strata_join_boxes.labels\"").sorted()
    contents.found =
      try await stack.fetch(Box.all.matching("red")).map(\.id)
      + stack.fetch(Item.all.matching("blue")).map(\.id)
    contents.requests = try await outbox.requests().map(\.description).sorted()
    contents.history = try await history()
    #expect(await Array(boxes.elements) == contents.boxes)
    #expect(await Array(items.elements) == contents.items)
    try stack.checkSearch()
    return contents
  }

  /// Returns the first and the last state of each row since the beginning.
  private func history() async throws -> [String] {
    var states: [String: (before: String, after: String)] = [:]
    func note<E: Entity>(_ changes: Changes<E>) where E.ID == Int {
      func note(_ id: Int, _ before: E, _ after: E?) {
        let name = "\(E.self) \(id)"
        states[name] = (states[name]?.before ?? "\(before)", after.map { "\($0)" } ?? "gone")
      }
      for row in changes.deleted { note(row.id, row, nil) }
      for row in changes.updated { note(row.after.id, row.before, row.after) }
      #expect(changes.inserted.isEmpty && !changes.isReset)
    }
    for try await entry in stack.history(since: start) {
      note(entry.changes.changes(of: Box.self))
      note(entry.changes.changes(of: Item.self))
      note(entry.changes.changes(of: Seal.self))
      #expect(entry.author == stack.store.writer.options.settings.author)
    }
    return states.map { "\($0.key): \($0.value.before) \($0.value.after)" }.sorted()
  }
}

extension QueryDeletionTests {
  private func rows(_ random: inout SeededRandom, holds: Int) -> Warehouse.Rows {
    var rows = Warehouse.Rows()
    let count = 4 + random.below(16)
    let words = ["red", "blue", "red blue", "green"]
    func other(oneIn times: Int) -> Int? {
      random.oneIn(times) ? 1 + random.below(count) : nil
    }
    for id in 1...count {
      var box = Box(id: id, name: random.pick(words), size: random.below(10))
      box.inside = other(oneIn: 5)
      box.beside = other(oneIn: 3)
      box.across = other(oneIn: 3)
      box.holding = other(oneIn: holds)
      if random.oneIn(2) { (box.latitude, box.longitude) = (Double(random.below(80)), 1) }
      rows.boxes.append(box)
      if random.oneIn(3) { rows.links.append((id, random.below(3))) }
    }
    for id in 0..<(random.oneIn(2) ? 0 : 3) {
      rows.items.append(
        Item(
          id: id, words: random.pick(words), box: 1 + random.below(count),
          spare: other(oneIn: 2)))
    }
    if random.oneIn(6) { rows.seals.append(Seal(id: 1, box: 1 + random.below(count))) }
    return rows
  }

  private func query(_ random: inout SeededRandom) -> Query<Box> {
    let size = random.below(8)
    switch random.below(7) {
    case 0: return Box.all
    case 1: return Box.where { $0.size >= size }
    case 2: return Box.where { $0.beside != nil || $0.inside != nil }
    case 3: return Box.where { $0.neighbour.size >= size }
    case 4: return Box.all.matching("red")
    case 5: return Box.sorted(by: \.size).sorted(by: \.id).offset(random.below(3)).limit(size)
    default: return Box.where { $0.labels.any { $0.id >= 1 } }
    }
  }

  @Test func `a deletion leaves what the same deletion in a context leaves`() async throws {
    var random = SeededRandom.printingSeed()
    var denied = 0
    for round in 1...24 {
      let rows = rows(&random, holds: round % 3 == 0 ? 12 : 40)
      let query = query(&random)
      let batches = round % 10 == 0 ? nil : 1 + random.below(5)
      let deleting = try await Warehouse(rows, options(batches: batches))
      let other = try await Warehouse(rows, options(batches: nil))
      var expectedCount = 0
      let expected = await failure {
        expectedCount = try await other.stack.withScratch { try await $0.delete(query) }
      }
      if let expected {
        denied += 1
        #expect([.deleteDenied, .validationFailed].contains(expected.code))
        let error = await failure { try await deleting.stack.delete(query) }
        #expect([.deleteDenied, .validationFailed].contains(error?.code), "round \(round)")
        // The rows that are left are whole, and no row is deleted that the rules keep.
        let left = try await deleting.contents()
        let ids = Set(left.boxes.map(\.id))
        for box in left.boxes { #expect(box.holding.map(ids.contains) != false) }
        for seal in left.seals { #expect(ids.contains(seal.box)) }
        for item in left.items { #expect(item.box != nil || item.spare != nil) }
      } else {
        #expect(try await deleting.stack.delete(query) == expectedCount, "round \(round)")
        let (left, others) = (try await deleting.contents(), try await other.contents())
        #expect(left == others, "round \(round)")
      }
      await deleting.stack.close()
      await other.stack.close()
    }
    #expect(denied > 0 && denied < 20)
  }
}
