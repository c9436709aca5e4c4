#if Postgres
  internal import Foundation
  internal import Strata
  internal import StrataReplica

  extension PostgresConnection {
    func register(_ client: UUID) throws(ReplicaError) {
      try connected().run(
        .init(
          "INSERT INTO strata.client (id) VALUES ($1) ON CONFLICT DO NOTHING", [client.uuidString]))
    }

    static let claim = """
      UPDATE strata.client SET last_push = $1, token = $2, refused = NULL, seen = clock_timestamp()
      WHERE id = $3 AND last_push = $1::int8 - 1
      """

    func claim(
      _ push: PushID, by client: UUID, isArmed: Bool, reading edits: [ServerEdit]
    ) throws(ReplicaError) -> Bool {
      let session = try connected()
      keep(claimed: nil)
      var take = ServerStatement(
        Self.claim, ["\(push.number)", push.token.uuidString, client.uuidString])
      take.name = "strata_claim"
      var statements: [ServerStatement] = [
        .init("BEGIN"), .init("SET LOCAL synchronous_commit = on"), take,
        // Rows of one push may swap a unique value, or refer to each other.
        .init("SET CONSTRAINTS ALL DEFERRED"),
        // Pulls wait as long as a push does.
        .init("SET LOCAL lock_timeout = '200ms'"),
      ]
      if isArmed {
        // The session that holds the lock is not told of its own commit, and neither are the others.
        statements.append(
          .init("SELECT pg_notify('strata', '') WHERE \(ServerObjects.isReleased)"))
      }
      let isClaimed: Bool
      do throws(ReplicaError) {
        var transaction = PushTransaction(session, edits, builder, try tables())
        let results = try session.pipeline(statements + (edits.isEmpty ? [] : transaction.reads))
        isClaimed = results[2].changedCount == 1
        if isClaimed && !edits.isEmpty {
          try transaction.take(results[statements.count...])
          keep(claimed: transaction)
        }
      } catch {
        // The role may not write one of the tables.
        guard [.row, .suspectedRow].contains(error.meaning), !edits.isEmpty else { throw error }
        try abandon()
        return try claim(push, by: client, isArmed: isArmed, reading: [])
      }
      if !isClaimed { try abandon() }
      return isClaimed
    }

    func commit(
      _ edits: [ServerEdit], replacing: Set<PushOrder.Row>, by client: UUID
    ) throws(ReplicaError) -> PushReport {
      let session = try connected()
      var transaction: PushTransaction
      if let claimed = keep(claimed: nil) {
        transaction = claimed
      } else {
        transaction = PushTransaction(session, edits, builder, try tables())
        try transaction.readEach()
      }
      let conflicts = transaction.conflicts
      let told = tellsReplaced ? transaction.replacements(replacing, conflicts) : nil
      if try transaction.commitAll(with: told) { return PushReport(conflicts: conflicts) }
      try transaction.run()
      var last: [ServerStatement] = []
      let left = transaction.conflicts
      if tellsReplaced, let told = transaction.replacements(replacing, left) { last.append(told) }
      if !transaction.verdicts.isEmpty {
        let text = try text(of: transaction.verdicts)
        last.append(
          .init("UPDATE strata.client SET refused = $1 WHERE id = $2", [text, client.uuidString]))
      }
      _ = try session.pipeline(last + [.init("COMMIT")])
      return PushReport(
        conflicts: left, lockedCount: transaction.lockedCount)
    }

    func abandon() throws(ReplicaError) {
      // If the transaction has released the lock, those for whom this connection slept hear of it here.
      let session = try connected()
      try session.rollBack()
      try session.run("SELECT pg_notify('strata', '')")
    }

    // MARK: - Verdicts

    private struct StoredVerdict: Codable {
      let table: Int
      let key: String
      let refusal: String?
    }

    private func text(of verdicts: [ServerVerdict]) throws(ReplicaError) -> String {
      let tables = try tables()
      let stored = verdicts.map { verdict in
        let mapping = tables[verdict.table]
        return StoredVerdict(
          table: mapping.number, key: mapping.text(verdict.key), refusal: verdict.refusal)
      }
      guard let data = try? JSONEncoder().encode(stored) else {
        throw .unsuitable("a key is no Unicode text")
      }
      return String(decoding: data, as: UTF8.self)
    }

    /// Reads what the server knows of the replica, from three columns; nil if it knows nothing.
    func client(
      _ result: PostgresResult, _ column: Int
    ) throws(ReplicaError) -> ServerClient? {
      guard result.count > 0, let number = result.text(0, column).flatMap({ Int64($0) }) else {
        return nil
      }
      var verdicts: [ServerVerdict] = []
      let tables = try tables()
      let text = result.text(0, column + 2) ?? "[]"
      let stored = (try? JSONDecoder().decode([StoredVerdict].self, from: Data(text.utf8))) ?? []
      for verdict in stored {
        guard let mapping = tables[verdict.table] else { continue }
        verdicts.append(
          ServerVerdict(mapping.table, try mapping.key(verdict.key), refusal: verdict.refusal))
      }
      return ServerClient(
        lastPush: number, token: result.text(0, column + 1).flatMap { UUID(uuidString: $0) },
        verdicts: verdicts)
    }
  }
#endif
