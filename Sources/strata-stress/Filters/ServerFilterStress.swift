#if Postgres
  import Foundation
  import LocalPostgres
  import Strata
  import StrataPostgres
  import StrataReplica

  /// Runs generated filters in PostgreSQL, in SQLite and in plain Swift.
  ///
  /// The server may let rows through that the filter does not admit, but never leaves one out.
  @MainActor
  struct ServerFilterStress {
    struct Options {
      var count = 2_000
      var seed: UInt64 = 1
    }

    private let options: Options
    /// The number of filters for one state of the entities.
    private let roundSize = 200
    private static let tables = [
      ServerTable(
        Piece.self, schema: "music", name: "works", columns: ["title": "name", "bpm": "the tempo"])
    ]

    init(_ options: Options) { self.options = options }

    func run() async throws -> Report {
      var report = Report(mode: "server-filters")
      let watchdog = Watchdog(mode: "server-filters")
      let cluster = try PostgresCluster()
      defer { cluster.remove() }
      try cluster.query("CREATE SCHEMA music")
      try await StrataPostgres.prepare(
        cluster.target, for: [Piece.self, Composer.self, Label.self], tables: Self.tables)
      try cluster.query("ALTER TABLE music.works ALTER id TYPE int4, ALTER name TYPE varchar")
      for first in stride(from: 0, to: options.count, by: roundSize) {
        watchdog.begin("filters from \(first)", done: first.share(of: options.count))
        try cluster.query("TRUNCATE music.works CASCADE")
        let seed = options.seed &* 1_000_003 &+ UInt64(first)
        try await round(min(roundSize, options.count - first), seed, cluster.target, &report)
      }
      report.require("filters", "hits", "exact", atLeast: options.count / 10)
      return report
    }

    private func round(
      _ size: Int, _ seed: UInt64, _ target: String, _ report: inout Report
    ) async throws {
      var random = SplitMix64(seed: seed)
      let values = FilterValues(&random)
      let world = values.world(&random)
      let stack = try await Stack.temporary(Piece.self, Composer.self, Label.self)
      guard let table = stack.replicableTable(of: Piece.self) else { fatalError("no pieces") }
      let server = ReplicaServer.postgres(target, tables: Self.tables)
      let replica = try await Replica.open(stack, from: server, of: [Piece.self])
      try await stack.withScratch { context in
        for piece in world.pieces.values { context.insert(piece) }
      }
      try await replica.settled()
      // The server has no text with a NUL, and no date beyond its calendar.
      for change in try await replica.refused() { try await replica.revert(change) }
      await replica.close()
      let stored = try await stack.fetch(Piece.all)
      var generator = FilterGenerator(random: random, values: values)
      for number in 0..<size {
        var expected: Set<Int> = []
        let query = Piece.where { fields in
          let made = generator.piece(fields, FilterGenerator.depth(number))
          expected = Set(stored.filter { made.holds($0, world) }.map(\.id))
          return made.filter
        }
        // The others read related rows.
        guard let filter = try? stack.rowFilter(query) else { continue }
        let connection = try await StrataPostgres.connect(
          target, FollowedTables([(table, filter)]), on: Self.tables)
        let page = try await connection.page(of: table, after: nil, limit: 1_000).rows
        await connection.close()
        let name = "seed \(seed), filter \(number)"
        let found = Set(page.compactMap { $0.key.id(of: Piece.self) })
        let kept = page.filter { filter.admits($0.record) }.compactMap { $0.key.id(of: Piece.self) }
        let bySQLite = Set(try await stack.fetch(query).map(\.id))
        if Set(kept) != expected {
          report.violations.append("\(name): \(kept.sorted()), not \(expected.sorted())")
        }
        if bySQLite != expected {
          report.violations.append("\(name), by SQLite: \(bySQLite.sorted())")
        }
        report.counts["filters", default: 0] += 1
        report.counts["hits", default: 0] += kept.count
        report.counts["exact", default: 0] += found == expected ? 1 : 0
      }
      await stack.close()
    }
  }

  extension ServerFilterStress {
    static let command = StressCommand(
      PostgresCommand.filters.rawValue,
      options: "[--count N] [--seed N]",
      help: """
        N generated filters (2,000), each run by a PostgreSQL, by SQLite and in plain Swift. It
        needs what replica needs. Long form: --count 20000.
        """
    ) { given in
      var options = Options()
      options.count = given.count("--count") ?? options.count
      options.seed = given.seed(options.seed)
      return try await ServerFilterStress(options).run()
    }
  }
#endif
