internal import Strata

extension PullContext {
  /// Reads the next page of a copy, and makes the store equal to it.
  ///
  /// The pages are younger than the beginning of the copy. The pull that follows brings the store from
  /// there to a newer state, and reads the rows again that changed in between.
  ///
  /// - Parameter client: the server's knowledge of the replica before the first page.
  func copyPage(
    _ state: StoredState, _ first: CopyProgress, _ client: ServerClient?
  ) async throws(ReplicaError) -> PullOutcome {
    guard let table = tables.first(where: { !first.isFinished($0) }) else {
      fatalError("a copy has no page left")
    }
    let page = try await page(of: table, after: first)
    var (progress, known) = (first, state)
    // The store has no state of the server until the next pull. A push that the server did not show yet
    // may be in a page. The next pull then has its rows, and puts them right.
    progress.read(page.count, of: table, through: page.through)
    // The server's words about a lost push are forgotten after the copy.
    if known.push.outcome(client) == .lost {
      known.push.note(.lost, client, newClient: known.push.client)
    }
    let next = known.copying(progress, mustReadWaiting: followed.hasFilters)
    // With a filter, a page does not show every row of the push. The next pull reads them all.
    return try await apply([page.rows], next, followed.hasFilters ? nil : client)
  }
}
