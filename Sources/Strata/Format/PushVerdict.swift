/// A server's verdict on a ``PushRequest``.
///
/// ```swift
/// try await stack.outbox().push { request in
///   guard let song = request.value(as: Song.self) else { return .refused("no song") }
///   try await server.create(song)
///   return .done
/// }
/// ```
public enum PushVerdict: Sendable, Hashable {
  /// The server has the change, and keeps the row under this key; nil if it keeps the row's own key.
  ///
  /// ``PushRequest/done(as:id:)`` makes the verdict for a server that gives keys.
  case done(key: RecordKey?)
  /// The server has not made the change and takes it later, as after 429 or 503; a later push sends
  /// the request again.
  ///
  /// `after` is the time that the server asks to wait, such as its `Retry-After`; nil if it asks for
  /// none. ``PushResult/retryAfter`` is at least as long. If the request may have reached the server,
  /// throw the error instead.
  case later(after: Duration?)
  /// The server has not made the change and never takes it as it is.
  ///
  /// The request is set aside with the server's reason until the row is edited, or
  /// ``Outbox/retry(_:)`` or ``Outbox/revert(_:)`` is called.
  case refused(String)

  /// The server has the change.
  ///
  /// A request whose answer was lost is sent again. So a deletion of a row that the server does not
  /// have (404 or 410) is done, and so is an insertion of a row that it has under the same key as it
  /// was sent (often 409). If a row is inserted again after a deletion whose answer was lost, the deletion
  /// is sent again before the insertion.
  public static var done: Self { .done(key: nil) }

  /// The server takes the change later and asks for no special time; see ``later(after:)``.
  public static var later: Self { .later(after: nil) }
}

/// The result of one ``Outbox/push(_:)``.
///
/// ```swift
/// let result = try await stack.outbox().push { _ in .later }
/// print(result.sent, result.left, result.refused)
/// ```
public struct PushResult: Sendable, Hashable, CustomStringConvertible {
  /// The number of requests that the server has done.
  public internal(set) var sent = 0
  /// The number of requests that still wait.
  ///
  /// The server has postponed them, or they depend on a postponed or a refused request.
  public internal(set) var left = 0
  /// The number of requests that the server refused during this push.
  public internal(set) var refused = 0
  /// The time to wait before the next push if the server postponed requests; nil otherwise.
  ///
  /// The time is 1 s after the first such push. It doubles with each further such push in a row, up
  /// to 5 min. If the server has asked for a longer time (``PushVerdict/later(after:)``), it is that
  /// time.
  public internal(set) var retryAfter: Duration?

  public var description: String {
    "\(sent) sent, \(left) left, \(refused) refused"
      + (retryAfter.map { ", next push in \($0)" } ?? "")
  }
}

/// A change that a server refused.
///
/// ```swift
/// let outbox = try await stack.outbox()
/// for refusal in try await outbox.refusals() {
///   print(refusal.request.entity, refusal.reason)
///   try await outbox.revert(refusal)
/// }
/// ```
public struct PushRefusal: Sendable {
  /// The refused request.
  public let request: PushRequest
  /// The server's reason.
  public let reason: String
  /// Whether the store has the server's row in the place of the edited row, or no row if the server has
  /// none.
  ///
  /// Another row of the server has a unique value of the edited row, or the edit breaks a rule of the schema
  /// over the server's row. Upsert the row with another value, or call ``Outbox/retry(_:)`` once the row can be
  /// stored.
  public let isSetAside: Bool
}

/// The numbers of the changes in an ``Outbox``.
///
/// ```swift
/// for await counts in try await stack.outbox().counts { print(counts.waiting, counts.refused) }
/// ```
public struct OutboxCounts: Sendable, Hashable {
  /// The number of changes that wait to be sent.
  public let waiting: Int
  /// The number of changes that the server refused.
  public let refused: Int
}
