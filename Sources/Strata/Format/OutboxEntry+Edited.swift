extension OutboxEntry {
  /// The server's row with the waiting edits.
  struct Edited: Sendable {
    /// Nil if there is no row.
    let row: Record?
    /// The edits over the server's row; nil if they are an insertion of which the server has not heard.
    var meeting: Meeting?

    /// Whether others changed one of the attributes, too, and no rule decides about it.
    var isConflicting: Bool { meeting.map { !$0.conflicting.isEmpty } ?? false }
  }
}

extension Change {
  /// Lays the edit of some attributes over the server's row, by the rules of the attributes and then by
  /// a policy.
  ///
  /// With the policy `error` the edit stays. An attribute that was set back to its first value is edited,
  /// too: the user does not know that the server has another value now.
  func edited(
    _ attributes: AttributeSet, _ server: Record?, in table: Table, policy: SavePolicy
  ) -> OutboxEntry.Edited {
    var meeting = table.meet(self, server)
    var policy = table.policy(policy)
    if policy == .error { policy = .overwrite }
    let resolved = meeting.resolved(by: policy)
    let row = resolved.map(\.after) ?? (server == nil && policy == .overwrite ? after : server)
    guard let before, let after, let server, let row, policy == .overwrite || policy == .mergeMine
    else { return OutboxEntry.Edited(row: row, meeting: meeting) }
    let setBack = attributes.subtracting(after.differences(from: before))
      .intersection(after.differences(from: server))
    if setBack.isEmpty { return OutboxEntry.Edited(row: row, meeting: meeting) }
    meeting = Meeting(
      change: meeting.change, stored: server, conflicting: meeting.conflicting.union(setBack))
    return OutboxEntry.Edited(row: row.replacing(setBack, from: after), meeting: meeting)
  }
}

extension OutboxEntry.Edited {
  /// Returns the conflict with the server's row; nil if there is none. A link never conflicts.
  func conflict(_ key: RecordKey, in table: Table) -> Conflict? {
    guard let meeting, isConflicting, !table.isJoin else { return nil }
    return table.conflict(meeting, key: key)
  }
}
