internal import Strata

/// One pull: the head of the server, its meaning, and the rows, all of one snapshot.
struct LogPull {
  let connection: any ServerConnection
  let followed: FollowedTables
  let request: PullRequest
  let store: any PullStore
  let pause: LogFollower.Pause

  func run() async throws(ReplicaError) -> PullAnswer {
    let since = request.cursor.flatMap(LogCursor.init)
    let client = request.push.client
    let start = try await connection.beginPull(since: since, by: client, limit: request.pageSize)
    do throws(ReplicaError) { try request.recognise(start.head.database) } catch {
      try await end()
      throw error
    }
    switch request.push.outcome(start.head.client) {
    case .unregistered:
      try await end()
      try await connection.register(client)
      return answer(start.head, .nothing)
    case .foreign:
      try await end()
      return answer(start.head, .nothing)
    case .confirmed, .waiting, .lost: break
    }
    let first = request.start(start.head.client).flatMap(LogCursor.init)
    switch PullPlan(start.head, since: first) {
    case .refuse(let obstacle):
      try await end()
      throw .cannotFollow(obstacle)
    case .resync:
      try await end()
      guard let cursor = LogCursor(start.head) else { throw .cannotFollow(.standby) }
      return answer(start.head, .copy(cursor.stored))
    case .difference(let shapes):
      if case .reading = request.copy {
        try await end()
        return answer(start.head, .nothing)
      }
      return answer(start.head, .rows(try await rows(start, since, shapes)))
    }
  }

  private func answer(_ head: ServerHead, _ news: PullAnswer.News) -> PullAnswer {
    PullAnswer(database: head.database, client: head.client, news)
  }

  /// Ends the transaction of the pull.
  private func end() async throws(ReplicaError) {
    _ = try await connection.endPull(reading: [])
  }

  /// Reads the rows that bring the store to the server's snapshot.
  ///
  /// - Parameter shapes: the names of the tables whose fingerprints differ.
  private func rows(
    _ start: PullStart, _ since: LogCursor?, _ shapes: Set<String>
  ) async throws(ReplicaError) -> PulledRows {
    let client = start.head.client
    let reads = try await PullReads(
      connection: connection, followed: followed, store: store, client: client
    ).all(start.changed, shapes: shapes)
    let (streamed, keyed) = (reads.filter { $0.keys == nil }, reads.filter { $0.keys != nil })
    let isStaged = !streamed.isEmpty
    if isStaged, let since { try await stage(streamed, since: since) }
    // The rows that a verification suspects are read by a pull that reads by keys alone.
    let suspects = isStaged ? [:] : request.suspects
    let end = try await connection.endPull(reading: keyed.adding(suspects, of: followed.tables))
    var pulled = PulledRows(
      cursor: LogCursor(start.head)?.stored,
      rows: suspects.isEmpty ? end.rows : end.rows.answering(keyed))
    pulled.isStaged = isStaged
    pulled.whole = reads.filter(\.isWhole).map(\.table)
    pulled.replaced = start.replaced
    if !isStaged {
      let again = followed.tables.compactMap { table in
        suspects[table.name].map { ChangedTable(table, .keys($0)) }
      }
      pulled.suspects = end.rows.answering(again)
    }
    guard let written = start.head.written else { return pulled }
    if !pulled.isEmpty || request.isNoted(client) {
      try await connection.waitUntilFlushed(
        written, flushed: end.flushed, for: request.push.client, pausing: pause)
    } else if written > end.flushed {
      // A crash takes back a commit that is not on the disk, and others then get its numbers.
      pulled.cursor = nil
    }
    return pulled
  }

  // MARK: - The stage

  /// The number of rows of a slice, which memory holds several times.
  private var sliceSize: Int { min(request.pageSize, 1_000) }

  /// Keeps rows that are read in the snapshot of a pull on the disk of this host, page by page.
  private func stage(
    _ reads: [ChangedTable], since cursor: LogCursor
  ) async throws(ReplicaError) {
    try await store.clearStage()
    for read in reads {
      switch read.extent {
      case .keys: continue
      case .logged: try await stageLogged(read.table, since: cursor)
      case .whole: try await stageAll(read.table)
      }
    }
  }

  private func stageLogged(
    _ table: Table, since cursor: LogCursor
  ) async throws(ReplicaError) {
    var isFirst = true
    while true {
      let page = try await connection.loggedRows(
        of: table, since: cursor, isFirst: isFirst, limit: sliceSize)
      isFirst = false
      if page.count > 0 { try await store.stage(page.rows(of: table)) }
      if page.count < sliceSize { return }
    }
  }

  private func stageAll(_ table: Table) async throws(ReplicaError) {
    var after: RecordKey?
    repeat {
      let page = try await connection.page(of: table, after: after, limit: sliceSize)
      let through = page.through(limit: sliceSize)
      try await store.stage(page.rows(of: table, .range(after: after, through: through)))
      after = through
    } while after != nil
  }
}
