import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Queries that have no rows in any store.
@MainActor @Suite(.inTurn) struct NoneQueryTests {
  private let statements = Lock<[String]>([])
  private let stack: Stack
  private var view: ViewContext { stack.viewContext }

  /// Queries without rows, in several forms.
  private let queries: [Query<Boat>] = [
    .none, Boat.none.where { $0.length > 3 },
    Boat.where { $0.harbour.name == "Leith" && $0.id.isIn([]) },
    Boat.none.sorted(by: \.name).limit(5).offset(2), Boat.none.where { !$0.harbour.isOpen },
    Boat.where { $0.name.isIn([]) || $0.harbour.name.isIn([]) },
  ]

  init() async throws {
    var options = Stack.Options()
    options.trace = { [statements] statement in statements.withLock { $0.append(statement.sql) } }
    stack = try await Stack.temporary(Boat.self, Harbour.self, options: options)
    try await stack.commit { scratch in
      scratch.insert(Harbour(id: 1, name: "Leith"))
      for id in 1...9 { scratch.insert(Boat(id: id, name: "Boat \(id)", length: id, harbourID: 1)) }
    }
  }

  /// Returns the statements over the entities' tables since the last call.
  private func reads() -> [String] {
    statements.withLock { statements in
      defer { statements = [] }
      return statements.filter { $0.contains("\"boats\"") || $0.contains("\"harbours\"") }
    }
  }

  @Test(arguments: [false, true])
  func `a query that can find no row reads no row, with unsaved edits or without`(isEdited: Bool)
    async throws
  {
    if isEdited {
      view.insert(Boat(id: 10, name: "New", length: 10, harbourID: 1))
      let boat = try #require(try await view.find(Boat.self, 1))
      view.update(boat) { $0.name = "Other" }
    }
    try await view.waitUntilMerged(stack.store.newestCommit)
    _ = reads()
    for query in queries {
      #expect(try await view.fetch(query).isEmpty)
      #expect(try await view.count(query) == 0)
      #expect(try await !view.exists(query))
      #expect(try await view.fetchKeys(query).isEmpty)
      #expect(try await view.fetch(query, \.name).isEmpty)
      #expect(try await view.distinct(\.name, of: query).isEmpty)
      let (count, sum, most) = try await view.fetch(
        .count, .sum(\.length), .max(\.length), of: query)
      #expect(count == 0 && sum == 0 && most == nil)
      #expect(try await view.fetch(.count, of: query.grouped(by: \.name)).isEmpty)
      #expect(try await stack.fetch(query).isEmpty)
    }
    #expect(reads() == [])
  }

  @Test func `a live query of nothing is loaded, and stays empty, without reading`() async throws {
    try await view.waitUntilMerged(stack.store.newestCommit)
    _ = reads()
    let lives = queries.map { view.live($0) }
    for live in lives {
      try await live.waitUntilLoaded()
      #expect(live.isLoaded && live.elements.isEmpty && live.error == nil)
    }
    #expect(reads() == [])
    let live = lives[0]
    view.insert(Boat(id: 10, name: "New", length: 10))
    #expect(live.elements.isEmpty)
    try await view.save()
    try await stack.merge { $0.update(Harbour(id: 1, name: "Leith")) { $0.isOpen = false } }
    #expect(lives.allSatisfy { $0.elements.isEmpty })
    try await live.change(to: Boat.where { $0.id == 10 })
    #expect(live.elements.map(\.id) == [10])
    live.query = .none
    try await live.change(to: .none)
    #expect(live.elements.isEmpty)
  }

  @Test func `a query that may find a row reads`() async throws {
    for query in [
      Boat.where { !$0.id.isIn([]) }, Boat.where { $0.id.isIn([]) || $0.length > 0 },
      Boat.none.where { $0.length > 0 }.limit(3), Boat.all,
    ].enumerated() {
      let count = try await view.count(query.element)
      #expect(count == (query.offset == 2 ? 0 : 9))
    }
  }

  @Test func `a condition that is wrong is one of nothing, too`() async throws {
    let error = await failure { try await view.fetch(Boat.none.where { $0.nameSize > 3 }) }
    #expect(error?.code == .invalidQuery)
  }
}

extension Boat {
  /// A property that is no attribute.
  fileprivate var nameSize: Int { name.count }
}
