import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Live queries under random edits, saves, failures and commits of scratch contexts.
@Suite(.inTurn, .stack(Boat.self, Harbour.self, Pennant.self))
@MainActor struct LiveHistoryTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  @Test func `replaying the updates gives what a fetch returns and what elements has`()
    async throws
  {
    var random = SeededRandom.printingSeed()
    try await fill(&random)
    let all = try await view.loaded(Boat.all)
    var followers: [Follower] = []
    for (number, query) in queries.enumerated() {
      followers.append(try await Follower(view, query, isSlow: number % 2 == 1))
    }
    let sectioned = view.live(Boat.sorted(by: \.length), sectionedBy: \.name)
    try await sectioned.waitUntilLoaded()
    var sections = sectioned.sections.map { Array($0.elements) }
    var updates = sectioned.updates.makeAsyncIterator()
    let count = view.live(.count, of: Boat.all.grouped(by: \.name))
    let longest = view.live(.max(\.length), of: Boat.where { $0.harbour.isOpen })
    try await count.waitUntilLoaded()
    try await longest.waitUntilLoaded()
    let hop = try await Follower(view, Boat.where { $0.harbour.isOpen }.sorted(by: \.name))
    for step in 0..<120 {
      try await act(all, &random)
      if random.oneIn(3) { await Task.yield() }
      if !random.oneIn(6) { continue }
      for follower in followers {
        let fetched = try await view.fetch(follower.query)
        let differs = Array(follower.live.elements) != fetched
        #expect(!differs, "elements of \(follower.query), step \(step), seed \(random.seed)")
        let hasCaughtUp = await eventually { follower.list == fetched }
        #expect(hasCaughtUp, "updates of \(follower.query), step \(step), seed \(random.seed)")
        if differs || !hasCaughtUp { return }
      }
      let shown = sectioned.sections.map { Array($0.elements) }
      if sections != shown { await updates.next()?.apply(to: &sections) }
      #expect(sections == shown, "sections, step \(step), seed \(random.seed)")
      #expect(shown.flatMap { $0 }.count == followers[0].list.count)
      let sizes = Dictionary(
        uniqueKeysWithValues: sectioned.sections.map { ($0.name, $0.range.count) })
      #expect(count.value == sizes, "counts, step \(step), seed \(random.seed)")
      // A query through a reference shows edits only when they are saved.
      if view.hasChanges { continue }
      let most = try await view.fetch(.max(\.length), of: Boat.where { $0.harbour.isOpen })
      #expect(longest.value == most, "extreme, step \(step), seed \(random.seed)")
      let fetched = try await view.fetch(hop.query)
      #expect(Array(hop.live.elements) == fetched, "step \(step), seed \(random.seed)")
      let hasCaughtUp = await eventually { hop.list == fetched }
      #expect(hasCaughtUp, "step \(step), seed \(random.seed)")
    }
    for follower in followers + [hop] { follower.stop() }
  }

  private var queries: [Query<Boat>] {
    [
      Boat.all,
      Boat.where { $0.length > 2 && $0.name != "Tern" },
      Boat.sorted(by: \.speed, order: .reverse).sorted(by: \.name).sorted(
        by: \.length, order: .reverse),
      Boat.sorted(by: \.length).limit(5),
      Boat.where { $0.speed == nil }.sorted(by: \.name).offset(2).limit(4),
      Boat.sorted(by: \.name, order: .reverse).offset(10),
    ]
  }

  private func fill(_ random: inout SeededRandom) async throws {
    var boats: [Boat] = []
    for id in 0..<160 { boats.append(boat(id, &random)) }
    try await stack.withScratch { [boats] scratch in
      boats.forEach(scratch.insert)
      for id in 0..<4 { scratch.insert(Harbour(id: id, isOpen: id % 2 == 0)) }
      scratch.insert(Pennant(id: 0, code: "taken"))
    }
  }

  private func boat(_ id: Int, _ random: inout SeededRandom) -> Boat {
    Boat(
      id: id, name: random.pick(["Gull", "Tern", "Swan", "Auk"]), length: random.below(6),
      speed: random.oneIn(3) ? nil : random.below(3), harbourID: random.below(5))
  }

  private func act(_ all: LiveQuery<Boat>, _ random: inout SeededRandom) async throws {
    let new = boat(random.below(200), &random)
    switch random.below(25) {
    case 0...6:
      if let old = all.elements.first(where: { $0.id == new.id }) {
        let attribute = random.below(3)
        view.update(old) { boat in
          if attribute != 0 { boat.name = new.name }
          if attribute != 1 { boat.length = new.length }
          if attribute != 2 { boat.speed = new.speed }
        }
      } else {
        view.insert(new)
      }
    case 7...9:
      if let old = all.elements.first(where: { $0.id == new.id }) { view.delete(old) }
    case 10...11: try await save(&random)
    case 12: try await failingSave()
    case 13: view.rollback()
    case 14:
      // Commits of scratch contexts overtake this save and follow it.
      let saving = Task { _ = await failure { try await view.save(.overwrite) } }
      try await commit(&random, count: 3)
      await saving.value
    case 15:
      let harbour = Harbour(id: random.below(5), isOpen: random.oneIn(2))
      let isDeleted = random.oneIn(3)
      try await stack.commit(.overwrite) {
        if isDeleted { $0.delete(harbour) } else { $0.upsert(harbour) }
      }
    case 16 where random.oneIn(3): try await commit(&random, count: 120)
    case 17:
      let sheet = view.makeScratch()
      sheet.upsert(new)
      sheet.delete(boat(random.below(200), &random))
      try await sheet.save(.overwrite)
    case 18: view.undo()
    case 19: view.redo()
    default: try await commit(&random, count: 1 + random.below(6))
    }
  }

  private func save(_ random: inout SeededRandom) async throws {
    guard let error = await failure({ try await view.save() }) else { return }
    #expect(error.code == .conflict)
    if random.oneIn(2) { view.rollback() } else { try await view.save(.overwrite) }
  }

  /// Tries a save that a pennant makes fail, and takes only the pennant back.
  private func failingSave() async throws {
    let pennant = Pennant(id: 7, code: "taken", number: 7)
    view.insert(pennant)
    let error = await failure { try await view.save(.overwrite) }
    #expect(error?.code == .uniquenessViolated)
    view.delete(pennant)
    // Undoing the deletion would bring the pennant back, and every save would fail.
    view.undoLimit = 0
    view.undoLimit = 50
  }

  /// Commits changes of `count` boats from a scratch context.
  private func commit(_ random: inout SeededRandom, count: Int) async throws {
    var upserts: [Boat] = []
    var deletions: [Boat] = []
    for _ in 0..<count {
      let boat = boat(random.below(200), &random)
      if random.oneIn(count > 100 ? 1 : 3) { deletions.append(boat) } else { upserts.append(boat) }
    }
    try await stack.commit(.overwrite) { [upserts, deletions] scratch in
      upserts.forEach(scratch.upsert)
      deletions.forEach(scratch.delete)
    }
  }
}

/// A live query, and a list that is built from its updates alone.
@MainActor private final class Follower {
  let query: Query<Boat>
  let live: LiveQuery<Boat>
  private(set) var list: [Boat]
  private var task: Task<Void, Never>?

  init(_ view: ViewContext, _ query: Query<Boat>, isSlow: Bool = false) async throws {
    self.query = query
    live = try await view.loaded(query)
    list = Array(live.elements)
    let updates = live.updates
    task = Task { [weak self] in
      for await update in updates {
        guard let self else { return }
        update.apply(to: &list)
        // Updates that come meanwhile are composed.
        if isSlow { await others() }
      }
    }
  }

  func stop() { task?.cancel() }
}
