import Foundation
internal import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Sorts, limits and counts, compared with arrays in Swift.
@Suite(.inTurn) struct QueryOrderTests {
  /// A sort key, both as a query and as a comparison of tracks.
  private struct Sort: Sendable {
    let query: @Sendable (Query<Track>, SortOrder) -> Query<Track>
    let value: @Sendable (Track) -> Cell
  }

  private static let sorts: [Sort] = [
    Sort(query: { $0.sorted(by: \.rank, order: $1) }, value: { $0.rank.cell }),
    Sort(
      query: { $0.sorted(by: \.maybeRank, order: $1) }, value: { $0.maybeRank.map(\.cell) ?? .null }
    ),
    Sort(query: { $0.sorted(by: \.length, order: $1) }, value: { .real($0.length) }),
    Sort(
      query: { $0.sorted(by: \.maybeLength, order: $1) },
      value: { $0.maybeLength.map(Cell.real) ?? .null }),
    Sort(query: { $0.sorted(by: \.title, order: $1) }, value: { .text($0.title) }),
    Sort(
      query: { $0.sorted(by: \.subtitle, order: $1) },
      value: { $0.subtitle.map(Cell.text) ?? .null }),
    Sort(query: { $0.sorted(by: \.id, order: $1) }, value: { $0.id.cell }),
  ]

  private static func precedes(_ a: Track, _ b: Track, _ sorts: [(Sort, SortOrder)]) -> Bool {
    for (sort, order) in sorts {
      let (x, y) = (sort.value(a), sort.value(b))
      if x != y { return (x < y) == (order == .forward) }
    }
    return (a.id.uuidString < b.id.uuidString) == (sorts.last?.1 != .reverse)
  }

  @Test func `generated sorts, limits and offsets agree with a sorted array`() async throws {
    var random = SeededRandom.printingSeed()
    let values = TrackValues(&random)
    let tracks = values.tracks(&random)
    let stack = try await Stack.temporary(Track.self, Album.self)
    let scratch = stack.makeScratch()
    for track in tracks { scratch.insert(track) }
    try await scratch.save()
    for _ in 0..<400 {
      let keys = (0..<random.below(4)).map { _ in
        (random.pick(Self.sorts), random.oneIn(2) ? SortOrder.forward : .reverse)
      }
      let filtered = random.oneIn(2) ? tracks : tracks.filter { $0.rank > 0 }
      var query = filtered.count == tracks.count ? Track.all : Track.where { $0.rank > 0 }
      for (sort, order) in keys { query = sort.query(query, order) }
      var expected = filtered.sorted { Self.precedes($0, $1, keys) }
      if random.oneIn(2) {
        query = query.offset(random.below(70))
        expected = Array(expected.dropFirst(query.offset))
      }
      if random.oneIn(2) {
        query = query.limit(random.below(70))
        expected = Array(expected.prefix(query.limit ?? 0))
      }
      let found = try await stack.fetch(query)
      if found.map(\.id) != expected.map(\.id) { Issue.record("\(query)") }
      if try await scratch.count(query) != expected.count { Issue.record("count of \(query)") }
      try inMemory(query, tracks, expected, stack.store.model)
    }
    await stack.close()
  }

  /// Checks that records in memory have the store's order.
  private func inMemory(
    _ query: Query<Track>, _ tracks: [Track], _ expected: [Track], _ model: Model
  ) throws {
    if query.limit != nil || query.offset > 0 || query.filter != nil { return }
    let plan = try QueryPlan(query, model)
    let builder = RecordBuilder()
    let records = try tracks.map { try plan.table.encode($0, builder) }
      .sorted { plan.order.compare($0, $1) < 0 }
    if records.map({ $0.key(Table.keyColumn).cell }) != expected.map(\.id.cell) {
      Issue.record("in memory: \(query)")
    }
  }

  @Test func `a query without a sort is in key order`() async throws {
    let stack = try await Stack.temporary(Album.self)
    try await stack.withScratch { for id: Int64 in [3, -1, 2] { $0.insert(Album(id: id)) } }
    #expect(try await stack.fetch(Album.all).map(\.id) == [-1, 2, 3])
    #expect(try await stack.fetch(Album.sorted(by: \.id, order: .reverse)).map(\.id) == [3, 2, -1])
    await stack.close()
  }

  @Test func `nil comes first, and last when descending`() async throws {
    let stack = try await Stack.temporary(Album.self)
    try await stack.withScratch {
      $0.insert(Album(id: 1, year: 5))
      $0.insert(Album(id: 2))
      $0.insert(Album(id: 3, year: -5))
    }
    let years = Album.sorted(by: \.year)
    #expect(try await stack.fetch(years).map(\.id) == [2, 3, 1])
    #expect(
      try await stack.fetch(Album.sorted(by: \.year, order: .reverse)).map(\.id) == [1, 3, 2])
    #expect(try await stack.fetch(years.offset(1)).map(\.id) == [3, 1])
    #expect(try await stack.fetch(years.limit(0)).isEmpty)
    await stack.close()
  }

  @Test func `the smaller of two limits counts, and the last offset`() {
    #expect(Album.all.limit(5).limit(3).limit(4).limit == 3)
    #expect(Album.all.offset(5).offset(2).offset == 2)
    #expect(Album.all.limit == nil && Album.all.offset == 0)
  }

  @Test func `adding a condition keeps the ones before`() async throws {
    let stack = try await Stack.temporary(Album.self)
    try await stack.withScratch { for id: Int64 in 0..<10 { $0.insert(Album(id: id)) } }
    let query = Album.where { $0.id > 2 }.sorted(by: \.id, order: .reverse).where { $0.id < 6 }
    #expect(try await stack.fetch(query).map(\.id) == [5, 4, 3])
    await stack.close()
  }

  @Test func `a negative limit or offset is a mistake of the program`() async {
    await #expect(processExitsWith: .failure) { _ = Album.all.limit(-1) }
    await #expect(processExitsWith: .failure) { _ = Album.all.offset(-1) }
  }
}
