internal import Foundation
internal import Strata

extension Replica {
  /// Pulls what was committed since the last pull.
  ///
  /// - Returns: whether anything was committed.
  func pull(_ connection: any ServerConnection) async throws(ReplicaError) -> Bool {
    let since = state.cursor ?? state.copy?.cursor
    let isThorough = thoroughPulls > 0
    thoroughPulls = max(0, thoroughPulls - 1)
    let start = try await connection.beginPull(
      since: since, by: state.push.client, isThorough: isThorough)
    try await recognise(start.head, connection)
    let outcome = state.push.outcome(start.head.client)
    if outcome == .foreign || outcome == .unregistered {
      _ = try await connection.endPull(reading: [])
      state.push.note(outcome, nil, newClient: UUID())
      (state.cursor, state.copy) = (nil, nil)
      mayHaveEdits = true
      try await connection.register(state.push.client)
      return true
    }
    // After a push is lost, its edits wait again.
    if outcome == .lost || outcome == .waiting && !options.isReadOnly { mayHaveEdits = true }
    let whole: Set<String>
    // A server that lost a push has lost commits of others, too.
    switch PullPlan(start.head, since: needsCopy || outcome == .lost ? nil : since) {
    case .refuse(let obstacle):
      _ = try await connection.endPull(reading: [])
      throw .cannotFollow(obstacle)
    case .resync:
      _ = try await connection.endPull(reading: [])
      guard let cursor = ReplicaCursor(start.head) else { return false }
      copies += 1
      (state.cursor, state.copy) = (nil, nil)
      try await copy(connection, start.head.client, CopyProgress(cursor))
      return true
    case .difference(let changed): whole = withReferring(changed, start.changed)
    }
    if let progress = state.copy, !tables.allSatisfy(progress.isFinished) {
      _ = try await connection.endPull(reading: [])
      try await copy(connection, start.head.client, progress)
      return true
    }
    // A push that changed nothing on the server is not in its log.
    let confirms = outcome == .confirmed && state.push.push != nil && followed.hasFilters
    let given = reverted
    let requests = try await requests(
      start.changed, whole: whole, readsWaiting: confirms || state.mustReadWaiting == true,
      connection)
    let suspects = verification?.suspects ?? [:]
    let end = try await connection.endPull(reading: requests.adding(suspects, of: tables))
    guard let cursor = ReplicaCursor(start.head) else { return false }
    let hasOutcome = state.push.push != nil && outcome != .waiting
    let isNew = !requests.isEmpty || hasOutcome || state.copy != nil
    if isNew {
      if let written = start.head.written {
        try await waitUntilFlushed(written, connection, flushed: end.flushed)
      }
      let next = StoredState(
        cursor: cursor, push: state.push,
        mustReadWaiting: requests.contains { $0.keys == nil && followed[$0.table] != nil })
      let rows = suspects.isEmpty ? end.rows : Self.rows(end.rows, to: requests)
      try await apply(rows, next, start.head.client)
      for (name, keys) in given { reverted[name]?.subtract(keys) }
    } else if let written = start.head.written, written <= end.flushed {
      // A crash takes back what is not on the disk, and others then get its numbers.
      state.cursor = cursor
    }
    // Where all rows were read that meet a filter, a row that is missing says nothing.
    let isTold = requests.allSatisfy { request in
      request.keys != nil || followed[request.table] == nil
    }
    if isTold {
      let again = suspects.map { ChangedTable(table($0.key), $0.value) }
      try await check(Self.rows(end.rows, to: again))
    }
    return isNew
  }

  /// Returns the tables of which all rows are read: some tables, and those whose filters refer to them.
  private func withReferring(_ whole: Set<String>, _ changed: [ChangedTable]) -> Set<String> {
    var all = whole.union(changed.filter { $0.keys == nil }.map(\.table.name))
    for (table, reference) in followed.referring where all.contains(reference.target.name) {
      all.insert(table.name)
    }
    return all
  }

  /// Returns what a pull reads: the rows that changed, and where that is not known, all rows.
  ///
  /// - Parameter readsWaiting: whether the rows are read, too, whose edits wait.
  private func requests(
    _ changed: [ChangedTable], whole: Set<String>, readsWaiting: Bool,
    _ connection: any ServerConnection
  ) async throws(ReplicaError) -> [ChangedTable] {
    var known = changed.filter { !whole.contains($0.table.name) }
      .adding(reverted.filter { !whole.contains($0.key) }, of: tables)
    if readsWaiting {
      let parts = tables.filter { !whole.contains($0.name) }
      do throws(StoreError) {
        let waiting = try await stack.waitingRows(of: parts)
        known = known.adding(waiting.mapValues { Set($0.keys) }, of: tables)
      } catch {
        throw ReplicaError(error)
      }
    }
    // After a copy, the store may have a row that was not followed when the rows were read that refer to
    // it. A row that waits may have left and come back meanwhile.
    let isCertain = state.copy == nil && state.mustReadWaiting != true
    for (table, reference) in followed.referring where !whole.contains(table.name) {
      let targets = known.first { $0.table === reference.target }?.keys ?? []
      let entering = isCertain ? try await unfollowed(targets, in: reference.target) : targets
      if entering.isEmpty { continue }
      let keys = try await connection.keys(of: table, referringTo: entering)
      known = known.adding([table.name: keys], of: tables)
    }
    return known + tables.filter { whole.contains($0.name) }.map { ChangedTable($0, nil) }
  }

  /// Returns those of some rows that may enter the store.
  private func unfollowed(
    _ keys: Set<RecordKey>, in table: Table
  ) async throws(ReplicaError) -> Set<RecordKey> {
    if keys.isEmpty { return [] }
    do throws(StoreError) {
      return try await stack.unfollowed(keys, in: table, of: followed)
    } catch {
      throw ReplicaError(error)
    }
  }

  private func table(_ name: String) -> Table {
    guard let table = tables.first(where: { $0.name == name }) else {
      fatalError("an unknown table")
    }
    return table
  }

  /// Returns the rows that were asked for by some requests.
  private static func rows(_ rows: [ServerRows], to requests: [ChangedTable]) -> [ServerRows] {
    requests.compactMap { request in
      let part = rows.first { $0.table === request.table }
      return part.map { part in
        guard let keys = request.keys else { return part }
        let found = Dictionary(
          keys.lazy.compactMap { key in part.rows[key].map { (key, $0) } }
        ) { $1 }
        return ServerRows(part.table, .keys(keys), found)
      }
    }
  }

  /// Reads all rows that a copy has not read yet, in pages, and makes the store equal to them.
  ///
  /// The pages are younger than the beginning of the copy. The pull that follows brings the store from
  /// there to a newer state, and reads the rows again that changed in between.
  private func copy(
    _ connection: any ServerConnection, _ client: ServerClient?, _ first: CopyProgress
  ) async throws(ReplicaError) {
    // What the server says of a lost push is no longer known after the copy.
    if state.push.outcome(client) == .lost {
      state.push.note(.lost, client, newClient: state.push.client)
    }
    var progress = first
    while let table = tables.first(where: { !progress.isFinished($0) }) {
      await tell(.copying(rows: progress.rowCount))
      let page = try await page(of: table, after: progress, connection)
      // A crash of the server may take commits back that the page shows. Nobody would read them again.
      let (written, flushed) = try await connection.logPositions()
      try await waitUntilFlushed(written, connection, flushed: flushed)
      // Until the next pull, the store has no state that the server had. A push that the server did not
      // show yet may be in a page. That pull then has its rows, and puts them right.
      progress.read(page.count, of: table, through: page.through)
      let next = StoredState(copy: progress, push: state.push, mustReadWaiting: followed.hasFilters)
      // With a filter, a page does not show every row of the push. The next pull reads them all.
      try await apply([page.rows], next, followed.hasFilters ? nil : client)
    }
    state.copy = progress
    needsCopy = false
  }

  /// Reads the next page of a table.
  func page(
    of table: Table, after progress: CopyProgress, _ connection: any ServerConnection
  ) async throws(ReplicaError) -> (rows: ServerRows, count: Int, through: RecordKey?) {
    let after = progress.lastKey(of: table)
    let page = try await connection.page(of: table, after: after, limit: pageSize)
    let through = page.count < pageSize ? nil : page.last?.key
    let records = Dictionary(page.map { ($0.key, $0.record) }) { $1 }
    let rows = ServerRows(table, .range(after: after, through: through), records)
    return (rows, page.count, through)
  }

  /// Waits until everything that was read is on the server's disk.
  ///
  /// A commit with `synchronous_commit = off` is visible before. A crash takes it back, and another
  /// transaction then gets its number.
  private func waitUntilFlushed(
    _ written: LogPosition, _ connection: any ServerConnection, flushed: LogPosition
  ) async throws(ReplicaError) {
    if flushed >= written { return }
    await pause(.milliseconds(1))
    if try await connection.logPositions().flushed >= written { return }
    try await connection.flushLog(by: state.push.client)
  }

  /// Brings the store to rows of the server.
  ///
  /// - Parameters:
  ///   - next: the state to store, before the outcome of the last push.
  ///   - client: what the server knew of the replica when the rows were read. If it had made the last
  ///     push, the rows show its edits, and these edits no longer wait.
  private func apply(
    _ rows: [ServerRows], _ next: StoredState, _ client: ServerClient?
  ) async throws(ReplicaError) {
    var new = next
    new.database = state.database
    var verdicts: [ServerVerdict]?
    if let client, state.push.push != nil {
      let outcome = state.push.outcome(client)
      if outcome == .confirmed {
        verdicts = client.verdicts
        settledLookups = lookups
      }
      if outcome == .confirmed || outcome == .lost {
        new.push.note(outcome, client, newClient: new.push.client)
        mayHaveEdits = true
      }
    }
    do throws(StoreError) {
      let (commit, conflicts) = try await stack.apply(
        rows, of: followed, confirming: verdicts, state: new.data)
      ownCommit = commit
      conflicts.forEach(found.yield)
    } catch {
      throw ReplicaError(error)
    }
    state = new
    hasOldCounts = true
  }
}

extension [ChangedTable] {
  /// Returns requests that also read some keys, unless all rows of their table are read.
  fileprivate func adding(_ keys: [String: Set<RecordKey>], of tables: [Table]) -> [ChangedTable] {
    var requests = self
    for table in tables {
      guard let keys = keys[table.name], !keys.isEmpty else { continue }
      if let position = requests.firstIndex(where: { $0.table === table }) {
        requests[position] = ChangedTable(table, requests[position].keys?.union(keys))
      } else {
        requests.append(ChangedTable(table, keys))
      }
    }
    return requests
  }
}

extension ReplicaError {
  fileprivate static func cannotFollow(_ obstacle: PullPlan.Obstacle) -> ReplicaError {
    switch obstacle {
    case .format:
      ReplicaError(
        .unsuitableServer, "another version of Strata prepared the server",
        advice: "update the program, or prepare the server again")
    case .standby:
      ReplicaError(
        .unsuitableServer,
        "the server is a standby, whose snapshots leave out running transactions",
        advice: "connect to the primary: target_session_attrs=read-write")
    }
  }
}
