#if Postgres
  import Foundation
  import LocalPostgres
  import Strata
  import StrataPostgres
  import StrataReplica

  /// Runs replicas of a PostgreSQL whose writers, connections and processes do their worst.
  ///
  /// At every commit of a replica the sums over two tables are right. At rest each replica has the
  /// rows of the server.
  @MainActor
  struct ReplicaStress {
    struct Options {
      var seconds = 20.0
      var replicas = 2
      var writers = 3
      var seed = UInt64.random(in: 0...999_999)
    }

    private let options: Options

    init(_ options: Options) { self.options = options }

    func run() async throws -> Report {
      var report = Report(mode: "replica")
      let watchdog = Watchdog(mode: "replica")
      let cluster = try PostgresCluster()
      defer { cluster.remove() }
      watchdog.begin("preparing", done: 0)
      try await StrataPostgres.prepare(cluster.target, for: FollowingStore.entities)
      try cluster.query(PostgresWriter.setUp)
      var stores: [FollowingStore] = []
      for number in 0..<options.replicas {
        stores.append(try await FollowingStore(cluster.target, number: number))
      }
      let end = ContinuousClock.now + .seconds(options.seconds)
      var random = SplitMix64(seed: options.seed)
      var writing: [Task<Int, any Error>] = []
      for number in 0..<options.writers {
        let seed = random.next()
        let folder = cluster.folder
        writing.append(Task.detached { try await Self.write(folder, number, seed, until: end) })
      }
      while ContinuousClock.now < end {
        watchdog.begin("running", done: 1 - end.duration(to: .now) / .seconds(-options.seconds))
        try await edit(stores, &random, for: .milliseconds(random.below(800)))
        if let name = try await disturb(cluster, stores, &random) {
          report.counts[name, default: 0] += 1
        }
      }
      for task in writing { report.counts["transactions", default: 0] += try await task.value }
      watchdog.begin("at rest", done: 1)
      for name in try cluster.query("SELECT gid FROM pg_prepared_xacts") {
        try cluster.query("COMMIT PREPARED '\(name)'")
      }
      for store in stores { try await settle(store) }
      let expected = try rows(cluster)
      for (number, store) in stores.enumerated() {
        report.violations += try await wrong(store, expected).map { "replica \(number): \($0)" }
        try await catchUp(store)
        let found = try await store.lines()
        if found != expected {
          let wrong = Set(found).symmetricDifference(expected).sorted().prefix(5)
          report.violations.append("at rest, replica \(number) differs: \(Array(wrong))")
        }
        await store.close()
        report.violations += store.violations.prefix(3).map { "replica \(number): \($0)" }
        report.counts["checks", default: 0] += store.checks
        report.counts["pulls", default: 0] += store.pulls
        report.counts["pushes", default: 0] += store.pushes
        report.counts["edits", default: 0] += store.deeds.count + store.offers.count
        store.remove()
      }
      report.require("transactions", "checks", "pulls", "pushes", "edits", atLeast: 20)
      return report
    }

    /// Edits the replicas at random for some time.
    private func edit(
      _ stores: [FollowingStore], _ random: inout SplitMix64, for duration: Duration
    ) async throws {
      let end = ContinuousClock.now + duration
      while ContinuousClock.now < end {
        try await random.pick(stores).edit(&random)
        try await Task.sleep(for: .milliseconds(random.below(20)))
      }
    }

    /// Waits until the server has all edits of a replica.
    private func settle(_ store: FollowingStore) async throws {
      for _ in 0..<20 {
        if (try? await store.replica.settled()) != nil { return }
        try await Task.sleep(for: .milliseconds(500))
      }
      try await store.replica.settled()
    }

    /// Returns what a store has acknowledged and the server lacks, or has although it refused it, and
    /// gives up what was refused.
    private func wrong(_ store: FollowingStore, _ expected: [String]) async throws -> [String] {
      let rows = Set(expected)
      var wrong = store.deeds.map { "e \($0.uuidString.lowercased())" }.filter {
        !rows.contains($0)
      }
      let refused = try await store.replica.refused()
      let ids = Set(refused.compactMap { $0.request.id(of: Offer.self) })
      for (id, amount) in store.offers {
        let isThere = rows.contains("o \(id.uuidString.lowercased()) \(amount)")
        if isThere != (amount >= 0) { wrong.append("offer \(id) of \(amount)") }
        if ids.contains(id) != (amount < 0) {
          wrong.append("offer \(id) of \(amount), refused: \(ids.contains(id))")
        }
      }
      for change in refused { try await store.replica.revert(change) }
      return Array(wrong.prefix(3))
    }

    /// Waits until a replica has what the server has; the server may have to be found again first.
    private func catchUp(_ store: FollowingStore) async throws {
      for _ in 0..<20 {
        if (try? await store.replica.caughtUp()) != nil { return }
        try await Task.sleep(for: .milliseconds(500))
      }
      try await store.replica.caughtUp()
    }

    private nonisolated static func write(
      _ folder: URL, _ number: Int, _ seed: UInt64, until end: ContinuousClock.Instant
    ) async throws -> Int {
      var (random, count) = (SplitMix64(seed: seed), 0)
      while ContinuousClock.now < end {
        let writer = try PostgresWriter(folder, number: number, seed: random.next())
        while ContinuousClock.now < end, await writer.step() { count += 1 }
        await writer.end()
        // After a crash the server needs a moment.
        if ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(200)) }
      }
      return count
    }

    /// Disturbs the replicas or the server, and returns a name for what it did; nil for nothing.
    private func disturb(
      _ cluster: PostgresCluster, _ stores: [FollowingStore], _ random: inout SplitMix64
    ) async throws -> String? {
      switch random.below(12) {
      case 0, 1:
        try await random.pick(stores).relaunch()
        return "relaunches"
      case 2, 3:
        try cluster.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' "
            + "AND pid <> pg_backend_pid() AND random() < 0.4")
        return "terminations"
      case 4:
        try cluster.crash()
        try cluster.start()
        return "crashes"
      case 5:
        try cluster.query("SELECT strata.invalidate()")
        return "invalidations"
      case 6:
        try cluster.query(
          """
          BEGIN; SET lock_timeout = '1s'; ALTER TABLE sheets DISABLE TRIGGER strata_update;
          UPDATE sheets SET title = 'unseen' WHERE length % 5 = 1;
          ALTER TABLE sheets ENABLE ALWAYS TRIGGER strata_update; COMMIT
          """)
        return "disabledTriggers"
      case 7:
        // Whoever slept longer than this has to read everything.
        try cluster.query("UPDATE strata.meta SET keep = '200 milliseconds'; SELECT strata.prune()")
        return "prunings"
      default: return nil
      }
    }

    private func rows(_ cluster: PostgresCluster) throws -> [String] {
      try cluster.query(
        """
        SELECT 'a ' || id || ' ' || balance FROM purses UNION ALL
        SELECT 'p ' || id || ' ' || amount FROM pouches UNION ALL
        SELECT 't ' || id || ' ' || count || ' ' || note FROM tallies UNION ALL
        SELECT 'e ' || id FROM deeds UNION ALL
        SELECT 'l ' || id || ' ' || name FROM nicknames UNION ALL
        SELECT 'o ' || id || ' ' || amount FROM offers UNION ALL
        SELECT 'd ' || id || ' ' || title || ' ' || coalesce(length::text, '-') || ' '
          || (extract(epoch FROM at) * 1000000)::int8 FROM sheets
        """
      ).sorted()
    }
  }
#endif
