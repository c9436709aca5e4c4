import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Queries from one place of their order to another.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor struct OrderBoundTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  /// An order of boats, as a query and as a comparison.
  private struct Order: Sendable {
    let name: String
    let query: @Sendable (Query<Boat>) -> Query<Boat>
    let precedes: @Sendable (Boat, Boat) -> Bool
  }

  nonisolated private static let orders = [
    Order(name: "key", query: { $0 }, precedes: { $0.id < $1.id }),
    Order(
      name: "length", query: { $0.sorted(by: \.length) },
      precedes: { ($0.length, $0.id) < ($1.length, $1.id) }),
    Order(
      name: "length, reversed", query: { $0.sorted(by: \.length, order: .reverse) },
      precedes: { ($0.length, $0.id) > ($1.length, $1.id) }),
    Order(
      name: "speed", query: { $0.sorted(by: \.speed) },
      precedes: { ($0.speed ?? -1, $0.id) < ($1.speed ?? -1, $1.id) }),
    Order(
      name: "speed, reversed", query: { $0.sorted(by: \.speed, order: .reverse) },
      precedes: { ($0.speed ?? -1, $0.id) > ($1.speed ?? -1, $1.id) }),
    Order(
      name: "name, and speed reversed",
      query: { $0.sorted(by: \.name).sorted(by: \.speed, order: .reverse) },
      precedes: { a, b in
        a.name == b.name ? (a.speed ?? -1, a.id) > (b.speed ?? -1, b.id) : a.name < b.name
      }),
    Order(
      name: "name without case, reversed",
      query: { $0.sorted(by: \.name, .ignoringCase, order: .reverse).sorted(by: \.length) },
      precedes: { a, b in
        let (x, y) = (a.name.lowercased(), b.name.lowercased())
        return x == y ? (a.length, a.id) < (b.length, b.id) : x > y
      }),
  ]

  private func boat(_ id: Int, _ random: inout SeededRandom) -> Boat {
    Boat(
      id: id, name: random.pick(["gull", "Gull", "tern", "Auk", ""]), length: random.below(6),
      speed: random.oneIn(3) ? nil : random.below(5),
      harbourID: random.oneIn(3) ? nil : random.below(3))
  }

  /// A query between bounds, and its meaning for an array.
  private struct Question: CustomStringConvertible {
    let order: Order
    let bounds: [(kind: Int, boat: Boat)]
    let isOpen: Bool

    init(_ boats: [Boat], _ random: inout SeededRandom, _ make: (inout SeededRandom) -> Boat) {
      order = random.pick(OrderBoundTests.orders)
      bounds = (0...random.below(3)).map { _ in
        // Some boats are not stored, and some that are stored have other values here.
        (random.below(4), random.oneIn(3) || boats.isEmpty ? make(&random) : random.pick(boats))
      }
      isOpen = random.oneIn(4)
    }

    var query: Query<Boat> {
      // The sorts may follow the bounds.
      let first = isOpen ? Boat.where { $0.harbour.isOpen } : Boat.all
      return order.query(
        bounds.reduce(first) { query, bound in
          switch bound.kind {
          case 0: query.after(bound.boat)
          case 1: query.from(bound.boat)
          case 2: query.before(bound.boat)
          default: query.through(bound.boat)
          }
        })
    }

    func answer(_ boats: [Boat]) -> [Boat] {
      boats.filter { boat in
        if isOpen && boat.harbourID != 1 { return false }
        return bounds.allSatisfy { kind, bound in
          switch kind {
          case 0: order.precedes(bound, boat)
          case 1: !order.precedes(boat, bound)
          case 2: order.precedes(boat, bound)
          default: !order.precedes(bound, boat)
          }
        }
      }.sorted(by: order.precedes)
    }

    var description: String { "\(order.name) \(bounds) open \(isOpen)" }
  }

  @Test func `queries between bounds agree with arrays, fetched and live, with edits unsaved`()
    async throws
  {
    var random = SeededRandom.printingSeed()
    var boats: [Int: Boat] = [:]
    for id in 0..<60 { boats[id] = boat(id, &random) }
    try await stack.merge { scratch in
      for id in 0..<3 { scratch.insert(Harbour(id: id, isOpen: id == 1)) }
      for boat in boats.values { scratch.insert(boat) }
    }
    for round in 0..<40 {
      let question = Question(Array(boats.values), &random) { self.boat($0.below(70), &$0) }
      let note: Comment = "round \(round), \(question), seed \(random.seed)"
      let live = try await view.loaded(question.query)
      let count = view.live(.count, of: question.query)
      let page = try await view.loaded(question.query.limit(4))
      try await count.waitUntilLoaded()
      for _ in 0..<6 {
        let answer = question.answer(Array(boats.values))
        let fetched = try await view.fetch(question.query)
        #expect(fetched == answer, note)
        #expect(try await stack.fetch(question.query) == answer, note)
        #expect(Array(live.elements) == answer, note)
        #expect(count.value == answer.count, note)
        #expect(Array(page.elements) == Array(answer.prefix(4)), note)
        #expect(
          try await view.fetch(question.query.offset(2).limit(3))
            == Array(answer.dropFirst(2).prefix(3)), note)
        #expect(try await view.count(question.query) == answer.count, note)
        // Some rows lie at a bound.
        let new =
          random.oneIn(2)
          ? random.pick(question.bounds).boat : boat(random.below(70), &random)
        let isCommitted = random.oneIn(2)
        if random.oneIn(4) {
          boats[new.id] = nil
          if isCommitted { try await stack.merge { $0.delete(Boat.self, new.id) } }
          if !isCommitted { view.delete(Boat.self, new.id) }
        } else {
          boats[new.id] = new
          if isCommitted { try await stack.merge { $0.upsert(new) } }
          if !isCommitted { view.upsert(new) }
        }
        if !isCommitted {
          if !question.isOpen {
            let edited = question.answer(Array(boats.values))
            #expect(Array(live.elements) == edited, note)
            #expect(count.value == edited.count, note)
          }
          #expect(
            try await view.fetch(question.query) == question.answer(Array(boats.values)), note)
          try await view.save(.overwrite)
        }
      }
    }
  }

  /// The window of a chat: it begins at a message, grows by older ones, and is open at its end.
  @Test func `a window that grows at both ends has the rows of an array, and its rows stay`()
    async throws
  {
    var random = SeededRandom.printingSeed()
    try await stack.merge { scratch in
      for id in 0..<400 { scratch.insert(Boat(id: id, length: random.below(90))) }
    }
    let upwards = Boat.sorted(by: \.length)
    let downwards = Boat.sorted(by: \.length, order: .reverse)
    for round in 0..<12 {
      let all = try await view.fetch(upwards)
      var (first, last) = (random.below(all.count), random.below(all.count))
      if first > last { swap(&first, &last) }
      let live = try await view.loaded(upwards.from(all[first]).through(all[last]))
      var list = Array(live.elements)
      var updates = live.updates.makeAsyncIterator()
      #expect(list == Array(all[first...last]))
      for step in 0..<8 {
        let note: Comment = "round \(round), step \(step), seed \(random.seed)"
        let older = try await view.fetch(downwards.after(all[first]).limit(random.below(9)))
        let newer = try await view.fetch(upwards.after(all[last]).limit(random.below(9)))
        #expect(older == Array(all[..<first].reversed().prefix(older.count)), note)
        (first, last) = (first - older.count, last + newer.count)
        try await live.change(to: upwards.from(all[first]).through(all[last]))
        let wanted = Array(all[first...last])
        #expect(Array(live.elements) == wanted, note)
        if list == wanted { continue }
        let update = try #require(await updates.next())
        // No row that was shown is deleted or moved.
        #expect(!update.isReset && update.deletions.isEmpty && update.moves.isEmpty, note)
        update.apply(to: &list)
        #expect(list == wanted, note)
      }
    }
  }

  @Test func `a bound in an order that an entity alone does not decide is refused`() async throws {
    for query in [
      Boat.sorted { $0.harbour.name }.after(Boat()),
      Boat.all.before(Boat()).sorted { $0.length + 1 },
    ] {
      let error = await failure { try await stack.fetch(query) }
      #expect(error?.code == .invalidQuery && error?.entity == "Boat")
      #expect(view.live(query).error?.code == .invalidQuery)
    }
  }
}
