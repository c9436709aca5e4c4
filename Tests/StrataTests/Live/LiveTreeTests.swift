import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Live trees, law by law. Each test is a defect that a library with nested live results has had.
@Suite(.inTurn, .stack(Chamber.self, Missive.self, Lodger.self, Alcove.self, Codex.self)) @MainActor
struct LiveTreeTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  private func commit(_ edit: (ScratchContext) -> Void) async throws {
    let scratch = stack.makeScratch()
    edit(scratch)
    try await view.waitUntilMerged(try await scratch.save(.overwrite))
  }

  /// Saves two chambers with the letters 1 to 3 and 4 to 6, and returns their tree.
  private func letters(
    _ change: @escaping @Sendable (Query<Missive>) -> Query<Missive> = { $0 }
  ) async throws -> LiveTree<Chamber, (Chamber, LiveElements<Missive>)> {
    try await commit { scratch in
      for id in 1...2 { scratch.upsert(Chamber(id: id, title: "\(id)")) }
      for id in 1...6 { scratch.upsert(Missive(id: id, chamberID: (id + 2) / 3, sent: id)) }
    }
    let tree = view.live(Chamber.sorted(by: \.title), with: Chamber.letters.narrowed(change))
    try await tree.waitUntilLoaded()
    return tree
  }

  private func ids(_ tree: LiveTree<Chamber, (Chamber, LiveElements<Missive>)>) -> [[Int]] {
    tree.elements.map { $0.1.map(\.id) }
  }

  // MARK: Membership

  @Test func `an entity stays when its last related entity goes`() async throws {
    let tree = try await letters()
    try await commit { scratch in for id in 1...3 { scratch.delete(Missive.self, id) } }
    #expect(ids(tree) == [[], [4, 5, 6]])
  }

  @Test func `a change of the entity alone keeps its related entities`() async throws {
    let tree = try await letters()
    try await commit { $0.upsert(Chamber(id: 1, title: "3")) }
    #expect(ids(tree) == [[4, 5, 6], [1, 2, 3]])
    view.update(tree.elements[0].0) { $0.title = "4" }
    #expect(ids(tree) == [[1, 2, 3], [4, 5, 6]])
  }

  @Test func `a filter of related entities hides no entity`() async throws {
    let tree = try await letters { $0.where { $0.sent > 4 } }
    #expect(ids(tree) == [[], [5, 6]])
  }

  @Test func `a null reference belongs to no entity`() async throws {
    let tree = try await letters()
    try await commit { $0.upsert(Missive(id: 2, chamberID: nil)) }
    #expect(ids(tree) == [[1, 3], [4, 5, 6]])
    try await commit { $0.upsert(Missive(id: 2, chamberID: 2, sent: 2)) }
    #expect(ids(tree) == [[1, 3], [2, 4, 5, 6]])
  }

  @Test func `an entity that is linked with two stands beside both`() async throws {
    try await commit { scratch in
      for id in 1...2 { scratch.upsert(Chamber(id: id, title: "\(id)")) }
      for id in 1...2 { scratch.upsert(Lodger(id: id, name: "\(id)")) }
      for id in 1...2 { scratch.link(id, to: 1, in: Chamber.guests) }
    }
    let tree = view.live(Chamber.sorted(by: \.title), with: Chamber.guests)
    try await tree.waitUntilLoaded()
    #expect(tree.elements.map { $0.1.map(\.name) } == [["1"], ["1"]])
    view.update(Lodger(id: 1, name: "1")) { $0.name = "one" }
    #expect(tree.elements.map { $0.1.map(\.name) } == [["one"], ["one"]])
    view.unlink(1, from: 1, in: Chamber.guests)
    #expect(tree.elements.map { $0.1.map(\.name) } == [[], ["one"]])
    view.link(1, to: 2, in: Chamber.guests)
    #expect(await eventually { tree.elements.map { $0.1.map(\.name) } == [["2"], ["one"]] })
    view.rollback()
    #expect(tree.elements.map { $0.1.map(\.name) } == [["1"], ["1"]])
  }

  @Test func `keys that are one text in two spellings are two entities`() async throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    try await commit { scratch in
      for key in [composed, decomposed] { scratch.upsert(Alcove(id: key)) }
      for id in 1...3 { scratch.upsert(Codex(id: id, alcoveID: id == 1 ? composed : decomposed)) }
    }
    let tree = view.live(Alcove.all, with: .count(of: Alcove.volumes), Alcove.volumes)
    try await tree.waitUntilLoaded()
    let counts = Dictionary(uniqueKeysWithValues: tree.elements.map { (Array($0.0.id.utf8), $0.1) })
    #expect(counts == [Array(composed.utf8): 1, Array(decomposed.utf8): 2])
    #expect(tree.elements.map(\.2.count).sorted() == [1, 2])
  }

  // MARK: Unsaved edits

  @Test func `a related entity moves in the turn of its edit and back in that of its undo`()
    async throws
  {
    let tree = try await letters { $0.sorted(by: \.sent, order: .reverse).limit(2) }
    #expect(ids(tree) == [[3, 2], [6, 5]])
    view.update(Missive(id: 6, chamberID: 2, sent: 6)) { $0.chamberID = 1 }
    #expect(ids(tree) == [[6, 3], [5, 4]])
    view.undo()
    #expect(ids(tree) == [[3, 2], [6, 5]])
    view.redo()
    #expect(ids(tree) == [[6, 3], [5, 4]])
    try await view.save()
    #expect(ids(tree) == [[6, 3], [5, 4]])
  }

  @Test func `a new entity and its related entities show in the turn of their insertion`()
    async throws
  {
    let tree = try await letters()
    view.insert(Chamber(id: 3, title: "0"))
    view.insert(Missive(id: 7, chamberID: 3))
    #expect(ids(tree) == [[7], [1, 2, 3], [4, 5, 6]])
  }

  @Test func `an entity that an edit shows comes with its related entities`() async throws {
    try await commit { scratch in
      scratch.upsert(Chamber(id: 1, title: "1", isOpen: false))
      for id in 1...3 { scratch.upsert(Missive(id: id, chamberID: 1)) }
    }
    let tree = view.live(
      Chamber.where { $0.isOpen }, with: Chamber.letters, .count(of: Chamber.letters))
    try await tree.waitUntilLoaded()
    var updates = tree.updates.makeAsyncIterator()
    view.update(Chamber(id: 1, title: "1", isOpen: false)) { $0.isOpen = true }
    let update = try #require(await updates.next())
    // No update shows the entity without its letters.
    #expect(update.elements.map { $0.1.map(\.id) } == [[1, 2, 3]])
    #expect(update.elements.map(\.2) == [3])
  }

  @Test func `a deleted entity takes what stands beside it along, and its rule runs at the save`()
    async throws
  {
    let tree = try await letters()
    view.delete(Chamber.self, 1)
    #expect(ids(tree) == [[4, 5, 6]])
    view.undo()
    #expect(ids(tree) == [[1, 2, 3], [4, 5, 6]])
    view.delete(Chamber.self, 1)
    try await view.save()
    #expect(try await view.count(Missive.where { $0.chamberID == nil }) == 3)
  }

  @Test func `an entity that is deleted and inserted again stands once`() async throws {
    let tree = try await letters()
    view.delete(Missive.self, 2)
    view.insert(Missive(id: 2, chamberID: 2, sent: 9))
    #expect(ids(tree) == [[1, 3], [2, 4, 5, 6]])
    try await view.save(.overwrite)
    #expect(ids(tree) == [[1, 3], [2, 4, 5, 6]])
  }

  @Test func `a count has unsaved edits`() async throws {
    _ = try await letters()
    let tree = view.live(
      Chamber.sorted(by: \.title),
      with: .count(of: Chamber.letters.narrowed { $0.where { !$0.isRead } }),
      .max(\.sent, of: Chamber.letters), .value(.sum(\.sent), of: Chamber.letters))
    try await tree.waitUntilLoaded()
    #expect(tree.elements.map(\.1) == [3, 3])
    #expect(tree.elements.map(\.2) == [3, 6])
    #expect(tree.elements.map(\.3) == [6, 15])
    view.update(Missive(id: 6, chamberID: 2, sent: 6)) { $0.isRead = true }
    view.delete(Missive.self, 3)
    #expect(tree.elements.map(\.1) == [2, 2])
    #expect(tree.elements.map(\.2) == [2, 6])
    #expect(tree.elements.map(\.3) == [3, 15])
  }

  // MARK: Limits

  @Test func `a limit counts for each entity`() async throws {
    let tree = try await letters { $0.sorted(by: \.sent, order: .reverse).limit(2) }
    try await commit { scratch in
      for id in 7...40 { scratch.upsert(Missive(id: id, chamberID: 2, sent: id)) }
    }
    #expect(ids(tree) == [[3, 2], [40, 39]])
  }

  @Test func `a window that runs short reads on, and others do not`() async throws {
    let tree = try await letters { $0.sorted(by: \.sent, order: .reverse).limit(2) }
    try await commit { scratch in
      for id in 7...40 { scratch.upsert(Missive(id: id, chamberID: 2, sent: id)) }
    }
    let refills = tree.statistics.refills
    try await commit { scratch in for id in 31...40 { scratch.delete(Missive.self, id) } }
    #expect(ids(tree) == [[3, 2], [30, 29]])
    try await commit { $0.delete(Missive.self, 3) }
    #expect(ids(tree) == [[2, 1], [30, 29]])
    #expect(tree.statistics.refills == refills + 1)
    #expect(tree.statistics.loads == 1)
  }

  @Test func `a window keeps few rows of an entity with many`() async throws {
    try await commit { scratch in
      scratch.upsert(Chamber(id: 1, title: "1"))
      for id in 1...5_000 { scratch.upsert(Missive(id: id, chamberID: 1, sent: id)) }
    }
    let tree = view.live(
      Chamber.all,
      with: Chamber.letters.narrowed { $0.sorted(by: \.sent, order: .reverse).limit(3) })
    try await tree.waitUntilLoaded()
    #expect(ids(tree) == [[5_000, 4_999, 4_998]])
    let rows = tree.result.contents.committedRows.map(\.rows.count)
    #expect(rows == [1, 7])
  }

  // MARK: Wakes

  @Test func `a change that the tree does not show wakes nobody`() async throws {
    let tree = try await letters { $0.where { $0.isRead == false }.sorted(by: \.sent).limit(2) }
    let wakes = tree.statistics.wakes
    // A row beyond the limit, a row that does not match, and a row of no shown entity.
    try await commit { $0.upsert(Missive(id: 3, chamberID: 1, sent: 30)) }
    try await commit { $0.upsert(Missive(id: 7, chamberID: 1, sent: 0, isRead: true)) }
    try await commit { $0.upsert(Missive(id: 8, chamberID: 9, sent: 0)) }
    view.update(Missive(id: 3, chamberID: 1, sent: 30)) { $0.sent = 31 }
    #expect(tree.statistics.wakes == wakes)
    try await commit { $0.upsert(Missive(id: 9, chamberID: 1, sent: 0)) }
    #expect(tree.statistics.wakes == wakes + 1)
  }

  @Test func `a commit of many rows is one update`() async throws {
    let tree = try await letters()
    var updates = tree.updates.makeAsyncIterator()
    try await commit { scratch in
      scratch.upsert(Missive(id: 1, chamberID: 2, sent: 1))
      scratch.upsert(Missive(id: 4, chamberID: 1, sent: 4))
      scratch.upsert(Missive(id: 5, chamberID: 2, sent: 5, isRead: true))
    }
    let update = try #require(await updates.next())
    #expect(update.elements.map { $0.1.map(\.id) } == [[2, 3, 4], [1, 5, 6]])
    #expect(update.edits.isEmpty)
    #expect(update.related.map(\.offset) == [0, 1])
    #expect(update.related.map(\.deletions) == [[0], [0]])
    #expect(update.related.map(\.insertions) == [[2], [0]])
    #expect(update.related.map(\.edits) == [[], [1]])
  }

  // MARK: Errors

  @Test func `a relationship that is narrowed by other entities has an error with a remedy`()
    async throws
  {
    let tree = view.live(
      Chamber.all, with: Chamber.letters.narrowed { $0.where { $0.chamber.isOpen } })
    #expect(tree.error?.code == .invalidQuery)
    #expect(tree.error?.advice.contains("attributes of the related entity") == true)
    await #expect(throws: StoreError.self) { try await tree.waitUntilLoaded() }
    #expect(tree.elements.isEmpty)
  }
}

struct Alcove: Entity {
  var id = ""

  static let volumes = toMany(\Codex.alcoveID)
  static let schema = Schema<Alcove>("shelves", key: \.id) { volumes }
}

struct Codex: Entity {
  var id = 0
  var alcoveID: String?

  static let shelf = toOne(\.alcoveID, Alcove.self)
  static let schema = Schema<Codex>("volumes", key: \.id) { shelf }
}
