#if Postgres
  import Foundation
  import LocalPostgres
  import Strata
  import StrataPostgres

  /// The disturbance of a round of ``ReplicaStress``.
  enum ReplicaDisturbance: CaseIterable {
    case nothing
    case relaunch
    /// The process of a replica is killed.
    case kill
    /// A replica misses that the log is pruned.
    case pruning
    case termination
    /// Connections say nothing more, and stay open.
    case silence
    /// The server crashes. Commits that were not on its disk are gone.
    case crash
    /// The server crashes, and is at work again before one of the replicas comes back.
    case missedCrash
    case invalidation
    /// Rows change while a trigger does not see it.
    case disabledTrigger
    /// The server's disk is put back to an older state.
    case restoration
    /// A backup comes back that its owner announces, and that has more transactions since then than
    /// it lost.
    case announcedRestoration
    /// A standby becomes the server. It lacks the last commits that did not wait for it.
    case failover
    /// The owner gives columns types that fit, too, and takes them back.
    case otherTypes
    /// The owner rewrites tables, and makes and drops indexes.
    case rewriting
    /// A table has another name for a moment.
    case renaming
    /// A table is another one with the same rows and no triggers, until the server is prepared again.
    case swapping
    /// Statements end after a moment, and programs begin with another encoding.
    case settings

    /// Returns one of all. Disturbances that take seconds are rare.
    static func random(_ random: inout SplitMix64) -> ReplicaDisturbance {
      let choice = random.pick(allCases)
      return choice.isSlow && !random.oneIn(3) ? .random(&random) : choice
    }

    /// Whether the writers do not wait for the disk, so that the server has something to lose.
    var needsAsynchronousWriters: Bool {
      switch self {
      case .missedCrash, .failover: true
      default: false
      }
    }

    private var isSlow: Bool {
      switch self {
      case .restoration, .announcedRestoration, .failover, .silence: true
      default: false
      }
    }

    /// Prepares for the disturbance, before the round.
    @MainActor
    func prepare(_ stress: ReplicaStress) async throws {
      switch self {
      case .restoration, .announcedRestoration: try stress.cluster.backUp()
      case .failover: try stress.cluster.addStandby()
      default: break
      }
    }

    /// Does it in the middle of the round.
    @MainActor
    func happen(in stress: ReplicaStress) async throws {
      let cluster = stress.cluster
      let store = stress.random.pick(stress.stores)
      switch self {
      case .nothing, .restoration, .announcedRestoration: break
      case .relaunch: try await store.relaunch()
      case .kill:
        try await store.kill(
          after: .milliseconds(stress.random.below(600)), seed: stress.random.next())
      case .pruning:
        // Keys go that are older than the second last call.
        let pauses = (0..<2).map { _ in 50 + stress.random.below(150) }
        try cluster.query("UPDATE strata.meta SET keep = '20 milliseconds'")
        try await store.relaunch {
          for pause in pauses {
            try await Task.sleep(for: .milliseconds(pause))
            try cluster.query("SELECT strata.prune()")
          }
        }
        try cluster.query("UPDATE strata.meta SET keep = '7 days'")
      case .termination:
        try cluster.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' "
            + "AND pid <> pg_backend_pid() AND random() < 0.4")
      case .silence:
        try cluster.signal("strata", SIGSTOP)
        try await Task.sleep(for: .milliseconds(stress.random.below(2_000)))
        try cluster.signal("strata", SIGCONT)
      case .crash:
        try cluster.crash()
        try cluster.start()
      case .missedCrash:
        try await store.relaunch {
          try cluster.crash()
          try cluster.start()
          try await Task.sleep(for: .milliseconds(500))
        }
      case .invalidation: try cluster.query("SELECT strata.invalidate()")
      case .disabledTrigger:
        try cluster.query(
          """
          BEGIN; SET lock_timeout = '1s'; ALTER TABLE sheets DISABLE TRIGGER strata_update;
          UPDATE sheets SET title = 'unseen' WHERE length % 5 = 1;
          ALTER TABLE sheets ENABLE ALWAYS TRIGGER strata_update; COMMIT
          """)
      case .failover:
        try cluster.cutOffStandby()
        try await Task.sleep(for: .milliseconds(stress.random.below(300)))
        try cluster.failOver()
      case .otherTypes:
        try await stress.alter("ALTER TABLE sheets ALTER title TYPE varchar(4000)")
        try await stress.alter("ALTER TABLE tallies ALTER count TYPE int4")
        try await stress.alter("ALTER TABLE sheets ALTER title TYPE text")
        try await stress.alter("ALTER TABLE tallies ALTER count TYPE int8")
      case .rewriting:
        try await stress.alter("VACUUM FULL leaves")
        try await stress.alter("CREATE INDEX by_length ON sheets (length, title)")
        try await stress.alter("CLUSTER sheets USING by_length")
        try await stress.alter("DROP INDEX by_length")
      case .renaming:
        try await stress.alter("ALTER TABLE leaves RENAME TO old_leaves")
        try await stress.alter("ALTER TABLE old_leaves RENAME TO leaves")
      case .swapping:
        try await stress.alter(
          """
          BEGIN; LOCK TABLE leaves; CREATE TABLE new_leaves (LIKE leaves INCLUDING ALL);
          INSERT INTO new_leaves SELECT * FROM leaves; DROP TABLE leaves;
          ALTER TABLE new_leaves RENAME TO leaves; COMMIT
          """)
        // A writer's transaction may be in the way, and the server then ends one of the two.
        try await ReplicaStress.persist {
          try stress.commitPrepared()
          try await StrataPostgres.prepare(cluster.target, for: FollowingStore.entities)
        }
      case .settings:
        try await stress.set("statement_timeout = '30ms'", "client_encoding = 'LATIN1'")
        try await stress.set("statement_timeout = 0", "client_encoding = 'UTF8'")
      }
    }

    /// Ends the disturbance, after the round.
    @MainActor
    func end(_ stress: ReplicaStress) async throws {
      let cluster = stress.cluster
      switch self {
      case .restoration:
        try await stress.settle()
        try cluster.restore()
        // The server does not say that it lost commits. Replicas see it as long as it has not made more
        // than it lost.
        try await stress.catchUp()
        try await stress.forgetLostEdits()
      case .announcedRestoration:
        try await stress.settle()
        try await stress.random.pick(stress.stores).relaunch {
          try cluster.restore()
          try cluster.query("SELECT strata.invalidate()")
          try cluster.query(
            """
            DO $$ BEGIN
              FOR i IN 1..3000 LOOP UPDATE tallies SET note = 'later' WHERE id = i % 5; COMMIT; END LOOP;
            END $$
            """)
        }
        try await stress.catchUp()
        try await stress.forgetLostEdits()
      default: break
      }
    }
  }
#endif
