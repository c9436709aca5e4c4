import StrataTesting
import Testing

@testable import Strata

/// Limited live queries, which know only the first rows.
@Suite(.stack(Boat.self, Harbour.self), .timeLimit(.minutes(10))) @MainActor struct LiveWindowTests
{
  let stack = Stack.test
  var view: ViewContext { stack.view }

  private func fill(_ boats: [Boat]) async throws {
    try await stack.withScratch { scratch in boats.forEach(scratch.insert) }
  }

  @Test func `a window that runs short reads only what it lacks`() async throws {
    try await fill((0..<500).map { Boat(id: $0, length: $0) })
    let live = try await view.loaded(Boat.sorted(by: \.length).offset(10).limit(10))
    for first in stride(from: 0, to: 450, by: 50) {
      try await stack.merge { scratch in
        for id in first..<(first + 50) { scratch.delete(Boat(id: id)) }
      }
      #expect(live.elements.map(\.id) == Array((first + 60)..<(first + 70)).filter { $0 < 500 })
    }
    #expect(live.statistics.loads == 1 && live.statistics.refills >= 4)
  }

  @Test func `every order goes on after its horizon`() async throws {
    var random = SeededRandom.printingSeed()
    var boats = (0..<600).map { boat($0, &random) }
    try await fill(boats)
    let orders = [
      Boat.sorted(by: \.speed), Boat.sorted(by: \.speed, .descending),
      Boat.sorted(by: \.name, .descending).sorted(by: \.speed),
      Boat.sorted(by: \.speed, .descending).sorted(by: \.name, .descending),
      Boat.where { $0.length > 2 }.sorted(by: \.id, .descending),
      Boat.where { $0.harbour.isOpen || $0.length > 1 }.sorted(by: \.speed),
    ]
    let queries = orders.enumerated().map { $1.offset($0 % 3).limit(4 + $0) }
    var lives: [(Query<Boat>, LiveQuery<Boat>)] = []
    for query in queries { lives.append((query, try await view.loaded(query))) }
    while boats.count > 20 {
      // The first ones of some order.
      let gone = try await view.fetch(random.pick(orders).limit(40)) + boats.prefix(10)
      let others = (0..<5).map { _ in boat(random.below(600), &random) }
      try await stack.merge { scratch in
        for boat in gone { scratch.delete(boat) }
        others.forEach(scratch.upsert)
      }
      boats = try await view.fetch(Boat.all)
      for (query, live) in lives {
        let fetched = try await view.fetch(query)
        #expect(Array(live.elements) == fetched, "\(query), seed \(random.seed)")
      }
    }
    #expect(lives.allSatisfy { $0.1.statistics.loads == 1 })
    #expect(lives.contains { $0.1.statistics.refills > 0 })
  }

  private func boat(_ id: Int, _ random: inout SeededRandom) -> Boat {
    Boat(
      id: id, name: random.pick(["Gull", "Tern", "Swan"]), length: random.below(6),
      speed: random.oneIn(3) ? nil : random.below(5))
  }
}
