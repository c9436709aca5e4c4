package import Strata

/// The edits of a push, as a replica gives them to a follower.
package enum PushBody: Sendable {
  /// The edits of a push that was never sent.
  case new(PushedEdits)
  /// A push that was sent before, without an answer. The server may have made it with the edits of then, so the
  /// store hands edits over only once the server has taken the number.
  case again(@Sendable () async throws(ReplicaError) -> PushedEdits)
}

/// The edits that the store has handed over for a push.
package struct PushedEdits: Sendable {
  package let handed: HandedOverEdits
  /// The rows whose edits replace values of other replicas in a conflict that a pull has found. The other
  /// replicas are told of them.
  package let replacing: Set<PushOrder.Row>

  package init(_ handed: HandedOverEdits, replacing: Set<PushOrder.Row>) {
    self.handed = handed
    self.replacing = replacing
  }
}

/// A server's answer to a push.
package enum PushOutcome: Sendable {
  /// The server has made the push. A pull confirms it.
  ///
  /// The conflicts are those of edits with rows of the server that no pull had brought.
  case made([Conflict], left: PushRemainder)
  /// The server does not take the number. A pull says why.
  case notTaken
  /// The store had no edits any more, and the server has made nothing.
  case empty
  /// The server takes no push now, and goes on to give rows. The same push may succeed at the next attempt if
  /// only others were in its way.
  case refused(ReplicaError, isPassing: Bool)
}

/// The edits that a push has left behind, besides those that the server refused.
package enum PushRemainder: Sendable, Equatable {
  case nothing
  /// The push was full. The next one follows at once.
  case more
  /// Other transactions hold the rows. The next push waits a little.
  case locked
}
