import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Live queries with sections.
@Suite(.inTurn, .stack(Boat.self, Harbour.self))
@MainActor struct LiveSectionTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  private func fill(_ boats: [Boat]) async throws {
    try await stack.withScratch { scratch in boats.forEach(scratch.insert) }
  }

  private let fleet = [
    Boat(id: 1, name: "Auk", length: 3), Boat(id: 2, name: "Gull", length: 9),
    Boat(id: 3, name: "Auk", length: 1), Boat(id: 4, name: "Tern", length: 5),
  ]

  private func shape<Name>(_ live: SectionedLiveQuery<Boat, Name>) -> [[Int]] {
    live.sections.map { $0.elements.map(\.id) }
  }

  @Test func `sections are runs of equal values, sorted by them first`() async throws {
    try await fill(fleet)
    let live = view.live(Boat.sorted(by: \.length), sectionedBy: \.name)
    #expect(live.sections.isEmpty)
    try await live.waitUntilLoaded()
    #expect(live.sections.map(\.name) == ["Auk", "Gull", "Tern"])
    #expect(shape(live) == [[3, 1], [2], [4]])
    #expect(live.sections.map(\.range) == [0..<2, 2..<3, 3..<4])
    #expect(live.sections[LivePath(section: 0, item: 1)].id == 1)
    #expect((0..<4).map { live.sections.path(of: $0).section } == [0, 0, 1, 2])
    #expect(live.elements.map(\.id) == [3, 1, 2, 4])
    let descending = view.live(Boat.sorted(by: \.name, order: .reverse), sectionedBy: \.name)
    try await descending.waitUntilLoaded()
    #expect(descending.sections.map(\.name) == ["Tern", "Gull", "Auk"])
    let optional = view.live(Boat.all, sectionedBy: \.speed)
    try await optional.waitUntilLoaded()
    #expect(optional.sections.map(\.name) == [nil])
  }

  @Test func `sections may be computed, whatever the query sorts by`() async throws {
    try await fill(fleet)
    let live = view.live(Boat.sorted(by: \.name, order: .reverse), section: { $0.length % 2 })
    try await live.waitUntilLoaded()
    #expect(live.sections.isEmpty == false && live.sections.map(\.name) == [1])
    view.insert(Boat(id: 5, name: "Swan", length: 4))
    try await stack.withScratch { $0.insert(Boat(id: 6, name: "Rail", length: 2)) }
    #expect(live.sections.map(\.name) == [0, 1] && shape(live) == [[5, 6], [4, 2, 3, 1]])
    let limited = view.live(Boat.all.limit(3), section: \.length)
    #expect(limited.error?.code == .invalidQuery && limited.sections.isEmpty)
  }

  @Test func `sections by what is no attribute are an error`() async throws {
    let live = view.live(Boat.sorted(by: \.length), sectionedBy: \.initial)
    #expect(live.error?.code == .invalidQuery && live.sections.isEmpty && live.elements.isEmpty)
    #expect(await failure { try await live.waitUntilLoaded() }?.code == .invalidQuery)
    #expect(await failure { try await live.change(to: Boat.all) }?.code == .invalidQuery)
  }

  @Test func `a name that cannot be stored is an error`() async throws {
    try await fill(fleet)
    let live = view.live(Boat.all, section: { $0.id == 2 ? Double.nan : 1 })
    let error = await failure { try await live.waitUntilLoaded() }
    #expect(error?.code == .invalidValue && error?.keys == [RecordKey(.integer(2))])
  }

  @Test func `an update names sections that come and go, and nothing inside of them`()
    async throws
  {
    try await fill(fleet)
    let live = view.live(Boat.sorted(by: \.length), sectionedBy: \.name)
    try await live.waitUntilLoaded()
    var updates = live.updates.makeAsyncIterator()
    view.delete(fleet[1])
    view.insert(Boat(id: 7, name: "Skua", length: 2))
    view.insert(Boat(id: 8, name: "Skua", length: 1))
    let first = try #require(await updates.next())
    #expect(first.deletedSections == [1] && first.insertedSections == [1])
    #expect(first.deletions.isEmpty && first.insertions.isEmpty && first.moves.isEmpty)
    // The element moves between two sections that stay.
    view.update(fleet[0]) { $0.name = "Tern" }
    let second = try #require(await updates.next())
    #expect(second.moves.map(\.from) == [LivePath(section: 0, item: 1)])
    #expect(second.moves.map(\.to) == [LivePath(section: 2, item: 0)])
    #expect(second.edits.map(\.attributes) == [["name"]])
    // The last element of a section enters a new section. A move can name neither of the two.
    view.update(fleet[2]) { $0.name = "Zenaida" }
    let third = try #require(await updates.next())
    #expect(third.deletedSections == [0] && third.insertedSections == [2])
    #expect(third.moves.isEmpty && third.deletions.isEmpty && third.insertions.isEmpty)
  }

  @Test func `an element that changes its section moves even if its neighbours are the same`()
    async throws
  {
    try await fill([
      Boat(id: 1, name: "A", length: 1), Boat(id: 2, name: "A", length: 9),
      Boat(id: 3, name: "B", length: 1), Boat(id: 4, name: "B", length: 9),
    ])
    let live = view.live(Boat.sorted(by: \.length), sectionedBy: \.name)
    try await live.waitUntilLoaded()
    var updates = live.updates.makeAsyncIterator()
    view.update(Boat(id: 2, name: "A", length: 9)) {
      $0.name = "B"
      $0.length = 0
    }
    let update = try #require(await updates.next())
    #expect(update.moves.count == 1 && shape(live) == [[1], [2, 3, 4]])
    #expect(update.moves.first?.to == LivePath(section: 1, item: 0))
  }

  @Test func `another query keeps the sections, unless their order is another`() async throws {
    try await fill(fleet)
    let live = view.live(Boat.sorted(by: \.length), sectionedBy: \.name)
    try await live.waitUntilLoaded()
    var updates = live.updates.makeAsyncIterator()
    try await live.change(to: Boat.where { $0.length > 2 })
    let first = try #require(await updates.next())
    #expect(!first.isReset && first.deletions == [LivePath(section: 0, item: 0)])
    try await live.change(to: Boat.sorted(by: \.name, order: .reverse))
    #expect(await updates.next()?.isReset == true)
    #expect(shape(live) == [[4], [2], [3, 1]])
  }

  @Test func `replaying every update onto arrays of arrays gives the sections`() async throws {
    var random = SeededRandom.printingSeed()
    let all = try await view.loaded(Boat.all)
    for round in 0..<3 {
      try await fill(
        (0..<40).map { boat(round * 1_000 + $0, &random) })
      let mine = Boat.where { $0.id >= round * 1_000 }
      let followers = [
        try await SectionFollower(view, view.live(mine.sorted(by: \.length), sectionedBy: \.name)),
        try await SectionFollower(
          view, view.live(mine.sorted(by: \.name, order: .reverse).limit(12), sectionedBy: \.name)),
      ]
      let computed = try await SectionFollower(
        view, view.live(mine.sorted(by: \.name), section: { $0.length / 2 }))
      for _ in 0..<60 {
        for _ in 0...random.below(6) { edit(all, round * 1_000, &random) }
        if random.oneIn(3) { try await view.save(.overwrite) }
        if random.oneIn(4) {
          let others = (0..<4).map { _ in boat(round * 1_000 + random.below(60), &random) }
          try await stack.commit(.overwrite) { scratch in others.forEach(scratch.upsert) }
        }
        for follower in followers { await follower.check("seed \(random.seed)") }
        await computed.check("seed \(random.seed)")
      }
      try await view.save(.overwrite)
    }
  }

  private func boat(_ id: Int, _ random: inout SeededRandom) -> Boat {
    Boat(
      id: id, name: String(UnicodeScalar(UInt8(65 + random.below(9)))), length: random.below(8),
      speed: random.below(3))
  }

  private func edit(_ all: LiveQuery<Boat>, _ first: Int, _ random: inout SeededRandom) {
    let boat = boat(first + random.below(60), &random)
    guard let old = all.elements.first(where: { $0.id == boat.id }) else {
      return view.insert(boat)
    }
    if random.oneIn(4) { view.delete(old) } else { view.update(old) { $0 = boat } }
  }
}

extension Boat {
  /// A property that is no attribute.
  fileprivate var initial: String { String(name.prefix(1)) }
}

/// A live query with sections, and arrays of arrays that are built from its updates alone.
@MainActor private final class SectionFollower<Name: Sendable & Equatable> {
  private let live: SectionedLiveQuery<Boat, Name>
  private var lists: [[Boat]]
  private var updates: SectionUpdates<Boat, Name>.Iterator

  init(_ view: ViewContext, _ live: SectionedLiveQuery<Boat, Name>) async throws {
    self.live = live
    try await live.waitUntilLoaded()
    lists = live.sections.map { Array($0.elements) }
    updates = live.updates.makeAsyncIterator()
  }

  /// Applies the next update if the sections have changed, and compares.
  func check(_ comment: Comment) async {
    let shown = live.sections.map { Array($0.elements) }
    #expect(shown.flatMap { $0 } == Array(live.elements), comment)
    #expect(shown.allSatisfy { !$0.isEmpty }, comment)
    var iterator = updates
    if lists != shown, let update = await iterator.next() {
      let replayed = replay(update)
      update.apply(to: &lists)
      #expect(replayed == shown, comment)
    }
    #expect(lists == shown, comment)
  }

  /// Applies an update as a list view does, which draws only edited elements anew.
  private func replay(_ update: SectionUpdate<Boat, Name>) -> [[Boat]] {
    if update.isReset { return update.sections.map { Array($0.elements) } }
    var lists = lists
    let moved = update.moves.map { lists[$0.from.section][$0.from.item] }
    for path in (update.deletions + update.moves.map(\.from)).sorted(by: >) {
      lists[path.section].remove(at: path.item)
    }
    for section in update.deletedSections.reversed() { lists.remove(at: section) }
    for section in update.insertedSections {
      lists.insert(Array(update.sections[section].elements), at: section)
    }
    var arrivals = update.insertions.map { ($0, update.sections[$0]) }
    arrivals += zip(update.moves, moved).map { ($0.to, $1) }
    for (path, boat) in arrivals.sorted(by: { $0.0 < $1.0 }) {
      lists[path.section].insert(boat, at: path.item)
    }
    for edit in update.edits {
      lists[edit.path.section][edit.path.item] = update.sections[edit.path]
    }
    return lists
  }

}
