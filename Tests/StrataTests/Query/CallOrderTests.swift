import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Knot: Entity, Equatable {
  var id = 0
  var n = 0
  var seen = 0
  static let schema = Schema<Knot>("knots", key: \.id) {
    Attribute(\.n).indexed()
    Attribute(\.seen)
  }
}

/// The order in which a query's parts are called.
///
/// No page said that `limit(5).where { … }` is the first five of the matching entities and not the
/// matching ones of the first five.
@Suite(.inTurn, .stack(Knot.self)) @MainActor struct CallOrderTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  private enum Part: CaseIterable {
    case condition, sort, limit, offset

    func added(to query: Query<Knot>) -> Query<Knot> {
      switch self {
      case .condition: query.where { $0.n == 0 }
      case .sort: query.sorted(by: \.id, order: .reverse)
      case .limit: query.limit(3)
      case .offset: query.offset(1)
      }
    }
  }

  @Test func `the order of the calls changes no result, live or fetched`() async throws {
    try await stack.withScratch { scratch in
      for id in 0..<20 { scratch.insert(Knot(id: id, n: id % 4)) }
    }
    view.insert(Knot(id: 20, n: 0))
    view.insert(Knot(id: 21, n: 1))
    var random = SeededRandom.printingSeed()
    for _ in 0..<24 {
      let parts = Part.allCases.shuffled(using: &random)
      let query = parts.reduce(Knot.all) { $1.added(to: $0) }
      let note = Comment("\(parts)")
      #expect(try await stack.fetch(query).map(\.id) == [12, 8, 4], note)
      #expect(try await view.fetch(query).map(\.id) == [16, 12, 8], note)
      #expect(try await view.fetchKeys(query) == [16, 12, 8], note)
      #expect(try await view.count(query) == 3, note)
      #expect(try await view.exists(query), note)
      #expect(try await view.fetch(.sum(\.id), of: query) == 36, note)
      #expect(try await view.distinct(\.n, of: query) == [0], note)
      let live = try await view.loaded(query)
      #expect(live.elements.map(\.id) == [16, 12, 8], note)
      let sum = view.live(.sum(\.id), of: query)
      #expect(try await sum.waitUntilLoaded() == 36, note)
      #expect(try await stack.update(query, .set(\.seen) { $0.seen + 1 }) == 3, note)
    }
    #expect(try await stack.fetch(Knot.where { $0.seen == 24 }).map(\.id) == [4, 8, 12])
    #expect(try await stack.count(Knot.where { $0.seen == 0 }) == 17)
  }

  @Test func `the least limit and the last offset count`() async throws {
    try await stack.withScratch { scratch in
      for id in 0..<20 { scratch.insert(Knot(id: id)) }
    }
    #expect(try await stack.count(Knot.all.limit(3).limit(10)) == 3)
    #expect(try await stack.count(Knot.all.limit(10).limit(3)) == 3)
    #expect(try await stack.fetch(Knot.all.offset(5).offset(2).limit(1)).map(\.id) == [2])
    let scratch = stack.makeScratch()
    try await scratch.delete(
      Knot.all.limit(2).where { $0.id > 9 }.sorted(by: \.id, order: .reverse))
    try await scratch.save()
    #expect(try await stack.fetchKeys(Knot.where { $0.id > 9 }) == Array(10..<18))
  }
}
