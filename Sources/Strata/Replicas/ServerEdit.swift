/// The edits of one row that a replica pushes to its server.
package struct ServerEdit: Sendable {
  package let table: Table
  package let step: PushOrder.Step
  private let entry: OutboxEntry
  /// The stored row, with the edits.
  private let local: Record?
  /// The row from which the edits started.
  private let known: Record?

  init(
    _ table: Table, _ step: PushOrder.Step, _ entry: OutboxEntry, local: Record?, known: Record?
  ) {
    self.table = table
    self.step = step
    self.entry = entry
    self.local = local
    self.known = known
  }

  package var key: RecordKey { step.row.key }

  /// Whether the edits started from a row of the server.
  package var isKnown: Bool { known != nil }

  /// Returns the row that the server is to have, given the row that it has; nil for none.
  package func row(onto server: Record?) -> Record? {
    entry.edited(server, local: local, known: known, in: table).row
  }

  /// Returns the conflict of the edits with the row that the server has; nil if there is none.
  package func conflict(with server: Record?) -> Conflict? {
    if server == known { return nil }
    return entry.edited(server, local: local, known: known, in: table)
      .conflict(key, in: table)
  }
}

extension Conflict {
  package var row: PushOrder.Row { PushOrder.Row(table: table.id, key: key) }
}

/// The edits of one push.
package struct HandedOverEdits: Sendable {
  /// The edits in the order in which the server can make them.
  package var edits: [ServerEdit] = []
  /// Whether edits are left for another push, because these have reached the limit.
  package var isCut = false
}

/// The reason for which a server did not make a pushed edit.
package struct ServerVerdict: Sendable, Equatable {
  package let table: Table
  package let key: RecordKey
  /// The server's reason; nil if the edit depends on a refused edit and waits for it.
  package let refusal: String?

  package init(_ table: Table, _ key: RecordKey, refusal: String?) {
    self.table = table
    self.key = key
    self.refusal = refusal
  }

  package static func == (left: ServerVerdict, right: ServerVerdict) -> Bool {
    left.table === right.table && left.key == right.key && left.refusal == right.refusal
  }
}
