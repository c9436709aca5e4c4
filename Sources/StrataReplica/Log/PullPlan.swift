/// The rows that a pull reads, decided from the cursor of the store and the head of the server.
///
/// A wrong answer here would leave the store different from the server for good. Each case says which
/// change of the server it is about.
package enum PullPlan: Sendable, Equatable {
  package enum Obstacle: String, Sendable {
    /// The server was prepared by another version of Strata.
    case format
    /// The server is a standby. Its snapshots leave out transactions that run on the primary, so
    /// their rows would never come.
    case standby
  }

  package enum Reason: String, Sendable {
    /// The store has no rows of the server yet.
    case first
    /// A backup was restored.
    case epoch
    /// The server is another cluster or database, or a standby that was promoted. It may lack
    /// transactions that the store has.
    case server
    /// The server sees less than before: its disk was put back to an older state.
    case order
    /// The log was pruned past the store's snapshot.
    case horizon
  }

  /// The server cannot be followed.
  case refuse(Obstacle)
  /// The store has to compare all rows with the server's.
  case resync(Reason)
  /// The log has the keys of all changed rows, but in some tables rows may have changed unseen.
  case difference(whole: Set<String>)

  package init(_ head: ServerHead, since cursor: LogCursor?) {
    if head.format != ServerHead.format {
      self = .refuse(.format)
    } else if head.server == nil {
      self = .refuse(.standby)
    } else if let cursor {
      self.init(head, since: cursor)
    } else {
      self = .resync(.first)
    }
  }

  private init(_ head: ServerHead, since cursor: LogCursor) {
    if cursor.epoch != head.epoch {
      self = .resync(.epoch)
    } else if cursor.server != head.server {
      self = .resync(.server)
    } else if !cursor.snapshot.isContained(in: head.snapshot) {
      self = .resync(.order)
    } else if !head.horizon.isContained(in: cursor.snapshot) {
      self = .resync(.horizon)
    } else {
      self = .difference(
        whole: Set(head.shapes.filter { cursor.shapes[$0.key] != $0.value }.keys))
    }
  }
}

extension ReplicaError {
  static func cannotFollow(_ obstacle: PullPlan.Obstacle) -> ReplicaError {
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
