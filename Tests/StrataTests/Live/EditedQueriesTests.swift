import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Rack: Entity, Equatable {
  var id = 0
  var name = ""

  static let tomes = toMany(\Tome.rackID)
  static let schema = Schema<Rack>("racks", key: \.id) {
    Attribute(\.name)
    tomes
  }
}

private struct Tome: Entity, Equatable {
  var id = 0
  var title = ""
  var pages = 0
  var isRead: Bool?
  var rackID: Rack.ID?

  static let rack = toOne(\.rackID, Rack.self, onDelete: .cascade)
  static let schema = Schema<Tome>("tomes", key: \.id) {
    Attribute(\.title)
    Attribute(\.pages)
    Attribute(\.isRead)
    rack
  }
}

/// Edits are shown in the live queries that they concern, and no other query is visited.
@Suite(.inTurn, .stack(Rack.self, Tome.self)) @MainActor struct EditedQueriesTests {
  private let stack = Stack.test
  private var view: ViewContext { stack.viewContext }

  /// Queries that edits find by a value, by the root of a relationship, and through their table
  /// alone. The queries lack some tomes.
  private static let queries: [Query<Tome>] = [
    Tome.where { $0.title == "a" }, Tome.where { $0.pages == 1 && $0.title == "b" },
    Tome.where { $0.isRead == false }.sorted(by: \.pages), Tome.where { $0.id == 3 },
    Tome.where { $0.title == "c" }.sorted(by: \.pages).limit(2), Rack.tomes(of: 0),
    Rack.tomes(of: 1), Rack.tomes(of: 2), Tome.where { $0.pages > 1 },
    Tome.where { $0.isRead == nil }, Tome.sorted(by: \.title).limit(3),
    Tome.where { $0.title == "a" || $0.pages == 0 },
  ]

  private func tome(_ random: inout SeededRandom) -> Tome {
    Tome(
      id: random.below(12), title: random.pick(["a", "b", "c", "d", "e"]), pages: random.below(3),
      isRead: random.oneIn(5) ? nil : !random.oneIn(4), rackID: random.below(6))
  }

  private func changed(_ tome: Tome, _ random: inout SeededRandom) -> (inout Tome) -> Void {
    let (new, attribute) = (self.tome(&random), random.below(4))
    return { tome in
      switch attribute {
      case 0: tome.title = new.title
      case 1: tome.pages = new.pages
      case 2: tome.isRead = new.isRead
      default: tome.rackID = new.rackID
      }
    }
  }

  /// Makes one step.
  private func act(_ lives: [LiveQuery<Tome>], _ random: inout SeededRandom) async throws {
    let new = tome(&random)
    let old = try await view.find(Tome.self, new.id)
    switch random.below(24) {
    case 0...4: if let old { view.update(old, changed(old, &random)) }
    case 5: view.upsert(new)
    case 6: if old == nil { view.insert(new) }
    case 7: if let old { view.delete(old) }
    case 8: view.delete(Tome.self, new.id)
    case 9:
      let change = changed(new, &random)
      try await view.update(random.pick(Self.queries), change)
    case 10: try await view.delete(Tome.where { $0.pages == new.pages && $0.title == new.title })
    case 11: view.undo()
    case 12: view.redo()
    case 13: if random.oneIn(2) { view.rollback() }
    case 14, 15: try await view.save(.overwrite)
    case 16:
      let sheet = view.makeScratch()
      sheet.upsert(new)
      sheet.delete(Tome.self, random.below(12))
      try await sheet.save(.overwrite)
    case 17:
      let live = random.pick(lives)
      live.query = random.pick(Self.queries)
      try await live.change(to: live.query)
    case 18:
      let (id, isDeleted) = (random.below(3), random.oneIn(2))
      try await stack.commit(.overwrite) { scratch in
        if isDeleted { scratch.delete(Rack.self, id) } else { scratch.upsert(Rack(id: id)) }
      }
    default:
      let tomes = (0..<1 + random.below(4)).map { _ in tome(&random) }
      try await stack.commit(.overwrite) { scratch in tomes.forEach(scratch.upsert) }
    }
    if random.oneIn(4) { try await view.waitUntilMerged(stack.store.newestCommit) }
  }

  @Test func `live queries show after any edit what a fetch returns`() async throws {
    var random = SeededRandom.printingSeed()
    try await stack.commit { scratch in
      for id in 0..<6 { scratch.insert(Rack(id: id)) }
      for _ in 0..<8 { scratch.upsert(tome(&random)) }
    }
    var lives: [LiveQuery<Tome>] = []
    for query in Self.queries where random.oneIn(2) { lives.append(try await view.loaded(query)) }
    lives.append(view.live(Self.queries[0]))
    for step in 0..<150 {
      if random.oneIn(20) {
        lives[random.below(lives.count)] = view.live(random.pick(Self.queries))
      }
      try await act(lives, &random)
      for live in lives where live.isLoaded {
        let fetched = try await view.fetch(live.query)
        let isRight = Array(live.elements) == fetched
        #expect(isRight, "\(live.query), step \(step), seed \(random.seed)")
        if !isRight { return }
      }
    }
  }

  /// The first edit is made to a value that is older than the store's row, which no query has yet.
  @Test(arguments: [false, true])
  func `a query that gets an edited row meanwhile shows its later edits`(
    isRefill: Bool
  ) async throws {
    try await stack.commit { scratch in
      scratch.insert(Tome(id: 1, title: "b"))
      scratch.insert(Tome(id: 2, title: "a"))
    }
    let query = Tome.where { $0.pages == 0 }.sorted(by: \.id, order: .reverse)
    let live = try await view.loaded(isRefill ? query.limit(1) : Tome.where { $0.pages == 3 })
    let edited = view.update(Tome(id: 1, title: "b", pages: 2)) { $0.title = "c" }
    if isRefill {
      try await stack.commit { $0.delete(Tome.self, 2) }
      try await view.waitUntilMerged(stack.store.newestCommit)
    } else {
      try await live.change(to: query)
    }
    #expect(live.elements.contains(Tome(id: 1, title: "c")))
    view.update(edited) { $0.title = "d" }
    #expect(live.elements.contains(Tome(id: 1, title: "d")))
  }

  @Test func `an edit visits only the live queries that it concerns`() async throws {
    try await stack.commit { scratch in
      for id in 0..<50 { scratch.insert(Rack(id: id)) }
      for id in 0..<100 { scratch.insert(Tome(id: id, title: "\(id % 5)", rackID: id % 50)) }
    }
    var lives: [LiveQuery<Tome>] = []
    for id in 0..<50 { lives.append(try await view.loaded(Rack.tomes(of: id).limit(1))) }
    let table = stack.store.model.table(of: Tome.self)
    func visited(_ id: Int, from old: Int?, to new: Int?) throws -> Int {
      func state(_ rack: Int?) throws -> RecordState {
        RecordState(
          try rack.map { try table.encode(Tome(id: id, rackID: $0), RecordBuilder()) })
      }
      var rows = ShownEdits()
      rows.add(RecordKey(.integer(Int64(id))), before: try state(old), after: try state(new))
      return view.results.index.results(concernedBy: [table.id: rows]).count
    }
    #expect(try visited(1, from: 1, to: 1) == 1)
    #expect(try visited(1, from: 1, to: 2) == 2)
    #expect(try visited(200, from: nil, to: 49) == 1)
    #expect(try visited(200, from: nil, to: 99) == 0)
    withExtendedLifetime(lives) {}
  }
}
