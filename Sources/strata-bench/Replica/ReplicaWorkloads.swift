#if Postgres
  import Foundation
  import LocalPostgres
  import Strata
  import StrataPostgres
  import StrataReplica

  extension Workload {
    /// The workloads of replicas. Each starts a PostgreSQL of its own on this machine.
    static let replicas: [Workload] = [
      .replicaLatency, .replicaCopy, .replicaFollowing, .replicaPull, .replicaPush, .replicaIdle,
      .replicaWriters, .replicaBulk,
    ]

    /// A commit of one row on one host, until the live query of another shows it on the main actor.
    private static let replicaLatency = Workload(
      name: "R1", summary: "commit on one host → value on another's main actor", isLong: true
    ) { bench in
      try await bench.withReplicas(2, songs: 1_000) { server, hosts in
        let live = hosts[1].stack.viewContext.live(Song.where { $0.id == 500 })
        try await live.waitUntilLoaded()
        var (updates, value) = (live.updates.makeAsyncIterator(), 1_000.0)
        return try await bench.measure(["p50 ms", "p99 ms"]) {
          var samples: [Double] = []
          for _ in 0..<300 {
            value += 1
            let new = value
            // Both hosts are at rest before the next commit.
            try await Task.sleep(for: .milliseconds(10))
            let watch = Stopwatch()
            try await hosts[0].stack.withScratch { scratch in
              guard let song = try await scratch.find(Song.self, 500) else { return }
              scratch.update(song) { $0.bpm = new }
            }
            while await updates.next()?.elements.first?.bpm != value {}
            samples.append(watch.milliseconds)
          }
          return [samples.percentile(0.5), samples.percentile(0.99)]
        }
      }
    }

    /// All rows of a server into an empty store, and the same rows inserted with SQLite's C interface.
    private static let replicaCopy = Workload(
      name: "R2", summary: "100,000 rows of a server into an empty store", isLong: true
    ) { bench in
      let count = 100_000
      return try await bench.withReplicas(0, songs: count) { server, _ in
        try await bench.compare(["100,000 rows ms", "more memory MB"]) {
          let stack = try await Stack.open(Song.self, at: bench.newFile("sqlite"))
          let memory = Memory.resetPeak()
          let watch = Stopwatch()
          let replica = try await Replica.open(stack, from: .postgres(server.target))
          try await replica.caughtUp()
          let time = watch.milliseconds
          let peak = Memory.peak
          try check(try await stack.count(Song.all) == count, "the copied rows")
          await replica.close()
          await stack.close()
          return [time, Double(peak - memory) / 1_000_000]
        } raw: {
          try await bench.withRaw(songs: 0) { raw in
            let insert = try raw.prepare(SongSQL.insert)
            let memory = Memory.resetPeak()
            let watch = Stopwatch()
            try raw.transaction {
              for number in 1...count {
                insert.bind(Song(number: number))
                try insert.run()
              }
            }
            return [watch.milliseconds, Double(Memory.peak - memory) / 1_000_000]
          }
        }
      }
    }

    /// Commits of one row, one after the other in one session, until the replica has the last.
    private static let replicaFollowing = Workload(
      name: "R3", summary: "5,000 commits of one row each, followed", isLong: true
    ) { bench in
      try await bench.withReplicas(1, songs: 1_000) { server, hosts in
        try await bench.measure(
          ["each commit followed µs", "the commits alone µs", "lag p50 ms", "lag p99 ms"]
        ) {
          // Each commit writes its time.
          let changes = hosts[0].stack.changes
          let lags = Task.detached {
            var lags: [Double] = []
            for await change in changes {
              let now = Date().timeIntervalSince1970
              for song in change.changes(of: Song.self).updated {
                lags.append((now - song.after.bpm) * 1_000)
              }
            }
            return lags
          }
          let watch = Stopwatch()
          try server.query(
            """
            DO $$ BEGIN FOR i IN 1..5000 LOOP
            UPDATE songs SET bpm = extract(epoch FROM clock_timestamp()) WHERE id = 1 + i % 1000;
            COMMIT; END LOOP; END $$
            """)
          let commits = watch.microseconds
          try await hosts[0].replica.caughtUp()
          let followed = watch.microseconds
          lags.cancel()
          let found = await lags.value
          return [
            followed / 5_000, commits / 5_000, found.percentile(0.5), found.percentile(0.99),
          ]
        }
      }
    }

    /// Many rows that one transaction of the server has changed.
    private static let replicaPull = Workload(
      name: "R4", summary: "100,000 changed rows of one transaction, pulled", isLong: true
    ) { bench in
      try await bench.withReplicas(1, songs: 100_000) { server, hosts in
        try await bench.measure(["100,000 rows ms"]) {
          try server.query("UPDATE songs SET bpm = bpm + 1")
          let watch = Stopwatch()
          try await hosts[0].replica.caughtUp()
          return [watch.milliseconds]
        }
      }
    }

    /// Many rows that were edited without a server.
    private static let replicaPush = Workload(
      name: "R5", summary: "100,000 waiting rows, pushed and confirmed", isLong: true
    ) { bench in
      try await bench.withReplicas(1, songs: 100_000) { server, hosts in
        let host = hosts[0]
        return try await bench.measure(["100,000 rows ms"]) {
          await host.replica.close()
          _ = try await host.stack.update(Song.all, .set(\.bpm) { $0.bpm + 1 })
          let replica = try await Replica.open(host.stack, from: .postgres(server.target))
          let watch = Stopwatch()
          try await replica.settled()
          let time = watch.milliseconds
          await replica.close()
          return [time]
        }
      }
    }

    /// A pull that finds nothing, beside a log of many keys.
    private static let replicaIdle = Workload(
      name: "R6", summary: "a pull with nothing new beside a log of 10,000,000 keys", isLong: true
    ) { bench in
      try await bench.withReplicas(1, songs: 1_000) { server, hosts in
        try server.query(
          "INSERT INTO strata.log SELECT '3'::xid8, 1, i::text FROM generate_series(1, 10000000) i; "
            + "ANALYZE strata.log")
        return try await bench.measure(["a pull ms"]) {
          let watch = Stopwatch()
          for _ in 0..<100 { try await hosts[0].replica.caughtUp() }
          // Each call waits for two pulls.
          return [watch.milliseconds / 200]
        }
      }
    }
  }

  extension Workload {
    /// The memory of a host whose server has changed all rows at once. It is the whole process, so the workload is
    /// to run alone.
    fileprivate static let replicaBulk = Workload(
      name: "R8", summary: "1,000,000 changed rows of one transaction, pulled", isLong: true
    ) { bench in
      try await bench.withReplicas(1, songs: 1_000_000) { server, hosts in
        try await bench.measure(["1,000,000 rows ms", "peak MB", "before MB"]) {
          try server.query("UPDATE songs SET bpm = bpm + 1")
          let before = Memory.resetPeak()
          let watch = Stopwatch()
          try await hosts[0].replica.caughtUp()
          return [
            watch.milliseconds, Double(Memory.peak) / 1_000_000, Double(before) / 1_000_000,
          ]
        }
      }
    }

    /// Commits of one row by eight sessions, of a table with triggers and of one without. A replica that
    /// follows every commit shares the processors with the sessions.
    fileprivate static let replicaWriters = Workload(
      name: "R7", summary: "commits of eight sessions, with a trigger and without", isLong: true
    ) { bench in
      try await bench.withReplicas(0, songs: 100_000) { server, _ in
        try server.query(
          "CREATE TABLE plain AS SELECT * FROM songs; ALTER TABLE plain ADD PRIMARY KEY (id)")
        return try await bench.compare(["trigger alone µs", "followed µs"]) {
          let alone = try server.commitsPerSecond(to: "songs")
          let host = try await bench.follow(server)
          let followed = try server.commitsPerSecond(to: "songs")
          await host.close()
          return [1_000_000 / alone, 1_000_000 / followed]
        } raw: {
          let plain = try server.commitsPerSecond(to: "plain")
          return [1_000_000 / plain, 1_000_000 / plain]
        }
      }
    }
  }

  extension PostgresCluster {
    /// Returns the commits a second of eight sessions that each update rows of a table of songs.
    fileprivate func commitsPerSecond(to table: String) throws -> Double {
      let report = try loadTest(
        sessions: 8, commits: 1_500,
        "\\set id random(1, 100000)\nUPDATE \(table) SET bpm = bpm + 1 WHERE id = :id;\n")
      let line = report.split(separator: "\n").first { $0.hasPrefix("tps = ") }
      guard let rate = line?.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) }) else {
        throw BenchError("pgbench says \(report.prefix(200))")
      }
      return rate
    }
  }

  /// A store that follows the server of a workload.
  private struct Host {
    let stack: Stack
    let replica: Replica

    func close() async {
      await replica.close()
      await stack.close()
    }
  }

  extension Bench {
    /// Runs `body` with a server that has some songs, and with stores that follow it.
    fileprivate func withReplicas(
      _ count: Int, songs: Int, _ body: (PostgresCluster, [Host]) async throws -> [Figure]
    ) async throws -> [Figure] {
      let server = try PostgresCluster()
      defer { server.remove() }
      try await StrataPostgres.prepare(server.target, for: [Song.self])
      try server.query(
        """
        INSERT INTO songs SELECT i, 'Amazing Grace #' || i, NULL, i % 10000, i, 60 + i % 120, 'C',
          'grace, hope, praise', now(), now(), false FROM generate_series(1, \(songs)) i; ANALYZE
        """)
      var hosts: [Host] = []
      for _ in 0..<count { hosts.append(try await follow(server)) }
      let figures = try await body(server, hosts)
      for host in hosts { await host.close() }
      return figures
    }

    /// Opens a store that follows a server, and waits for its rows.
    fileprivate func follow(_ server: PostgresCluster) async throws -> Host {
      let stack = try await Stack.open(Song.self, at: newFile("sqlite"))
      let replica = try await Replica.open(stack, from: .postgres(server.target))
      try await replica.caughtUp()
      return Host(stack: stack, replica: replica)
    }
  }
#else
  extension Workload {
    /// The workloads of replicas need the trait `Postgres`.
    static let replicas: [Workload] = []
  }
#endif
