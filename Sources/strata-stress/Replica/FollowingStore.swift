#if Postgres
  import Foundation
  import Strata
  import StrataPostgres
  import StrataReplica

  /// A store that follows a server, and what its consumers see.
  @MainActor
  final class FollowingStore {
    let url: URL
    private(set) var stack: Stack
    private(set) var replica: Replica
    private let target: String
    private var observing: Task<Void, Never>?
    /// The commits after which the sum of the money was looked at.
    private(set) var checks = 0
    private(set) var pulls = 0
    private(set) var violations: [String] = []

    private static let entities: [any Entity.Type] = [Purse.self, Pouch.self, Sheet.self]

    init(_ target: String, number: Int) async throws {
      self.target = target
      url = FileManager.default.temporaryDirectory.appendingPathComponent(
        "strata-replica-\(number)-\(UUID().uuidString).sqlite")
      stack = try await Stack.open(Self.entities, at: url)
      replica = try await Self.follow(stack, target)
      observe()
    }

    private static func follow(_ stack: Stack, _ target: String) async throws -> Replica {
      let tables = stack.replicableTables
      return try await Replica.open(
        stack, of: tables, StrataPostgres.connecting(target, tables))
    }

    private func observe() {
      let (stack, replica, changes) = (stack, replica, stack.changes)
      observing = Task { [weak self] in
        for await _ in changes { await self?.check(stack, replica) }
      }
    }

    /// Looks at the sum of the money, which is the same in every state that the server had.
    private func check(_ stack: Stack, _ replica: Replica) async {
      let before = await replica.copies
      guard await replica.isLive else { return }
      let rows = try? await stack.read(
        "SELECT (SELECT sum(balance) FROM purses) + (SELECT sum(amount) FROM pouches) AS money")
      // A copy may have begun after the sum was read.
      let isSame = await replica.copies == before
      let isLive = await replica.isLive
      guard isSame, isLive, let row = rows?.first, let money = try? row["money"] else { return }
      checks += 1
      if money != .integer(Int64(PostgresWriter.money)) {
        violations.append("the money is \(money) at commit \(stack.viewContext.commit)")
      }
    }

    func relaunch() async throws {
      await close()
      stack = try await Stack.open(Self.entities, at: url)
      replica = try await Self.follow(stack, target)
      observe()
    }

    func close() async {
      pulls += await replica.pulls
      await replica.close()
      await stack.close()
      await observing?.value
    }

    func remove() {
      for suffix in ["", "-wal", "-shm", "-notify"] {
        try? FileManager.default.removeItem(atPath: url.path + suffix)
      }
    }

    /// The rows of all tables as lines, in the form of ``ReplicaStress/rows``.
    func lines() async throws -> [String] {
      var lines = try await stack.fetch(Purse.all).map { "a \($0.id) \($0.balance)" }
      lines += try await stack.fetch(Pouch.all).map { "p \($0.id) \($0.amount)" }
      lines += try await stack.fetch(Sheet.all).map { doc in
        let microseconds = Int((doc.at.timeIntervalSince1970 * 1_000_000).rounded())
        let length = doc.length.map { "\($0)" } ?? "-"
        return "d \(doc.id.uuidString.lowercased()) \(doc.title) \(length) \(microseconds)"
      }
      return lines.sorted()
    }
  }
#endif
