import Foundation
internal import Foundation
internal import StrataSQLite
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Computed values, texts in other orders, and filters of any size.
@Suite(.inTurn) struct FilterExpressionTests {
  /// Returns whether the matcher and the store find the track.
  private func finds(
    _ track: Track, _ condition: (Fields<Track, Track>) -> Filter<Track>
  ) async throws -> [Bool] {
    let stack = try await Stack.temporary(Track.self, Album.self)
    let scratch = stack.makeScratch()
    scratch.insert(track)
    let query = Track.where(condition)
    let inMemory = try await !scratch.fetch(query).isEmpty
    try await scratch.save()
    let inStore = try await !stack.fetch(query).isEmpty
    await stack.close()
    return [inMemory, inStore]
  }

  private let yes = [true, true]
  private let no = [false, false]

  // MARK: Computed values

  @Test func `arithmetic is SQLite's`() async throws {
    let track = Track(rank: 7, maybeRank: nil, length: 7.5)
    #expect(try await finds(track) { $0.rank / 2 == 3 } == yes)
    #expect(try await finds(track) { -$0.rank / 2 == -3 } == yes)
    #expect(try await finds(track) { $0.rank % 4 == 3 && $0.length % 4 == 3 } == yes)
    #expect(try await finds(track) { $0.rank / 0 == nil && $0.length / 0 == nil } == yes)
    #expect(try await finds(track) { $0.rank + $0.maybeRank == nil } == yes)
    #expect(try await finds(track) { 10 - $0.length * 2 < 0 } == yes)
    #expect(try await finds(track) { ($0.maybeRank ?? 3) + 1 == 4 } == yes)
    #expect(try await finds(track) { ($0.maybeRank ?? $0.rank) >= $0.rank } == yes)
  }

  @Test func `integers that do not fit become reals`() async throws {
    let track = Track(rank: .max, maybeRank: .min)
    #expect(try await finds(track) { $0.rank + 1 > $0.rank } == yes)
    #expect(try await finds(track) { -$0.maybeRank > $0.rank } == yes)
    #expect(try await finds(track) { $0.rank * 2 > 0 } == yes)
    #expect(try await finds(track) { $0.maybeRank / -1 > 0 } == yes)
    #expect(try await finds(track) { $0.maybeRank % -1 == 0 } == yes)
  }

  @Test func `attributes are compared with each other`() async throws {
    let track = Track(isLive: true, rank: 2, maybeRank: 2, title: "b", subtitle: "a")
    #expect(try await finds(track) { $0.rank == $0.maybeRank } == yes)
    #expect(try await finds(track) { $0.title > $0.subtitle } == yes)
    #expect(try await finds(track) { $0.isLive == $0.maybeLive } == no)
    #expect(try await finds(track) { $0.length < $0.maybeLength } == no)
    #expect(try await finds(track) { !($0.length < $0.maybeLength) } == yes)
    #expect(try await finds(track) { $0.length != $0.maybeLength } == yes)
  }

  @Test func `arithmetic with something else than numbers is named when it runs`() throws {
    let model = try Model([Worded.self])
    let error = #expect(throws: StoreError.self) {
      _ = try QueryPlan(Worded.where { $0.number + $0.number == nil }, model)
    }
    #expect(error?.code == .invalidQuery && error?.message.contains("number") == true)
  }

  /// A type that claims to be a number, but is stored as text.
  private struct Words: NumericValue {
    typealias Sum = Int
    var text = ""
    init(cell: Cell) throws(ValueError) { text = try String(cell: cell) }
    init() {}
    var cell: Cell { .text(text) }
    static var storage: StorageType { .text }
  }

  private struct Worded: Entity {
    var id = 0
    var number = Words()
    static let schema = Schema<Worded>("worded", key: \.id) { Attribute(\.number) }
  }

  // MARK: Ranges

  @Test func `dates lie in ranges with one bound`() async throws {
    let day = Date(timeIntervalSinceReferenceDate: 86_400)
    let track = Track(rank: 5, released: day)
    #expect(try await finds(track) { $0.released.isIn(day...) } == yes)
    #expect(try await finds(track) { $0.released.isIn(..<day) } == no)
    #expect(try await finds(track) { $0.released.isIn(...day) } == yes)
    #expect(try await finds(track) { $0.released.isIn(day..<day.addingTimeInterval(1)) } == yes)
    #expect(try await finds(Track()) { $0.released.isIn(...day) } == no)
    #expect(try await finds(track) { $0.rank.isIn(5...) && $0.maybeRank.isIn(0...) } == no)
  }

  // MARK: Texts

  @Test func `case is ignored in every script`() async throws {
    let track = Track(title: "Große ΣΊΣΥΦΟΣ", subtitle: nil)
    #expect(try await finds(track) { $0.title.ignoringCase == "GROSSE σίσυφος" } == yes)
    #expect(try await finds(track) { $0.title.ignoringCase.contains("OSSE") } == yes)
    #expect(try await finds(track) { $0.title.ignoringCase.hasPrefix("gro") } == yes)
    #expect(try await finds(track) { $0.title.ignoringCase.hasSuffix("ς") } == yes)
    #expect(try await finds(track) { $0.title.ignoringCase.isIn(["x", "GROẞE Σίσυφος"]) } == yes)
    #expect(try await finds(track) { $0.subtitle.ignoringCase == nil } == yes)
    #expect(try await finds(track) { $0.subtitle.ignoringCase != "x" } == yes)
    #expect(try await finds(track) { $0.title.utf8Count == "Große ΣΊΣΥΦΟΣ".utf8.count } == yes)
  }

  @Test func `a locale decides what comes before what`() async throws {
    let track = Track(title: "ö")
    let german = Locale(identifier: "de_DE")
    let swedish = Locale(identifier: "sv_SE")
    #expect(try await finds(track) { $0.title.localized(german) < "z" } == yes)
    #expect(try await finds(track) { $0.title.localized(swedish) < "z" } == no)
    #expect(try await finds(track) { $0.title.localized(swedish) == "o\u{308}" } == yes)
    #expect(try await finds(track) { !($0.subtitle.localized < "z") } == yes)
  }

  @Test func `texts are sorted alike in the store and in memory`() async throws {
    let titles = ["Z", "ö", "a", "Ö", "z", "A", "o\u{308}", "ab", "B", ""]
    let stack = try await Stack.temporary(Track.self, Album.self)
    let scratch = stack.makeScratch()
    for title in titles { scratch.insert(Track(title: title)) }
    let orders: [TextOrder] = [
      .ignoringCase, .localized(Locale(identifier: "de_DE")),
      .localized(Locale(identifier: "sv_SE")), .localized,
    ]
    var found: [[String]] = []
    for order in orders {
      for direction in [SortOrder.forward, .reverse] {
        let query = Track.sorted(by: \.title, order, order: direction).sorted(by: \.id)
        found.append(try await scratch.fetch(query).map(\.title))
      }
    }
    #expect(found[0].prefix(5).map { $0.lowercased() } == ["", "a", "a", "ab", "b"])
    #expect(found[2].last?.lowercased() == "z" && found[4].last?.lowercased() != "z")
    try await scratch.save()
    for (index, order) in orders.enumerated() {
      for (second, direction) in [SortOrder.forward, .reverse].enumerated() {
        let query = Track.sorted(by: \.title, order, order: direction).sorted(by: \.id)
        let titles = try await stack.fetch(query).map(\.title)
        #expect(titles.map { Array($0.utf8) } == found[index * 2 + second].map { Array($0.utf8) })
      }
    }
    let first = try await stack.fetch(
      Track.sorted(by: \.title, orders[1], order: .reverse).limit(2))
    #expect(first.allSatisfy { $0.title.lowercased() == "z" })
    await stack.close()
  }

  // MARK: Sizes

  /// More values than a statement of SQLite can bind.
  private static let many = 33_000

  @Test func `a list of more values than SQLite binds is looked up in an index`() async throws {
    let stack = try await Stack.temporary(Track.self, Album.self)
    let scratch = stack.makeScratch()
    let tracks = (0..<50).map { Track(rank: $0, maybeRank: $0 % 2 == 0 ? $0 : nil, title: "\($0)") }
    for track in tracks { scratch.insert(track) }
    let ids = tracks.prefix(10).map(\.id) + (0..<Self.many).map { _ in UUID() }
    let ranks = [nil] + (0..<Self.many).map { Int64($0 * 3) }
    let queries = [
      Track.where { $0.id.isIn(ids) }, Track.where { !$0.maybeRank.isIn(ranks) },
      Track.where { $0.title.isIn((0..<Self.many).map { "\($0 * 7)" }) },
    ]
    let counts = [10, 16, 8]
    for (query, count) in zip(queries, counts) {
      #expect(try await scratch.fetch(query).count == count)
    }
    try await scratch.save()
    for (query, count) in zip(queries, counts) {
      #expect(try await stack.fetch(query).count == count)
    }
    let plan = try QueryPlan(queries[0], stack.store.model)
    let sql = plan.select(limit: nil, offset: 0)
    let details = try await stack.store.snapshot().read { _, connection throws(StoreError) in
      try connection.prepared("EXPLAIN QUERY PLAN " + sql.text).map { $0.string(3) }
    }
    #expect(details.contains { $0.hasPrefix("SEARCH t0 USING") }, "\(details)")
    await stack.close()
  }

  @Test func `thousands of conditions may be connected`() async throws {
    let stack = try await Stack.temporary(Track.self, Album.self)
    let scratch = stack.makeScratch()
    scratch.insert(Track(rank: 7_777, length: 0.5))
    try await scratch.save()
    func found(_ condition: (Fields<Track, Track>) -> Filter<Track>) async throws -> Int {
      try await stack.fetch(Track.where(condition)).count
    }
    #expect(
      try await found { track in
        (0..<8_000).reduce(track.rank == -1) { $0 || track.rank == $1 }
      } == 1)
    #expect(
      try await found { track in
        (0..<2_000).reduce(track.rank > 0) { $0 && track.rank > $1 }
      } == 1)
    #expect(
      try await found { track in
        (0..<2_000).reduce(track.rank < 0) { $0 || (track.length > 0 && track.rank == $1) }
      } == 0)
    await stack.close()
  }

  @Test func `conditions may be nested as deep as SQLite's parser goes`() async throws {
    let stack = try await Stack.temporary(Track.self, Album.self)
    let scratch = stack.makeScratch()
    scratch.insert(Track(rank: 5))
    try await scratch.save()
    func nested(_ depth: Int, _ track: Fields<Track, Track>) -> Filter<Track> {
      (0..<depth).reduce(track.rank == 5) { filter, level in
        level % 2 == 0 ? track.rank == 5 && filter : track.rank == 6 || filter
      }
    }
    #expect(try await stack.fetch(Track.where { nested(60, $0) }).count == 1)
    for depth in [190, 30_000] {
      do {
        // Newer versions of SQLite have a parser without a limit.
        let found = try await stack.fetch(Track.where { nested(depth, $0) })
        #expect(depth == 190 && found.count == 1)
      } catch StoreError.Code.invalidQuery {}
    }
    await stack.close()
  }
}
