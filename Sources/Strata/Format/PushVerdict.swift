/// What a server made of a ``PushRequest``.
public enum PushVerdict: Sendable, Hashable {
  /// The server has the change.
  case done
  /// The server does not take the change now: a later push sends the request again.
  case later
  /// The server never takes the change as it is. The request is set aside with the server's reason
  /// until the row is edited, or ``Outbox/retry(_:)`` or ``Outbox/revert(_:)`` is called.
  case refused(String)
}

/// What became of one ``Outbox/push(_:)``.
public struct PushResult: Sendable, Hashable {
  /// The requests that the server has done.
  public internal(set) var sent = 0
  /// The requests that still wait: those that the server wants later, and those that depend on them
  /// or on a refused one.
  public internal(set) var left = 0
  /// The requests that the server refused during this push.
  public internal(set) var refused = 0
  /// How long to wait before the next push, where the server wants requests later: 1 s after the
  /// first such push, doubled with each that follows, 5 min at most. Nil if nothing waits for time.
  public internal(set) var retryAfter: Duration?
}

/// A change that a server refused.
public struct PushRefusal: Sendable {
  /// The request as it was refused.
  public let request: PushRequest
  /// The server's reason.
  public let reason: String
}

/// How many changes an ``Outbox`` holds.
public struct OutboxCounts: Sendable, Hashable {
  /// The changes that wait to be sent.
  public let waiting: Int
  /// The changes that the server refused.
  public let refused: Int
}
