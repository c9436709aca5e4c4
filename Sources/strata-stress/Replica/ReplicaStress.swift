#if Postgres
  import Foundation
  import LocalPostgres
  import Strata
  import StrataPostgres
  import StrataReplica

  /// Runs replicas of a PostgreSQL whose writers, connections and processes do their worst.
  ///
  /// The run has rounds. In each round replicas and writers work, and one thing goes wrong. Then
  /// everything comes to rest, and each replica has the rows of the server. At every commit of a
  /// replica the sums over two tables are right.
  @MainActor
  final class ReplicaStress {
    struct Options {
      var seconds = 20.0
      var replicas = 2
      var writers = 3
      /// The disturbance of every round; nil for a random one in each.
      var disturbance: ReplicaDisturbance?
      var seed = UInt64.random(in: 0...999_999)
    }

    private let options: Options
    let cluster: PostgresCluster
    private(set) var stores: [FollowingStore] = []
    var random: SplitMix64
    private var report = Report(mode: "replica")
    private var writers = 0

    init(_ options: Options) throws {
      self.options = options
      random = SplitMix64(seed: options.seed)
      cluster = try PostgresCluster()
    }

    func run() async throws -> Report {
      defer { cluster.remove() }
      let watchdog = Watchdog(mode: "replica")
      watchdog.begin("preparing", done: 0)
      try await StrataPostgres.prepare(cluster.target, for: FollowingStore.entities)
      try cluster.query(PostgresWriter.setUp)
      for number in 0..<options.replicas {
        stores.append(try await FollowingStore(cluster.target, number: number))
      }
      let end = ContinuousClock.now + .seconds(options.seconds)
      // A run on a slow machine has enough rounds, too.
      var rounds = 0
      while ContinuousClock.now < end || rounds < 5 {
        rounds += 1
        let done = 1 - end.duration(to: .now) / .seconds(-options.seconds)
        let disturbance = options.disturbance ?? .random(&random)
        watchdog.begin("\(disturbance)", done: done)
        try await round(disturbance)
        report.counts["\(disturbance)", default: 0] += 1
        watchdog.begin("at rest after \(disturbance)", done: done)
        report.violations += try await compare().map { "after \(disturbance), \($0)" }
        if report.violations.count > 10 { break }
      }
      for store in stores {
        await store.close()
        report.violations += store.violations.prefix(3)
        report.counts["checks", default: 0] += store.checks
        report.counts["pulls", default: 0] += store.pulls
        report.counts["pushes", default: 0] += store.pushes
        store.remove()
      }
      report.require("transactions", "checks", "pulls", "pushes", "edits", atLeast: 20)
      return report
    }

    // MARK: - A round

    /// Lets replicas and writers work while something goes wrong.
    private func round(_ disturbance: ReplicaDisturbance) async throws {
      try await disturbance.prepare(self)
      let isOver = Lock(false)
      let isAsynchronous = disturbance.needsAsynchronousWriters || random.oneIn(3)
      let writing = (0..<options.writers).map { _ in
        writers += 1
        let (number, seed, target) = (writers, random.next(), cluster.target)
        return Task.detached {
          try await Self.write(
            target, number, seed, isAsynchronous: isAsynchronous
          ) { isOver.withLock(\.self) }
        }
      }
      try await edit(for: .milliseconds(random.below(400)))
      try await disturbance.happen(in: self)
      try await edit(for: .milliseconds(random.below(400)))
      isOver.withLock { $0 = true }
      for task in writing { report.counts["transactions", default: 0] += try await task.value }
      try await disturbance.end(self)
    }

    /// Edits the replicas at random for some time.
    private func edit(for duration: Duration) async throws {
      let end = ContinuousClock.now + duration
      var random = SplitMix64(seed: random.next())
      while ContinuousClock.now < end {
        try await random.pick(stores).edit(&random)
        report.counts["edits", default: 0] += 1
        try await Task.sleep(for: .milliseconds(random.below(20)))
      }
    }

    private nonisolated static func write(
      _ target: String, _ number: Int, _ seed: UInt64, isAsynchronous: Bool,
      until isOver: @Sendable () -> Bool
    ) async throws -> Int {
      var (random, count) = (SplitMix64(seed: seed), 0)
      while !isOver() {
        let writer = try PostgresWriter(
          target, number: number, seed: random.next(), isAsynchronous: isAsynchronous)
        while !isOver(), await writer.step() { count += 1 }
        await writer.end()
        // After a crash the server needs a moment.
        if !isOver() { try await Task.sleep(for: .milliseconds(100)) }
      }
      return count
    }

    // MARK: - The owner

    /// Changes a table as its owner does, when no transaction holds it, and waits a moment.
    func alter(_ sql: String) async throws {
      var attempts = 0
      while true {
        try commitPrepared()
        do {
          // Some statements must be alone, so the session has the limit from its beginning.
          try cluster.query(sql, in: "dbname=postgres options='-c lock_timeout=1s'")
          break
        } catch _ where attempts < 20 {
          attempts += 1
        }
      }
      try await Task.sleep(for: .milliseconds(random.below(150)))
    }

    /// Commits the transactions that writers have prepared, which hold locks.
    func commitPrepared() throws {
      for name in try cluster.query("SELECT gid FROM pg_prepared_xacts") {
        // A writer may commit or prepare a transaction at the same moment.
        _ = try? cluster.query("COMMIT PREPARED '\(name)'")
      }
    }

    /// Gives new connections to the database other settings, and ends the connections that it has.
    func set(_ settings: String...) async throws {
      for setting in settings {
        try cluster.query("ALTER DATABASE postgres SET \(setting)")
      }
      try cluster.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' "
          + "AND pid <> pg_backend_pid()")
      try await Task.sleep(for: .milliseconds(random.below(400)))
    }

    // MARK: - At rest

    /// Waits until the server has all edits of all replicas.
    func settle() async throws {
      for store in stores { try await Self.persist { try await store.replica.settled() } }
    }

    /// Waits until each replica has what the server has.
    func catchUp() async throws {
      for store in stores { try await Self.persist { try await store.replica.caughtUp() } }
    }

    /// Tries again for some time; the server may have to be found first.
    static func persist(_ body: () async throws -> Void) async throws {
      for _ in 0..<20 {
        if (try? await body()) != nil { return }
        try await Task.sleep(for: .milliseconds(500))
      }
      try await body()
    }

    /// Gives up the refused edits, and takes the server's rows for the acknowledged ones.
    func forgetLostEdits() async throws {
      for store in stores {
        for change in try await store.replica.refused() { try await store.replica.revert(change) }
      }
      let rows = try rows()
      for store in stores { store.forgetAllBut(rows) }
    }

    /// Lets everything come to rest, and returns the differences then.
    private func compare() async throws -> [String] {
      // The others stay prepared for some rounds.
      if random.oneIn(2) { try commitPrepared() }
      try await settle()
      let expected = try rows()
      var violations: [String] = []
      for (number, store) in stores.enumerated() {
        violations += try await unkept(store, expected).map { "replica \(number): \($0)" }
      }
      try await forgetLostEdits()
      try await catchUp()
      for (number, store) in stores.enumerated() {
        let (found, kept) = (try await store.lines(), store.kept(expected))
        if found != kept {
          let wrong = Set(found).subtracting(kept).sorted().prefix(3).map { "has \($0)" }
          let missing = Set(kept).subtracting(found).sorted().prefix(3).map { "lacks \($0)" }
          violations.append(
            "replica \(number) differs: it \((wrong + missing).joined(separator: ", "))")
        }
        if random.oneIn(5) {
          let differences = try await store.replica.verify()
          if found == kept && !differences.isEmpty {
            violations.append("replica \(number) finds \(differences.prefix(5))")
          }
          report.counts["verifications", default: 0] += 1
        }
      }
      return violations
    }

    /// Returns what a store has acknowledged and the server lacks, or has although it refused it.
    private func unkept(_ store: FollowingStore, _ expected: [String]) async throws -> [String] {
      let rows = Set(expected)
      var wrong = store.deeds.map { "e \($0.uuidString.lowercased())" }.filter {
        !rows.contains($0)
      }
      let refused = try await store.replica.refused()
      let ids = Set(refused.compactMap { $0.request.id(of: Offer.self) })
      for (id, amount) in store.offers {
        let isThere = rows.contains("o \(id.uuidString.lowercased()) \(amount)")
        if isThere == Offer.isRefused(amount) { wrong.append("offer \(id) of \(amount)") }
        if ids.contains(id) != Offer.isRefused(amount) {
          wrong.append("offer \(id) of \(amount), refused: \(ids.contains(id))")
        }
      }
      return Array(wrong.prefix(3))
    }

    private func rows() throws -> [String] {
      try cluster.query(
        """
        SELECT 'a ' || id || ' ' || balance FROM purses UNION ALL
        SELECT 'p ' || id || ' ' || amount FROM pouches UNION ALL
        SELECT 't ' || id || ' ' || count || ' ' || note FROM tallies UNION ALL
        SELECT 'e ' || id FROM deeds UNION ALL
        SELECT 'l ' || id || ' ' || name FROM nicknames UNION ALL
        SELECT 'o ' || id || ' ' || amount FROM offers UNION ALL
        SELECT 'd ' || id || ' ' || title || ' ' || coalesce(length::text, '-') || ' '
          || (extract(epoch FROM at) * 1000000)::int8 FROM sheets UNION ALL
        SELECT 'f ' || id || ' ' || coalesce(sheet::text, '-') || ' ' || text FROM leaves UNION ALL
        SELECT 'k ' || owner || ' ' || target FROM purses_sheets
        """
      ).sorted()
    }
  }

  extension ReplicaStress {
    static let command = StressCommand(
      PostgresCommand.replica.rawValue,
      options: "[--seconds N] [--replicas N] [--writers N] [--disturbance N] [--seed N]",
      help: """
        N replicas (2) of a PostgreSQL with N writers (3) for N seconds (20), in rounds. In
        each, something goes wrong: processes are killed, connections end or go silent, the
        server crashes, fails over or gets a backup back, the log is pruned. After each,
        everything comes to rest and is compared. With --disturbance, always the same thing goes
        wrong, of 0 nothing, 1 a relaunch, 2 a kill, and so on. It needs the package's trait
        Postgres and PostgreSQL's programs. Long form: --seconds 3600.
        """
    ) { given in
      var options = Options()
      options.seconds = given.number("--seconds").map { Double($0) } ?? options.seconds
      options.replicas = given.count("--replicas") ?? options.replicas
      options.writers = given.count("--writers") ?? options.writers
      options.disturbance = given.choice(of: ReplicaDisturbance.self, "--disturbance")
      options.seed = given.seed(options.seed)
      return try await ReplicaStress(options).run()
    }
  }
#endif
