import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Card: Entity, Equatable {
  var id = 0
  var title = ""
  var text = ""
  var plays = 0

  static let schema = Schema<Card>("cards", key: \.id) {
    Attribute(\.title)
    Attribute(\.text)
    Attribute(\.plays).merged(by: .sum)
  }
}

private struct Account: Entity {
  var id = 0
  var name = ""

  static let schema = Schema<Account>("accounts", key: \.id) { Attribute(\.name).unique() }
}

private struct Rack: Entity {
  var id = 0
  var name = ""

  static let schema = Schema<Rack>("racks", key: \.id) { Attribute(\.name) }
}

private struct Volume: Entity {
  var id = 0
  var title = ""
  var rackID: Rack.ID?

  static let rack = toOne(\.rackID, Rack.self, onDelete: .deny)
  static let schema = Schema<Volume>("volumes", key: \.id) {
    Attribute(\.title)
    rack
  }
}

extension Stack {
  /// All rows of all entities.
  fileprivate var followedTables: FollowedTables { FollowedTables(replicableTables) }
}

/// Rows of a server that replace the store's, under edits that wait to be pushed.
@MainActor @Suite(.inTurn, .stack(Card.self)) struct ServerRowsTests {
  let stack = Stack.test
  private var table: Table { stack.store.model.table(of: Card.self) }
  private let state = Data("cursor".utf8)
  private let first = Card(id: 1, title: "a", text: "b", plays: 5)

  private func rows(_ cards: [Card]) throws -> [RecordKey: Record] {
    let builder = RecordBuilder()
    return try Dictionary(
      uniqueKeysWithValues: cards.map {
        (RecordKey(.integer(Int64($0.id))), try table.encode($0, builder))
      })
  }

  private func pull(_ cards: [Card], keys: [Int]) async throws {
    let keys = Set(keys.map { RecordKey(.integer(Int64($0))) })
    try await stack.apply(
      [ServerRows(table, .keys(keys), try rows(cards))], of: stack.followedTables, state: state)
  }

  private func pullAll(_ cards: [Card]) async throws {
    let all = ServerRows.Extent.range(after: nil, through: nil)
    try await stack.apply(
      [ServerRows(table, all, try rows(cards))], of: stack.followedTables, state: state)
  }

  private func stored() async throws -> [Card] { try await stack.fetch(Card.all) }

  private func open() async throws -> Outbox {
    _ = try await stack.openReplica(of: [table], first: state)
    try await pullAll([first])
    return stack.replicaOutbox
  }

  @Test func `rows are inserted, changed and deleted, and the state is stored with them`()
    async throws
  {
    try await pullAll([first, Card(id: 2), Card(id: 3)])
    var changed = first
    changed.title = "c"
    try await pull([changed, Card(id: 4)], keys: [1, 2, 4, 5])
    #expect(try await stored() == [changed, Card(id: 3), Card(id: 4)])
    #expect(try await stack.openReplica(of: [table], first: Data()) == state)
  }

  @Test func `a range has an exclusive start and an inclusive end`() async throws {
    try await pullAll((1...6).map { Card(id: $0) })
    let range = ServerRows.Extent.range(
      after: RecordKey(.integer(2)), through: RecordKey(.integer(4)))
    try await stack.apply(
      [ServerRows(table, range, try rows([Card(id: 3)]))], of: stack.followedTables, state: state)
    #expect(try await stored().map(\.id) == [1, 2, 3, 5, 6])
    let end = ServerRows.Extent.range(after: RecordKey(.integer(5)), through: nil)
    try await stack.apply([ServerRows(table, end, [:])], of: stack.followedTables, state: state)
    #expect(try await stored().map(\.id) == [1, 2, 3, 5])
  }

  @Test func `equal rows wake nobody, and nothing waits to be pushed`() async throws {
    let outbox = try await open()
    let live = try await stack.viewContext.loaded(Card.all)
    try await pullAll([first])
    try await pull([first], keys: [1, 9])
    try await stack.viewContext.waitUntilMerged(stack.store.newestCommit)
    #expect(live.statistics.maintainedChanges == 0)
    #expect(try await outbox.requests().isEmpty)
  }

  @Test func `attributes without an edit take the server's values`() async throws {
    let outbox = try await open()
    try await stack.withScratch { [first] in $0.update(first) { $0.title = "mine" } }
    var theirs = first
    theirs.text = "theirs"
    try await pull([theirs], keys: [1])
    #expect(try await stored() == [Card(id: 1, title: "mine", text: "theirs", plays: 5)])
    #expect(try await outbox.requests().map(\.attributes) == [["title"]])
    // An edit of the same attribute stays, too.
    theirs.title = "theirs"
    try await pull([theirs], keys: [1])
    #expect(try await stored().map(\.title) == ["mine"])
  }

  @Test func `an edit that the server has already is done`() async throws {
    let outbox = try await open()
    try await stack.withScratch { [first] in
      $0.update(first) { ($0.title, $0.text) = ("mine", "mine") }
    }
    var theirs = first
    theirs.title = "mine"
    try await pull([theirs], keys: [1])
    #expect(try await outbox.requests().map(\.attributes) == [["text"]])
    theirs.text = "mine"
    try await pull([theirs], keys: [1])
    #expect(try await outbox.requests().isEmpty)
    #expect(try await stored() == [theirs])
  }

  @Test func `an attribute with a rule is merged, once`() async throws {
    let outbox = try await open()
    try await stack.withScratch { [first] in $0.update(first) { $0.plays += 2 } }
    for _ in 0..<2 {
      try await pull([Card(id: 1, title: "a", text: "b", plays: 6)], keys: [1])
      #expect(try await stored().map(\.plays) == [8])
    }
    #expect(try await outbox.requests().map(\.attributes) == [["plays"]])
  }

  @Test func `an edit of a row that the server has deleted goes`() async throws {
    let outbox = try await open()
    try await stack.withScratch { [first] in $0.update(first) { $0.title = "mine" } }
    try await pull([], keys: [1])
    #expect(try await stored().isEmpty)
    #expect(try await outbox.requests().isEmpty)
  }

  @Test func `a deletion stays until the server has none of the row`() async throws {
    let outbox = try await open()
    try await stack.withScratch { [first] in $0.delete(first) }
    try await pull([Card(id: 1, title: "theirs")], keys: [1])
    #expect(try await stored().isEmpty)
    #expect(try await outbox.requests().map(\.kind) == [.delete])
    try await pull([], keys: [1])
    #expect(try await outbox.requests().isEmpty)
  }

  @Test func `an insertion waits, and becomes an update if the server has the key`() async throws {
    let outbox = try await open()
    try await stack.withScratch { $0.insert(Card(id: 2, title: "mine", text: "mine")) }
    try await pullAll([first])
    #expect(try await stored().map(\.id) == [1, 2])
    #expect(try await outbox.requests().map(\.kind) == [.insert])
    try await pull([Card(id: 2, title: "theirs", text: "mine")], keys: [2])
    #expect(try await stored().map(\.title) == ["a", "mine"])
    let requests = try await outbox.requests()
    #expect(requests.map(\.kind) == [.update] && requests.map(\.attributes) == [["title"]])
  }

  // MARK: - Pushes

  /// Returns the rows that a server would have after a push, given the rows that it has.
  private func pushed(onto cards: [Card]) async throws -> [Card] {
    let builder = RecordBuilder()
    var server = Dictionary(uniqueKeysWithValues: cards.map { ($0.id, $0) })
    for edit in try await stack.handOver(of: [table], limit: .max, state: state).edits {
      guard let id = edit.key.id(of: Card.self) else { continue }
      let old = try server[id].map { try table.encode($0, builder) }
      server[id] = edit.row(onto: old).flatMap { table.decodeLeniently($0, as: Card.self) }
    }
    return server.values.sorted { $0.id < $1.id }
  }

  private func confirm(_ cards: [Card], _ verdicts: [ServerVerdict] = []) async throws {
    let keys = Set((0..<9).map { RecordKey(.integer(Int64($0))) })
    try await stack.apply(
      [ServerRows(table, .keys(keys), try rows(cards))], of: stack.followedTables,
      confirming: verdicts, state: state)
  }

  private func add(_ plays: Int) async throws {
    try await stack.withScratch { context in
      let card = try #require(try await context.find(Card.self, 1))
      context.update(card) { $0.plays += plays }
    }
  }

  @Test func `rows that were there before the first opening wait to be inserted`() async throws {
    try await stack.withScratch { $0.insert(Card(id: 7)) }
    _ = try await stack.openReplica(of: [table], first: state)
    let outbox = stack.replicaOutbox
    #expect(try await outbox.requests().map(\.kind) == [.insert])
    #expect(try await pushed(onto: [first]) == [first, Card(id: 7)])
    // A second opening offers nothing again.
    try await confirm([Card(id: 7)])
    _ = try await stack.openReplica(of: [table], first: state)
    #expect(try await outbox.requests().isEmpty)
  }

  @Test func `edits of tables that follow no server do not wait, until they do`() async throws {
    let stack = try await Stack.temporary([Card.self, Rack.self])
    let (cards, racks) = (
      stack.store.model.table(of: Card.self), stack.store.model.table(of: Rack.self)
    )
    func insert(_ id: Int) async throws {
      try await stack.withScratch { context in
        context.insert(Card(id: id))
        context.insert(Rack(id: id))
      }
    }
    func waiting() async throws -> [String: [Int]] {
      try await stack.waitingRows(of: [cards, racks]).mapValues { rows in
        rows.keys.compactMap { $0.id(of: Card.self) }.sorted()
      }
    }
    try await insert(1)
    _ = try await stack.openReplica(of: [cards], first: state)
    try await insert(2)
    #expect(try await waiting() == ["cards": [1, 2]])
    #expect(try await stack.outboxCounts() == OutboxCounts(waiting: 2, refused: 0))
    _ = try await stack.openReplica(of: [cards, racks], first: state)
    #expect(try await waiting() == ["cards": [1, 2], "racks": [1, 2]])
    try await stack.replicaOutbox.acknowledgeEverything()
    // A table that is no longer followed goes on to wait, and its rows are not offered again.
    _ = try await stack.openReplica(of: [racks], first: state)
    try await insert(3)
    _ = try await stack.openReplica(of: [cards, racks], first: state)
    #expect(try await waiting() == ["cards": [3], "racks": [3]])
    await stack.close()
  }

  @Test func `a read-only replica refuses edits of its tables alone`() async throws {
    let stack = try await Stack.temporary([Card.self, Rack.self])
    let cards = stack.store.model.table(of: Card.self)
    _ = try await stack.openReplica(of: [cards], isReadOnly: true, first: state)
    try await stack.withScratch { $0.insert(Rack(id: 1)) }
    let error = await #expect(throws: StoreError.self) {
      try await stack.withScratch { context in
        context.insert(Rack(id: 2))
        context.insert(Card(id: 1))
      }
    }
    #expect(error?.code == .readOnly)
    #expect(error?.entity == "Card")
    #expect(try await stack.fetch(Rack.all).map(\.id) == [1])
    let counts = try await stack.outboxCounts()
    #expect(counts == OutboxCounts(waiting: 0, refused: 0))
    await stack.close()
  }

  @Test func `a store that a replica follows has no other outbox`() async throws {
    _ = try await open()
    let error = await #expect(throws: StoreError.self) { try await stack.outbox() }
    #expect(error?.code == .replicated)
  }

  @Test func `a push is merged with the server's row, and an edit during it is pushed next`()
    async throws
  {
    let outbox = try await open()
    try await add(2)
    var server = first
    (server.plays, server.text) = (6, "theirs")
    let after = try await pushed(onto: [server])
    #expect(after == [Card(id: 1, title: "a", text: "theirs", plays: 8)])
    try await add(10)
    // A pull from before the push says nothing of it.
    try await pull([server], keys: [1])
    #expect(try await stored().map(\.plays) == [18])
    try await confirm(after)
    #expect(try await stored().map(\.plays) == [18])
    #expect(try await pushed(onto: after).map(\.plays) == [18])
    try await confirm([Card(id: 1, plays: 18)])
    #expect(try await outbox.requests().isEmpty)
  }

  @Test func `a push that was lost is made again, with what was edited since`() async throws {
    let outbox = try await open()
    try await add(2)
    _ = try await pushed(onto: [first])
    try await add(10)
    let after = try await pushed(onto: [first])
    #expect(after.map(\.plays) == [17])
    try await confirm(after)
    #expect(try await outbox.requests().isEmpty)
    #expect(try await stored() == after)
  }

  @Test func `a row that is inserted again after its deletion was pushed is inserted there`()
    async throws
  {
    let outbox = try await open()
    try await stack.withScratch { [first] in $0.delete(first) }
    #expect(try await pushed(onto: [first]).isEmpty)
    let again = Card(id: 1, title: "again")
    try await stack.withScratch { $0.insert(again) }
    try await confirm([])
    #expect(try await outbox.requests().map(\.kind) == [.insert])
    #expect(try await stored() == [again])
    // A row that is deleted again after its insertion was pushed is deleted there.
    #expect(try await pushed(onto: []) == [again])
    try await stack.withScratch { $0.delete(again) }
    try await confirm([again])
    #expect(try await outbox.requests().map(\.kind) == [.delete])
    #expect(try await pushed(onto: [again]).isEmpty)
    try await confirm([])
    #expect(try await outbox.requests().isEmpty)
    #expect(try await stored().isEmpty)
  }

  @Test func `refused rows stay refused, and what depends on them waits`() async throws {
    let outbox = try await open()
    try await stack.withScratch { context in
      for id in 2...4 { context.insert(Card(id: id)) }
    }
    _ = try await pushed(onto: [first])
    let keys = (2...3).map { RecordKey(.integer(Int64($0))) }
    let verdicts = [
      ServerVerdict(table, keys[0], refusal: "no"), ServerVerdict(table, keys[1], refusal: nil),
    ]
    try await confirm([first, Card(id: 4)], verdicts)
    #expect(try await outbox.refusals().map { $0.request.id(of: Card.self) } == [2])
    #expect(try await outbox.requests().map { $0.id(of: Card.self) } == [3])
    #expect(try await stored().map(\.id) == [1, 2, 3, 4])
  }

  @Test func `an edit that came to depend on a refused one is held back and not confirmed`()
    async throws
  {
    let stack = try await Stack.temporary([Rack.self, Volume.self])
    let tables = stack.replicableTables
    _ = try await stack.openReplica(of: tables, first: state)
    try await stack.withScratch { context in
      context.insert(Rack(id: 2))
      context.insert(Volume(id: 1))
    }
    let rack = try #require(
      try await stack.handOver(of: tables, limit: .max, state: state).edits.first)
    let verdict = ServerVerdict(rack.table, rack.key, refusal: "no")
    try await stack.apply([], of: stack.followedTables, confirming: [verdict], state: state)
    func edit(_ change: @escaping @Sendable (inout Volume) -> Void) async throws {
      try await stack.withScratch { context in
        context.update(try #require(try await context.find(Volume.self, 1)), change)
      }
    }
    // The first push is lost.
    try await edit { $0.title = "a" }
    #expect(try await stack.handOver(of: tables, limit: .max, state: state).edits.count == 1)
    try await edit { $0.rackID = 2 }
    #expect(try await stack.handOver(of: tables, limit: .max, state: state).edits.isEmpty)
    try await stack.withScratch { $0.insert(Rack(id: 3)) }
    #expect(try await stack.handOver(of: tables, limit: .max, state: state).edits.count == 1)
    try await stack.apply([], of: stack.followedTables, confirming: [], state: state)
    let outbox = stack.replicaOutbox
    #expect(try await outbox.requests().map(\.attributes) == [["title", "rackID"]])
    await stack.close()
  }

  // MARK: - Unique values

  /// Opens a store that has some accounts of a server, by number and name.
  private func accounts(_ names: [Int: String]) async throws -> Stack {
    let stack = try await Stack.temporary([Account.self])
    _ = try await stack.openReplica(of: stack.replicableTables, first: state)
    try await pull(names, in: stack)
    return stack
  }

  /// Brings accounts 0 to 9 to those of a server.
  private func pull(_ names: [Int: String], in stack: Stack) async throws {
    let (table, builder) = (stack.replicableTables[0], RecordBuilder())
    var rows: [RecordKey: Record] = [:]
    for (id, name) in names {
      rows[RecordKey(.integer(Int64(id)))] = try table.encode(Account(id: id, name: name), builder)
    }
    let keys = Set((0..<10).map { RecordKey(.integer(Int64($0))) })
    try await stack.apply(
      [ServerRows(table, .keys(keys), rows)], of: stack.followedTables, state: state)
  }

  private func names(_ stack: Stack) async throws -> [Int: String] {
    let all = try await stack.fetch(Account.all)
    return Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.name) })
  }

  @Test func `rows of the server may swap a unique value`() async throws {
    let stack = try await accounts([1: "a", 2: "b", 3: "c"])
    let swapped = [1: "b", 2: "a", 4: "c"]
    try await pull(swapped, in: stack)
    #expect(try await names(stack) == swapped)
    await stack.close()
  }

  @Test func `an insertion whose unique value others took is set aside, with all it has`()
    async throws
  {
    let stack = try await accounts([1: "a"])
    try await stack.withScratch { context in
      context.insert(Account(id: 5, name: "x"))
      context.insert(Account(id: 6, name: "y"))
    }
    try await pull([1: "a", 2: "x"], in: stack)
    #expect(try await names(stack) == [1: "a", 2: "x", 6: "y"])
    let outbox = stack.replicaOutbox
    let refusal = try #require(try await outbox.refusals().first)
    #expect(refusal.request.value(as: Account.self)?.name == "x")
    #expect(refusal.request.kind == .insert)
    // Later pulls leave it where it is.
    try await pull([1: "a", 2: "x", 3: "z"], in: stack)
    #expect(try await outbox.refusals().count == 1)
    // The value is still taken.
    await #expect(throws: StoreError.self) { try await outbox.retry(refusal) }
    try await pull([1: "a", 2: "free"], in: stack)
    #expect(try await outbox.retry(refusal))
    #expect(try await names(stack) == [1: "a", 2: "free", 5: "x", 6: "y"])
    #expect(try await outbox.requests().count == 2)
    await stack.close()
  }

  @Test func `an update whose unique value others took is set aside, and can be given up`()
    async throws
  {
    let stack = try await accounts([1: "a", 2: "b"])
    try await stack.withScratch { context in
      let account = try #require(try await context.find(Account.self, 1))
      context.update(account) { $0.name = "x" }
    }
    try await pull([1: "a", 2: "x"], in: stack)
    #expect(try await names(stack) == [1: "a", 2: "x"])
    let outbox = stack.replicaOutbox
    let refusal = try #require(try await outbox.refusals().first)
    #expect(refusal.request.value(as: Account.self)?.name == "x")
    #expect(try await outbox.revert(refusal))
    #expect(try await outbox.refusals().isEmpty)
    #expect(try await outbox.requests().isEmpty)
    #expect(try await names(stack) == [1: "a", 2: "x"])
    await stack.close()
  }

  @Test func `pages of a copy may show a value before the row that gave it up`() async throws {
    let stack = try await accounts([1: "a", 5: "b"])
    let (table, builder) = (stack.replicableTables[0], RecordBuilder())
    let key = { (id: Int) in RecordKey(.integer(Int64(id))) }
    let page = try table.encode(Account(id: 1, name: "b"), builder)
    try await stack.apply(
      [ServerRows(table, .range(after: nil, through: key(3)), [key(1): page])],
      of: stack.followedTables, state: state)
    let rest = try table.encode(Account(id: 5, name: "c"), builder)
    try await stack.apply(
      [ServerRows(table, .range(after: key(3), through: nil), [key(5): rest])],
      of: stack.followedTables, state: state)
    #expect(try await names(stack) == [1: "b", 5: "c"])
    await stack.close()
  }

  /// Edits and pulls at random, against the rule in plain Swift.
  @Test func `the store has the server's rows with the edits, whatever happens`() async throws {
    let outbox = try await open()
    var random = SeededRandom.printingSeed()
    var server = [1: first]
    /// The edits of each row by attribute; nil for a deletion.
    var edits: [Int: [WritableKeyPath<Card, String>: String]?] = [:]
    for step in 0..<300 {
      let id = random.below(4)
      let path = random.pick([\Card.title, \Card.text])
      switch random.below(4) {
      case 0:
        if random.oneIn(4) {
          server[id] = nil
        } else {
          server[id, default: Card(id: id)][keyPath: path] = "server \(step)"
        }
      case 1:
        guard let row = try await stack.viewContext.find(Card.self, id), edits[id] != .some(nil)
        else { continue }
        stack.viewContext.update(row) { $0[keyPath: path] = "mine \(step)" }
        try await stack.viewContext.save()
        edits[id] = (edits[id] ?? [:])?.merging([path: "mine \(step)"]) { $1 }
      case 2:
        guard let row = try await stack.viewContext.find(Card.self, id) else { continue }
        stack.viewContext.delete(row)
        try await stack.viewContext.save()
        edits[id] = .some(nil)
      default:
        let keys = random.oneIn(2) ? [id] : [0, 1, 2, 3]
        try await pull(keys.compactMap { server[$0] }, keys: keys)
        for key in keys {
          guard let row = server[key] else {
            edits[key] = nil
            continue
          }
          edits[key] = edits[key].map { $0?.filter { row[keyPath: $0.key] != $0.value } }
          if edits[key] == .some([:]) { edits[key] = nil }
        }
        for key in keys {
          var expected = server[key]
          if let edit = edits[key] {
            if edit == nil { expected = nil }
            for (path, text) in edit ?? [:] { expected?[keyPath: path] = text }
          }
          #expect(try await stack.fetch(Card.where { $0.id == key }).first == expected)
        }
        #expect(Set(try await outbox.requests().map { $0.id(of: Card.self) }) == Set(edits.keys))
      }
    }
  }
}
