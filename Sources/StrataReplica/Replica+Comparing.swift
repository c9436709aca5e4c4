internal import Strata

extension Replica {
  /// Compares all rows with the server's, and returns once the store has the server's rows.
  ///
  /// Equal rows are neither written nor announced, and edits that wait stay.
  ///
  /// - Throws: ``ReplicaError`` with code `closed`, or why the server cannot be reached or followed.
  /// - Complexity: O(*n*) of all rows.
  public func resync() async throws(ReplicaError) {
    needsCopy = true
    while needsCopy { try await nextStep() }
  }

  /// Compares all rows with the server's, and returns the rows that differ.
  ///
  /// Nothing is written. The server's rows count with the edits that wait. Pulls and pushes go on
  /// meanwhile. ``resync()`` mends what differs. No row should differ; one that does was changed on the
  /// server unseen, such as by a partition that was attached since the server was prepared, or here
  /// by another program.
  ///
  /// - Throws: ``ReplicaError`` with code `closed`, or why the server cannot be reached or followed.
  /// - Complexity: O(*n*) of all rows, a page at a time.
  public func verify() async throws(ReplicaError) -> [RowDifference] {
    while verification != nil { try await nextStep() }
    verification = .requested
    defer { verification = nil }
    while true {
      try await nextStep()
      if let found = verification?.result { return found }
    }
  }

  /// Reads the next page of a verification.
  ///
  /// - Returns: whether there is more to do at once.
  func verifyNext(_ connection: any ServerConnection) async throws(ReplicaError) -> Bool {
    if case .requested = verification, let cursor = state.cursor {
      verification = .reading(CopyProgress(cursor), suspects: [:])
    }
    guard case .reading(let progress, _) = verification else {
      if case .checking = verification { return true }
      return false
    }
    guard let table = tables.first(where: { !progress.isFinished($0) }) else {
      verification = .checking([:])
      return true
    }
    let page = try await page(of: table, after: progress, connection)
    let differing = try await differences(from: [page.rows])
    verification?.read(
      page.count, of: table, through: page.through, differing: Set(differing.map(\.key)),
      tables: tables)
    return true
  }

  /// Ends a verification with the rows that a pull has read again.
  func check(_ rows: [ServerRows]) async throws(ReplicaError) {
    guard case .checking = verification else { return }
    let found = try await differences(from: rows).map(RowDifference.init)
    if case .checking = verification { verification = .done(found) }
  }

  private func differences(
    from rows: [ServerRows]
  ) async throws(ReplicaError) -> [ServerDifference] {
    do throws(StoreError) { return try await stack.differences(from: rows, of: followed) } catch {
      throw ReplicaError(error)
    }
  }
}
