import Foundation
import StrataTesting
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

/// Rows of a server that replace the store's, under edits that wait to be pushed.
@MainActor @Suite(.stack(Card.self), .timeLimit(.minutes(25))) struct ServerRowsTests {
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
    try await stack.apply([ServerRows(table, .keys(keys), try rows(cards))], state: state)
  }

  private func pullAll(_ cards: [Card]) async throws {
    let all = ServerRows.Extent.range(after: nil, through: nil)
    try await stack.apply([ServerRows(table, all, try rows(cards))], state: state)
  }

  private func stored() async throws -> [Card] { try await stack.fetch(Card.all) }

  private func open() async throws -> Outbox {
    let outbox = try await stack.outbox(ignoring: [Stack.replicaAuthor])
    try await pullAll([first])
    return outbox
  }

  @Test func `rows are inserted, changed and deleted, and the state is stored with them`()
    async throws
  {
    #expect(try await stack.replicaState() == nil)
    try await pullAll([first, Card(id: 2), Card(id: 3)])
    var changed = first
    changed.title = "c"
    try await pull([changed, Card(id: 4)], keys: [1, 2, 4, 5])
    #expect(try await stored() == [changed, Card(id: 3), Card(id: 4)])
    #expect(try await stack.replicaState() == state)
  }

  @Test func `a range has an exclusive start and an inclusive end`() async throws {
    try await pullAll((1...6).map { Card(id: $0) })
    let range = ServerRows.Extent.range(
      after: RecordKey(.integer(2)), through: RecordKey(.integer(4)))
    try await stack.apply([ServerRows(table, range, try rows([Card(id: 3)]))], state: state)
    #expect(try await stored().map(\.id) == [1, 2, 3, 5, 6])
    let end = ServerRows.Extent.range(after: RecordKey(.integer(5)), through: nil)
    try await stack.apply([ServerRows(table, end, [:])], state: state)
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
