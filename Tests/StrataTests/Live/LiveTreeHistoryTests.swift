import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Live trees over generated histories of commits and unsaved edits.
///
/// The same tree is fetched, and it is worked out in plain Swift from all rows of its tables with a query for
/// each entity.
@Suite(.inTurn, .stack(Chamber.self, Missive.self, Lodger.self)) @MainActor
struct LiveTreeHistoryTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  @Test func `a tree is what its rows in plain arrays make of it`() async throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<12 {
      var world = TreeWorld(view, &random)
      try await world.tree.waitUntilLoaded()
      for _ in 0..<25 {
        try await step(&random)
        try await world.check()
      }
      view.rollback()
      try await world.check()
    }
  }

  private func step(_ random: inout SeededRandom) async throws {
    switch random.below(10) {
    case 0, 1, 2:
      let scratch = stack.makeScratch()
      for _ in 0...random.below(4) { try await random.edit(scratch) }
      let commit = try await scratch.save(.overwrite)
      try await view.waitUntilMerged(commit)
    case 3: _ = try await view.save(.overwrite)
    case 4: view.undo()
    case 5: view.redo()
    case 6: if random.oneIn(3) { view.rollback() }
    default: try await random.edit(view)
    }
  }
}

/// A live tree, and the updates that a list applied so far.
@MainActor
private struct TreeWorld {
  typealias Element = (Chamber, LiveElements<Missive>, Int, LiveElements<Lodger>)

  let view: ViewContext
  let tree: LiveTree<Chamber, Element>
  private let openOnly: Bool
  private let (limit, offset): (Int?, Int)
  private let isNewestFirst: Bool
  private let guestLimit: Int?
  private let (first, count): (Int, Int?)
  private let letters: LiveTree<Missive, (Missive, Chamber?)>
  private let query: Query<Chamber>
  private let newest: ToMany<Chamber, Missive>
  private let unread: RelatedValue<Chamber, Int>
  private let guests: ManyToMany<Chamber, Lodger>
  private var updates: LiveTreeUpdates<Chamber, Element>.Iterator
  /// The rows of a list that applied every update.
  private var list: [TreeRow] = []
  private var wakes = 0
  /// The same rows, to which an update's own function was applied.
  private var plain: [Element] = []

  init(_ view: ViewContext, _ random: inout SeededRandom) {
    self.view = view
    openOnly = random.oneIn(2)
    isNewestFirst = random.oneIn(2)
    limit = random.oneIn(3) ? nil : 1 + random.below(3)
    offset = random.oneIn(3) ? 1 : 0
    guestLimit = random.oneIn(2) ? nil : 2
    count = random.oneIn(2) ? nil : 2
    first = random.oneIn(2) ? 0 : 1
    letters = view.live(Missive.where { !$0.isRead }.sorted(by: \.sent), with: Missive.chamber)
    var chambers = openOnly ? Chamber.where { $0.isOpen } : Chamber.all
    chambers = chambers.sorted(by: \.title)
    chambers.limit = count
    chambers.offset = first
    let (limit, offset, isNewestFirst, guestLimit) = (limit, offset, isNewestFirst, guestLimit)
    query = chambers
    newest = Chamber.letters.narrowed { query in
      var query = query.sorted(by: \.sent, order: isNewestFirst ? .reverse : .forward)
      query.limit = limit
      query.offset = offset
      return query
    }
    unread = .count(of: Chamber.letters.narrowed { $0.where { !$0.isRead } })
    guests = Chamber.guests.narrowed { query in
      var query = query.where { $0.name != "c" }
      query.limit = guestLimit
      return query
    }
    tree = view.live(query, with: newest, unread, guests)
    updates = tree.updates.makeAsyncIterator()
  }

  /// Compares the tree with the rows of its tables.
  mutating func check() async throws {
    try #require(await eventually { !tree.result.contents.isLacking })
    try #require(tree.error == nil)
    let shown = tree.elements.map(TreeRow.init)
    let chambers = try await view.fetch(Chamber.all).filter { !openOnly || $0.isOpen }
    let missives = try await view.fetch(Missive.all)
    var expected: [TreeRow] = []
    let inOrder = chambers.sorted { ($0.title, $0.id) < ($1.title, $1.id) }
    for chamber in inOrder.dropFirst(first).prefix(count ?? .max) {
      var own = missives.filter { $0.chamberID == chamber.id }
      let unread = own.count { !$0.isRead }
      own.sort { ($0.sent, $0.id) < ($1.sent, $1.id) }
      if isNewestFirst { own.reverse() }
      own = Array(own.dropFirst(offset).prefix(limit ?? .max))
      var guests = try await view.fetch(Chamber.guests(of: chamber.id))
      guests = guests.filter { $0.name != "c" }.sorted { $0.id < $1.id }
      guests = Array(guests.prefix(guestLimit ?? .max))
      expected.append(
        TreeRow(chamber: chamber, letters: own, unread: unread, guests: guests))
    }
    try #require(shown == expected)
    let fetched = try await view.fetch(query, with: newest, unread, guests).map {
      TreeRow(chamber: $0.0, letters: $0.1, unread: $0.2, guests: $0.3)
    }
    try #require(shown == fetched)
    try await checkLetters(missives)
    if list != shown {
      // Without a wake, no update comes.
      try #require(tree.statistics.wakes > wakes)
      wakes = tree.statistics.wakes
      var iterator = updates
      let update = try #require(await iterator.next())
      updates = iterator
      update.apply(to: &plain)
      apply(update)
      try #require(list == shown)
      try #require(plain.map(TreeRow.init) == shown)
    }
  }

  private func checkLetters(_ all: [Missive]) async throws {
    try #require(await eventually { !letters.result.contents.isLacking })
    let shown = Array(letters.elements)
    let unread = all.filter { !$0.isRead }.sorted { ($0.sent, $0.id) < ($1.sent, $1.id) }
    try #require(shown.map(\.0) == unread)
    for (letter, chamber) in shown {
      let expected = try await view.fetch(Chamber.where { $0.id == letter.chamberID ?? -1 })
      try #require(chamber == expected.first)
    }
  }

  private mutating func apply(_ update: LiveTreeUpdate<Chamber, Element>) {
    let elements = update.elements.map(TreeRow.init)
    if update.isReset {
      list = elements
      return
    }
    let old = list
    for offset in (update.deletions + update.moves.map(\.from)).sorted(by: >) {
      list.remove(at: offset)
    }
    let arrivals =
      update.insertions.map { ($0, elements[$0]) } + update.moves.map { ($0.to, old[$0.from]) }
    for (offset, row) in arrivals.sorted(by: { $0.0 < $1.0 }) { list.insert(row, at: offset) }
    for edit in update.edits { list[edit.offset].chamber = elements[edit.offset].chamber }
    for change in update.related {
      let row = elements[change.offset]
      switch change.branch {
      case 0: change.apply(to: &list[change.offset].letters, row.letters)
      case 1: list[change.offset].unread = row.unread
      default: change.apply(to: &list[change.offset].guests, row.guests)
      }
    }
  }
}

extension RelatedChange {
  /// Brings a list from its version before the change to the version after it.
  fileprivate func apply<Row>(to list: inout [Row], _ new: [Row]) {
    let old = list
    for offset in (deletions + moves.map(\.from)).sorted(by: >) { list.remove(at: offset) }
    let arrivals = insertions.map { ($0, new[$0]) } + moves.map { ($0.to, old[$0.from]) }
    for (offset, row) in arrivals.sorted(by: { $0.0 < $1.0 }) { list.insert(row, at: offset) }
    for offset in edits { list[offset] = new[offset] }
  }
}

private struct TreeRow: Equatable {
  var chamber: Chamber
  var letters: [Missive]
  var unread: Int
  var guests: [Lodger]

  init(chamber: Chamber, letters: [Missive], unread: Int, guests: [Lodger]) {
    (self.chamber, self.letters) = (chamber, letters)
    (self.unread, self.guests) = (unread, guests)
  }

  init(_ element: (Chamber, LiveElements<Missive>, Int, LiveElements<Lodger>)) {
    self.init(
      chamber: element.0, letters: Array(element.1), unread: element.2, guests: Array(element.3))
  }
}

@MainActor extension SeededRandom {
  /// Makes one edit of a room, a letter, a guest or a link.
  fileprivate mutating func edit(_ context: some TreeEditor) async throws {
    let (room, letter, guest) = (below(6), below(20), below(4))
    switch below(12) {
    case 0: context.upsert(Chamber(id: room, title: pick(["a", "b", "c"]), isOpen: oneIn(2)))
    case 1: context.delete(Chamber.self, room)
    case 2: context.delete(Missive.self, letter)
    case 3: context.upsert(Lodger(id: guest, name: pick(["a", "b", "c"])))
    case 4: if oneIn(2) { context.delete(Lodger.self, guest) }
    case 5, 6:
      guard try await context.find(Chamber.self, room) != nil,
        try await context.find(Lodger.self, guest) != nil
      else { return }
      context.link(room, to: guest, in: Chamber.guests)
    case 7: context.unlink(room, from: guest, in: Chamber.guests)
    case 8, 9:
      guard let old = try await context.find(Missive.self, letter) else { return }
      let (sent, isRead) = (below(9), oneIn(2))
      let chamberID = oneIn(5) ? nil : below(6)
      context.update(old) {
        if oneIn(2) { $0.sent = sent } else { $0.isRead = isRead }
        if oneIn(2) { $0.chamberID = chamberID }
      }
    default:
      context.upsert(
        Missive(
          id: letter, chamberID: oneIn(6) ? nil : room, sent: below(9), isRead: oneIn(2)))
    }
  }
}

/// A context in which entities can be edited, linked and read.
@MainActor
private protocol TreeEditor: FetchSource {
  func upsert<E: Entity>(_ entity: E)
  func delete<E: Entity>(_ type: E.Type, _ id: E.ID)
  @discardableResult
  func update<E: Entity>(_ entity: E, _ change: (inout E) throws -> Void) rethrows -> E
  func link<Root: Entity, Target: Entity>(
    _ root: Root.ID, to target: Target.ID, in relationship: ManyToMany<Root, Target>)
  func unlink<Root: Entity, Target: Entity>(
    _ root: Root.ID, from target: Target.ID, in relationship: ManyToMany<Root, Target>)
}

extension ScratchContext: TreeEditor {}
extension ViewContext: TreeEditor {}

struct Chamber: Entity, Equatable {
  var id = 0
  var title = ""
  var isOpen = true

  static let letters = toMany(\Missive.chamberID)
  static let guests = manyToMany(Lodger.self)
  static let schema = Schema<Chamber>("chambers", key: \.id) {
    Attribute(\.title)
    Attribute(\.isOpen)
    letters
    guests
  }
}

struct Missive: Entity, Equatable {
  var id = 0
  var chamberID: Int?
  var sent = 0
  var isRead = false

  static let chamber = toOne(\.chamberID, Chamber.self)
  static let schema = Schema<Missive>("missives", key: \.id) {
    chamber
    Attribute(\.sent)
    Attribute(\.isRead)
  }
}

struct Lodger: Entity, Equatable {
  var id = 0
  var name = ""

  static let schema = Schema<Lodger>("lodgers", key: \.id) { Attribute(\.name) }
}
