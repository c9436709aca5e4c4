#if Postgres
  import Foundation
  import LocalPostgres
  import Strata
  import StrataPostgres
  import StrataReplica

  /// Histories of a server whose order of events matters, step by step.
  ///
  /// Chance seldom finds them.
  @MainActor
  struct ServerScenarios {
    let cluster: PostgresCluster
    private let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-scenarios-\(UUID().uuidString)")
    private var report = Report(mode: "server-scenarios")

    init() throws {
      cluster = try PostgresCluster()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    mutating func run() async throws -> Report {
      defer {
        cluster.remove()
        try? FileManager.default.removeItem(at: folder)
      }
      // Every host may prepare the server when it starts.
      let target = cluster.target
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask { try await StrataPostgres.prepare(target, for: [OldCard.self]) }
        }
        try await group.waitForAll()
      }
      try await truncateDuringPull()
      try await changeTables()
      try await links()
      try cluster.query("CREATE ROLE app LOGIN")
      try await conflicts()
      try await owner()
      report.require("checks", atLeast: 120)
      return report
    }

    mutating func check<Value: Equatable>(
      _ value: Value, _ expected: Value, _ name: String
    ) {
      report.counts["checks", default: 0] += 1
      if value != expected { report.violations.append("\(name): \(value), not \(expected)") }
    }

    // MARK: - A truncation

    /// A truncation takes the rows from older snapshots, too. So it waits for a pull that is under way.
    private mutating func truncateDuringPull() async throws {
      try cluster.query("INSERT INTO cards SELECT i, 'card', '' FROM generate_series(1, 9) i")
      let tables = try Table.tables(of: [OldCard.self])
      let connection = try await StrataPostgres.connect(
        cluster.target, FollowedTables(tables), patience: .seconds(5))
      let client = UUID()
      try await connection.register(client)
      _ = try await connection.beginPull(since: nil, by: client, limit: 100)
      let truncation = try? cluster.query("SET lock_timeout = '200ms'; TRUNCATE cards")
      check(truncation, nil, "a truncation during a pull")
      let page = try await connection.page(of: tables[0], after: nil, limit: 100)
      _ = try await connection.endPull(reading: [])
      check(page.count, 9, "the rows of a pull beside a truncation")
      try cluster.query("TRUNCATE cards")
      await connection.close()
    }

    // MARK: - Changed tables

    /// A column is added, programs learn of it, another column is removed: no program stops before its
    /// own column goes, and no value is lost.
    private mutating func changeTables() async throws {
      var old = try await open("old", [OldCard.self])
      let other = try await open("new", [OldCard.self])
      try await old.stack.withScratch { $0.insert(OldCard(id: 1, title: "a", note: "kept")) }
      try await old.replica.settled()
      try await other.replica.caughtUp()
      check(try await other.stack.fetch(OldCard.all).map(\.note), ["kept"], "a row on both hosts")
      await other.close()

      // Expand.
      try cluster.query("ALTER TABLE cards ADD COLUMN color text NOT NULL DEFAULT 'red'")
      try await old.stack.withScratch { $0.insert(OldCard(id: 2, title: "b")) }
      try await old.replica.settled()
      check(try colors(), ["1 red", "2 red"], "rows of an old program")

      // Migrate.
      let new = try await open("new", [Card.self], version: 2)
      try cluster.query("UPDATE cards SET color = 'blue' WHERE id = 1")
      try await new.replica.caughtUp()
      check(
        try await new.stack.fetch(Card.sorted(by: \.id)).map(\.color), ["blue", "red"],
        "a new attribute")
      try await edit(new.stack, Card.self, 2) { $0.color = "green" }
      try await edit(old.stack, OldCard.self, 2) { $0.title = "B" }
      try await edit(old.stack, OldCard.self, 1) { $0.note = "still kept" }
      try await new.replica.settled()
      try await old.replica.settled()
      try await new.replica.caughtUp()
      check(try colors(), ["1 blue", "2 green"], "edits of both programs")
      check(
        try await new.stack.fetch(Card.sorted(by: \.id)).map(\.title), ["a", "B"],
        "a title from an old program")

      // A program that does not know a required column cannot insert.
      try await new.stack.withScratch { $0.insert(Card(id: 3, title: "c")) }
      try await new.replica.settled()
      let refused = try await new.replica.refused()
      check(refused.map(\.sqlState), ["23502"], "an insertion without a required column")
      try cluster.query("ALTER TABLE cards ALTER note SET DEFAULT ''")
      for change in refused { try await new.replica.retry(change) }
      try await new.replica.settled()
      try await old.replica.caughtUp()
      check(
        try await old.stack.fetch(OldCard.sorted(by: \.id)).map(\.note), ["still kept", "", ""],
        "the rows of an old program")

      // Contract.
      try cluster.query("ALTER TABLE cards DROP COLUMN note")
      try await edit(new.stack, Card.self, 3) { $0.title = "C" }
      try await new.replica.settled()
      check(try await message(old.replica).contains("note"), true, "an old program is told why")
      try await edit(old.stack, OldCard.self, 1) { $0.title = "A" }
      await old.close()
      old = try await open("old", [Card.self], version: 2)
      try await old.replica.settled()
      try await new.replica.caughtUp()
      for host in [old, new] {
        check(
          try await host.stack.fetch(Card.sorted(by: \.id)),
          [
            Card(id: 1, title: "A", color: "blue"), Card(id: 2, title: "B", color: "green"),
            Card(id: 3, title: "C", color: "red"),
          ], "the rows at the end")
        await host.close()
      }
    }

    private func edit<E: Entity>(
      _ stack: Stack, _ type: E.Type, _ id: E.ID, _ change: @escaping @Sendable (inout E) -> Void
    ) async throws where E.ID == Int {
      try await stack.withScratch { context in
        if let row = try await context.find(type, id) { context.update(row, change) }
      }
    }

    private func colors() throws -> [String] {
      try cluster.query("SELECT id || ' ' || color FROM cards ORDER BY id")
    }

    /// Returns why a replica cannot follow its server.
    private func message(_ replica: Replica) async throws -> String {
      do {
        try await replica.caughtUp()
        return "it follows"
      } catch {
        return error.message
      }
    }

    struct Host {
      let stack: Stack
      let replica: Replica

      func close() async {
        await replica.close()
        await stack.close()
      }
    }

    func openStore(
      _ name: String, _ entities: [any Entity.Type], version: Int = 1
    ) async throws -> Stack {
      var options = Stack.Options()
      options.schemaVersion = version
      return try await Stack.open(
        entities, at: folder.appendingPathComponent("\(name).sqlite"), options: options)
    }

    func open(
      _ name: String, _ entities: [any Entity.Type], version: Int = 1, tables: [ServerTable] = [],
      on target: String? = nil
    ) async throws -> Host {
      let stack = try await openStore(name, entities, version: version)
      return Host(
        stack: stack,
        replica: try await Replica.open(
          stack, from: .postgres(target ?? cluster.target, tables: tables)))
    }
  }

  /// The first version of ``Card``.
  private struct OldCard: Entity, Equatable {
    var id = 0
    var title = ""
    var note = ""

    static let schema = Schema<OldCard>("cards", key: \.id) {
      Attribute(\.title)
      Attribute(\.note)
    }
  }

  private struct Card: Entity, Equatable {
    var id = 0
    var title = ""
    var color = "red"

    static let schema = Schema<Card>("cards", key: \.id) {
      Attribute(\.title)
      Attribute(\.color)
      Removed<Card>("note")
    }
  }

  extension ServerScenarios {
    static let command = StressCommand(
      PostgresCommand.scenarios.rawValue,
      help: """
        A truncation during a pull, and tables whose columns change while programs of two
        versions run. It needs what replica needs. Long form: as it is.
        """
    ) { _ in
      var scenarios = try ServerScenarios()
      return try await scenarios.run()
    }
  }
#endif
