#if Postgres
  import Foundation
  import LocalPostgres
  import Strata
  import StrataPostgres
  import StrataReplica

  /// Both hosts of a conflict are told of it: the host whose edit stays, and the host whose edit was replaced.
  extension ServerScenarios {
    mutating func conflicts() async throws {
      try cluster.query("CREATE DATABASE conflicts")
      let database = cluster.target("conflicts")
      try await StrataPostgres.prepare(database, for: [Message.self])
      try cluster.query(
        """
        GRANT strata_client TO app; GRANT SELECT, INSERT, UPDATE, DELETE ON messages TO app;
        INSERT INTO messages SELECT i, 'old', '' FROM generate_series(1, 4) i
        """, in: "conflicts")
      for isPulled in [true, false] { try await replace(isPulled: isPulled) }
      try await replaceOnOldServer()
    }

    private func message(_ name: String) async throws -> Host {
      let target = "\(cluster.target("conflicts", user: "app")) application_name=\(name)"
      return try await open("message-\(name)", [Message.self], on: target)
    }

    /// Two hosts edit a text. South's edit is on the server first, and North's replaces it.
    ///
    /// - Parameter isPulled: whether North finds the conflict when it pulls, and not when it pushes.
    private mutating func replace(isPulled: Bool) async throws {
      let way = isPulled ? "pulled" : "pushed"
      var (north, south) = (try await message("North"), try await message("South"))
      for host in [north, south] { try await host.replica.caughtUp() }
      await north.close()
      try await north.edit(offline: self, "North") { $0.text = "North, \(way)" }
      try await south.edit { $0.text = "South, \(way)" }
      try await south.replica.settled()
      if !isPulled { await south.close() }
      north = try await message("North")
      let winner = north.replica.conflicts
      let loser: AsyncStream<ReplacedRow>
      if isPulled {
        loser = south.replica.replacedRows
      } else {
        south = try await message("South")
        loser = south.replica.replacedRows
      }
      try await north.replica.settled()
      try await south.replica.caughtUp()
      // An edit that meets no other is no conflict.
      try await north.edit { $0.text = "later" }
      try await north.replica.settled()
      try await south.replica.caughtUp()
      await north.close()
      await south.close()
      var (kept, replaced): ([String], [String]) = ([], [])
      for await conflict in winner {
        let sides = conflict.sides(of: Message.self)
        kept.append("\(conflict.key): \(sides?.mine?.text ?? "-")/\(sides?.theirs?.text ?? "-")")
      }
      for await row in loser {
        let sides = row.sides(of: Message.self)
        replaced.append("\(row): \(sides?.mine?.text ?? "-")/\(sides?.theirs?.text ?? "-")")
      }
      check(kept, ["1: North, \(way)/South, \(way)"], "the winner's conflict, \(way)")
      check(
        replaced, ["Message 1: North has replaced text: South, \(way)/North, \(way)"],
        "the loser is told, \(way)")
      try cluster.query("UPDATE messages SET text = 'old'", in: "conflicts")
    }

    /// A server that an earlier version prepared tells nobody, and takes the edits.
    private mutating func replaceOnOldServer() async throws {
      try cluster.query("DROP TABLE strata.replaced", in: "conflicts")
      var (north, south) = (try await message("North"), try await message("South"))
      for host in [north, south] { try await host.replica.caughtUp() }
      await north.close()
      try await north.edit(offline: self, "North") { $0.text = "North" }
      try await south.edit { $0.text = "South" }
      try await south.replica.settled()
      north = try await message("North")
      try await north.replica.settled()
      try await south.replica.caughtUp()
      check(
        try await south.stack.fetch(Message.sorted(by: \.id)).first?.text, "North",
        "a conflict on a server of an earlier version")
      check(
        await south.replica.diagnostics.isServerOfEarlierVersion, true,
        "the diagnostics name a server of an earlier version")
      await north.close()
      await south.close()
    }
  }

  extension ServerScenarios.Host {
    fileprivate func edit(_ change: @escaping @Sendable (inout Message) -> Void) async throws {
      try await stack.withScratch { context in
        if let row = try await context.find(Message.self, 1) { context.update(row, change) }
      }
    }

    /// Edits the store of a host that is closed.
    fileprivate func edit(
      offline scenarios: ServerScenarios, _ name: String,
      _ change: @escaping @Sendable (inout Message) -> Void
    ) async throws {
      let stack = try await scenarios.openStore("message-\(name)", [Message.self])
      try await stack.withScratch { context in
        if let row = try await context.find(Message.self, 1) { context.update(row, change) }
      }
      await stack.close()
    }
  }

  private struct Message: Entity, Equatable {
    var id = 0
    var text = ""
    var author = ""

    static let schema = Schema<Message>("messages", key: \.id) {
      Attribute(\.text)
      Attribute(\.author)
    }
  }
#endif
