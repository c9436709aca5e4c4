internal import StrataSQLite
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Filters that run in SQLite and in memory, which must find the same rows.
@Suite(.inTurn) struct FilterDifferentialTests {
  private struct Stored: Sendable {
    let records: ContiguousArray<Record>
    let albums: [RecordKey: Record]

    /// Returns the keys of the records that the matcher finds.
    func matches(_ plan: QueryPlan) -> Set<RecordKey> {
      var keys: Set<RecordKey> = []
      for record in records {
        let joined = plan.joins.map { albums[record.key($0.column)] }
        if plan.filter?.matches(record, joined: joined) ?? true {
          keys.insert(record.key(Table.keyColumn))
        }
      }
      return keys
    }
  }

  @Test func `6,000 generated filters agree with SQLite`() async throws {
    var random = SeededRandom.printingSeed()
    var tested = 0
    var hits = 0
    for _ in 0..<6 {
      let values = TrackValues(&random)
      let stack = try await Stack.temporary(Track.self, Album.self)
      try await fill(stack, values, &random)
      var generator = FilterGenerator(random, values)
      let plans = try (0..<1_000).map { number in
        try QueryPlan(
          Query<Track>(filter: generator.filter(depth: number % 4).node), stack.store.model)
      }
      random = generator.random
      let (count, found) = try await compare(plans, stack)
      tested += count
      hits += found
      await stack.close()
    }
    #expect(tested == 6_000)
    // Filters that find nothing, or everything, would agree too easily.
    #expect((tested * 10...tested * 50).contains(hits), "\(hits) hits")
  }

  private func fill(
    _ stack: Stack, _ values: TrackValues, _ random: inout SeededRandom
  ) async throws {
    let scratch = stack.makeScratch()
    for album in values.albums(&random) { scratch.insert(album) }
    for track in values.tracks(&random) { scratch.insert(track) }
    try await scratch.save()
  }

  /// Runs all plans on one connection, and returns the numbers of plans and of found rows.
  private func compare(_ plans: [QueryPlan], _ stack: Stack) async throws -> (Int, Int) {
    let model = stack.store.model
    let snapshot = try await stack.store.snapshot()
    let tracks = QueryPlan(everyRowOf: model.table(of: Track.self))
    let albums = QueryPlan(everyRowOf: model.table(of: Album.self))
    let byKey = try await snapshot.records(albums, limit: nil, isSorted: false)
      .map { ($0.key(Table.keyColumn), $0) }
    let stored = Stored(
      records: try await snapshot.records(tracks, limit: nil, isSorted: false),
      albums: Dictionary(uniqueKeysWithValues: byKey))
    let answers = try await snapshot.read { _, connection throws(StoreError) in
      try plans.map { plan throws(StoreError) in try Self.keys(plan, connection) }
    }
    for (plan, answer) in zip(plans, answers) {
      let expected = stored.matches(plan)
      if answer != expected {
        let sql = plan.select(limit: nil, offset: 0, isSorted: false)
        let differing = answer.symmetricDifference(expected).count
        Issue.record("\(differing) rows differ: \(sql.text) with \(sql.parameters)")
      }
    }
    return (plans.count, answers.reduce(0) { $0 + $1.count })
  }

  private static func keys(
    _ plan: QueryPlan, _ connection: Connection
  ) throws(StoreError) -> Set<RecordKey> {
    let sql = plan.select(limit: nil, offset: 0, isSorted: false)
    let statement = try connection.prepared(sql.text)
    statement.bind(sql.parameters)
    return Set(try statement.map { RecordKey($0, 0) })
  }
}
