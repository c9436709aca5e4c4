import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Bay: Entity {
  var id = 0
  var name = ""

  static let tomes = toMany(\Tome.bayID)
  static let schema = Schema<Bay>("bays", key: \.id) {
    Attribute(\.name)
    tomes
  }
}

private struct Tome: Entity {
  var id = 0
  var title = ""
  var pages = 0
  var price = 0.0
  var bayID: Bay.ID?

  static let bay = toOne(\.bayID, Bay.self)
  static let schema = Schema<Tome>("tomes", key: \.id) {
    Attribute(\.title)
    Attribute(\.pages)
    Attribute(\.price)
    bay
  }
}

@MainActor @Suite(.inTurn, .stack(Bay.self, Tome.self)) struct QueryIndexTests {
  private let stack = Stack.test

  /// Returns the names of the queries that some changes can concern.
  private func concerned(
    _ queries: [String: Query<Tome>], by change: (ScratchContext) async throws -> Void
  ) async throws -> Set<String> {
    var (index, names) = (QueryIndex<LivePlan.Identity>(), [LivePlan.Identity: String]())
    for (name, query) in queries {
      let plan = try LivePlan(QueryPlan(query, stack.store.model))
      index.add(plan.identity, plan)
      names[plan.identity] = name
    }
    var changes = stack.changes.makeAsyncIterator()
    try await stack.withScratch { try await change($0) }
    let made = try #require(await changes.next())
    let found = index.queries(concernedBy: made)
    // A removed query is not found again.
    for query in queries.values {
      let plan = try LivePlan(QueryPlan(query, stack.store.model))
      index.remove(plan.identity, plan)
    }
    #expect(index.queries(concernedBy: made).isEmpty)
    return Set(found.compactMap { names[$0] })
  }

  private let queries: [String: Query<Tome>] = [
    "title a": Tome.where { $0.title == "a" },
    "title b, long": Tome.where { $0.pages > 10 && $0.title == "b" },
    "title a or b": Tome.where { $0.title == "a" || $0.title == "b" },
    "price": Tome.where { $0.price == 2 },
    "no title a": Tome.where { !($0.title == "a") },
    "bay 1": Bay.tomes(of: 1),
    "bay 2": Bay.tomes(of: 2),
    "name of bay": Tome.where { $0.bay.name == "x" },
  ]
  private let always: Set = ["title a or b", "price", "no title a", "name of bay"]

  @Test func `a row concerns the queries that demand its values, before and after`() async throws {
    let inserted = try await concerned(queries) { $0.insert(Tome(id: 1, title: "a", bayID: 2)) }
    #expect(inserted == always.union(["title a", "bay 2"]))
    let moved = try await concerned(queries) { context in
      let tome = try #require(try await context.find(Tome.self, 1))
      context.update(tome) { ($0.title, $0.bayID) = ("b", 1) }
    }
    #expect(moved == always.union(["title a", "title b, long", "bay 1", "bay 2"]))
    let deleted = try await concerned(queries) { context in
      context.delete(try #require(try await context.find(Tome.self, 1)))
    }
    #expect(deleted == always.union(["title b, long", "bay 1"]))
  }

  @Test func `the root of a relationship concerns its query`() async throws {
    let found = try await concerned(queries) { $0.insert(Bay(id: 2)) }
    #expect(found == ["bay 2", "name of bay"])
  }

  @Test func `many rows concern all queries of their table`() async throws {
    let found = try await concerned(queries) { context in
      for id in 1...100 { context.insert(Tome(id: id, title: "z")) }
    }
    #expect(found == Set(queries.keys))
  }
}
