import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Singer: Entity {
  var id = 0
  var name = ""
  static let tunes = toMany(\Tune.singerID)
  static let schema = Schema<Singer>("singers", key: \.id) {
    Attribute(\.name)
    tunes
  }
}

private struct Tune: Entity {
  var id = 0
  var title = ""
  var seconds = 0
  var singerID: Singer.ID?
  static let singer = toOne(\.singerID, Singer.self)
  static let lists = manyToMany(PlayList.self)
  static let schema = Schema<Tune>("tunes", key: \.id) {
    Attribute(\.title)
    Attribute(\.seconds)
    singer
    lists
  }
}

private struct PlayList: Entity {
  var id = 0
  static let schema = Schema<PlayList>("lists", key: \.id) {}
}

/// Orders and sections by values of related entities, by their number, and by computed values.
@MainActor @Suite(.inTurn, .stack(Singer.self, Tune.self, PlayList.self))
struct ComputedOrderTests {
  private let stack = Stack.test
  private var view: ViewContext { stack.viewContext }

  private static let bySinger = Tune.sorted { $0.singer.name }.sorted(by: \.title)
  private static let busiest = Singer.sorted(order: .reverse) { $0.tunes.count }

  private func fill() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(Singer(id: 1, name: "Nina"))
      scratch.insert(Singer(id: 2, name: "Ella"))
      scratch.insert(Singer(id: 3, name: "Otis"))
      scratch.insert(Tune(id: 1, title: "b", seconds: 20, singerID: 1))
      scratch.insert(Tune(id: 2, title: "a", seconds: 30, singerID: 1))
      scratch.insert(Tune(id: 3, title: "c", seconds: 10, singerID: 2))
      scratch.insert(Tune(id: 4, title: "d", seconds: 40))
    }
  }

  private func ids<E: Entity>(_ query: Query<E>) async throws -> [E.ID] where E.ID == Int {
    let fetched = try await view.fetch(query).map(\.id)
    #expect(try await view.loaded(query).elements.map(\.id) == fetched)
    #expect(try await view.count(query) == fetched.count)
    return fetched
  }

  @Test func `rows are sorted by an attribute of a related entity`() async throws {
    try await fill()
    #expect(try await ids(Self.bySinger) == [4, 3, 2, 1])
    let reverse = Tune.sorted(order: .reverse) { $0.singer.name }.sorted(by: \.title)
    #expect(try await ids(reverse) == [2, 1, 3, 4])
    #expect(try await ids(reverse.offset(1).limit(2)) == [1, 3])
    #expect(
      try await ids(Self.bySinger.where { $0.singer.name < "N" || $0.seconds > 30 }) == [4, 3])
    #expect(try await ids(Self.bySinger.where { _ in false }) == [])
  }

  @Test func `a key path through a relationship is an order, too`() async throws {
    try await fill()
    #expect(try await ids(Tune.sorted(by: \.singer.name).sorted(by: \.title)) == [4, 3, 2, 1])
  }

  @Test func `rows are sorted by the number of related entities, and by computed values`()
    async throws
  {
    try await fill()
    #expect(try await ids(Self.busiest) == [1, 2, 3])
    #expect(
      try await ids(Singer.sorted { $0.tunes.count(where: { $0.seconds > 20 }) }) == [2, 3, 1])
    #expect(try await ids(Tune.sorted { $0.seconds * -1 }) == [4, 2, 1, 3])
    try await stack.withScratch { scratch in
      scratch.insert(PlayList(id: 1))
      scratch.link(4, to: 1, in: Tune.lists)
    }
    #expect(
      try await ids(Tune.sorted(order: .reverse) { $0.lists.count }.sorted(by: \.title))
        == [4, 2, 1, 3])
  }

  @Test func `a live order follows the related entities`() async throws {
    try await fill()
    let tunes = try await view.loaded(Self.bySinger)
    let singers = try await view.loaded(Self.busiest)
    let first = try await view.loaded(Self.bySinger.limit(2))
    try await stack.merge { $0.update(Singer(id: 2, name: "Ella")) { $0.name = "Zaz" } }
    #expect(tunes.elements.map(\.id) == [4, 2, 1, 3])
    #expect(first.elements.map(\.id) == [4, 2])
    try await stack.merge { $0.insert(Tune(id: 5, title: "e", singerID: 3)) }
    try await stack.merge { $0.insert(Tune(id: 6, title: "f", singerID: 3)) }
    try await stack.merge { $0.insert(Tune(id: 7, title: "g", singerID: 3)) }
    #expect(tunes.elements.map(\.id) == [4, 2, 1, 5, 6, 7, 3])
    #expect(singers.elements.map(\.id) == [3, 1, 2])
  }

  @Test func `an edited row is sorted by its committed value until it is saved`() async throws {
    try await fill()
    let tunes = try await view.loaded(Self.bySinger)
    view.update(Tune(id: 4, title: "d", seconds: 40)) { $0.singerID = 3 }
    view.update(Tune(id: 2, title: "a", seconds: 30, singerID: 1)) { $0.title = "x" }
    #expect(tunes.elements.map(\.id) == [4, 3, 1, 2])
    #expect(try await view.fetch(Self.bySinger).map(\.id) == [3, 1, 2, 4])
    try await view.save()
    #expect(tunes.elements.map(\.id) == [3, 1, 2, 4])
  }

  @Test func `unsaved edits decide membership at once, although the order reads other rows`()
    async throws
  {
    try await fill()
    let long = try await view.loaded(Self.bySinger.where { $0.seconds >= 20 })
    #expect(long.elements.map(\.id) == [4, 2, 1])
    view.update(Tune(id: 2, title: "a", seconds: 30, singerID: 1)) { $0.seconds = 5 }
    view.update(Tune(id: 3, title: "c", seconds: 10, singerID: 2)) { $0.seconds = 50 }
    view.insert(Tune(id: 5, title: "e", seconds: 60, singerID: 3))
    view.delete(Tune.self, 4)
    // Rows that enter have no singer's name before the save.
    #expect(long.elements.map(\.id) == [3, 5, 1])
    try await view.save()
    #expect(long.elements.map(\.id) == [3, 1, 5])
  }

  @Test func `sections have the names of related entities`() async throws {
    try await fill()
    let live = view.live(Tune.sorted(by: \.title)) { $0.singer.name }
    try await live.waitUntilLoaded()
    #expect(live.sections.map(\.name) == [nil, "Ella", "Nina"])
    #expect(live.sections.map { $0.elements.map(\.id) } == [[4], [3], [2, 1]])
    try await stack.merge { $0.update(Singer(id: 2, name: "Ella")) { $0.name = "Nina" } }
    #expect(live.sections.map(\.name) == [nil, "Nina"])
    #expect(live.sections.map { $0.elements.map(\.id) } == [[4], [2, 1, 3]])
    let back = view.live(Tune.all, order: .reverse) { $0.seconds / 20 }
    try await back.waitUntilLoaded()
    #expect(back.sections.map { $0.elements.map(\.id) } == [[4], [1, 2], [3]])
  }

  /// Random commits and edits, with all rows sorted in plain Swift.
  @Test func `orders by related values are those of plain arrays`() async throws {
    var random = SeededRandom.printingSeed()
    let tuneList = try await view.loaded(Self.bySinger)
    let window = try await view.loaded(Self.bySinger.offset(1).limit(3))
    let singerList = try await view.loaded(Self.busiest)
    for _ in 0..<150 {
      let isFromView = random.oneIn(2)
      let scratch = stack.makeScratch()
      for _ in 0..<(1 + random.below(4)) {
        let isSinger = random.oneIn(3)
        let isDeleted = random.oneIn(4)
        let singer = Singer(id: random.below(4), name: random.pick(["", "a", "b", "ab", "é"]))
        let tune = Tune(
          id: random.below(8), title: random.pick(["x", "y"]),
          singerID: random.oneIn(4) ? nil : random.below(4))
        switch (isFromView, isSinger, isDeleted) {
        case (true, true, true): view.delete(Singer.self, singer.id)
        case (true, true, false): view.upsert(singer)
        case (true, false, true): view.delete(Tune.self, tune.id)
        case (true, false, false): view.upsert(tune)
        case (false, true, true): scratch.delete(Singer.self, singer.id)
        case (false, true, false): scratch.upsert(singer)
        case (false, false, true): scratch.delete(Tune.self, tune.id)
        case (false, false, false): scratch.upsert(tune)
        }
      }
      if isFromView {
        let (tunes, singers) = (try await view.fetch(Tune.all), try await view.fetch(Singer.all))
        #expect(try await view.fetch(Self.bySinger).map(\.id) == bySinger(tunes, singers))
        #expect(try await view.fetch(Self.busiest).map(\.id) == busiest(tunes, singers))
        try await view.save(.overwrite)
      } else {
        try await view.waitUntilMerged(try await scratch.save(.overwrite))
      }
      let (tunes, singers) = (try await stack.fetch(Tune.all), try await stack.fetch(Singer.all))
      let (wanted, busy) = (bySinger(tunes, singers), busiest(tunes, singers))
      #expect(tuneList.elements.map(\.id) == wanted)
      #expect(window.elements.map(\.id) == Array(wanted.dropFirst().prefix(3)))
      #expect(try await stack.fetch(Self.bySinger).map(\.id) == wanted)
      #expect(singerList.elements.map(\.id) == busy)
      #expect(try await stack.fetch(Self.busiest).map(\.id) == busy)
    }
  }

  private func bySinger(_ tunes: [Tune], _ singers: [Singer]) -> [Int] {
    let names = Dictionary(uniqueKeysWithValues: singers.map { ($0.id, $0.name) })
    func name(_ tune: Tune) -> [UInt8]? {
      tune.singerID.flatMap { names[$0] }.map { Array($0.utf8) }
    }
    return tunes.sorted { a, b in
      switch (name(a), name(b)) {
      case let (x, y) where x == y: (a.title, a.id) < (b.title, b.id)
      case (let x?, let y?): x.lexicographicallyPrecedes(y)
      case (let x, _): x == nil
      }
    }.map(\.id)
  }

  private func busiest(_ tunes: [Tune], _ singers: [Singer]) -> [Int] {
    func count(_ singer: Singer) -> Int { tunes.count { $0.singerID == singer.id } }
    return singers.sorted { (count($0), $0.id) > (count($1), $1.id) }.map(\.id)
  }
}
