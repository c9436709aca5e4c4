/// A request that a server may have received, and the commit that notes it.
struct HandedOverRequest: Sendable {
  let request: PushRequest
  let commit: Int64
}

/// The request that a task is sending.
///
/// A row of the request that the task imports is the server's answer.
struct AnsweredRequest: Sendable {
  /// The request of the current task; nil outside of a push.
  @TaskLocal static var current: AnsweredRequest?

  private let table: Table
  /// The commit that notes the request as handed over. The row may get another key meanwhile.
  private let commit: Int64
  private let turns: PushTurns

  /// - Parameter turns: the turns of the store's pushes.
  init(_ sent: HandedOverRequest, _ turns: PushTurns) {
    (table, commit, self.turns) = (sent.request.table, sent.commit, turns)
  }

  /// Returns whether a push with these turns sends the request.
  func isOf(_ turns: PushTurns) -> Bool { self.turns === turns }

  /// Returns whether the request has sent the edits of an entry.
  func isFor(_ table: Table, _ entry: OutboxEntry) -> Bool {
    self.table === table && entry.handedOver?.commit == commit
  }
}
