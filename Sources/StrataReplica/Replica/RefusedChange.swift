public import Strata

/// An edit that the server refused.
///
/// The edit stays in the store and blocks nothing but what depends on it. An edit of the row,
/// ``Replica/retry(_:)`` or ``Replica/revert(_:)`` ends the refusal.
///
/// ```swift
/// for change in try await replica.refused() {
///   print(change.request.entity, change.constraint ?? change.message)
///   try await replica.revert(change)
/// }
/// ```
public struct RefusedChange: Sendable {
  /// The entity, its key, the edited attributes and the values.
  public let request: PushRequest
  /// The server's code (SQLSTATE), such as `23505` for a value that another row has.
  public let sqlState: String
  /// The constraint of the server that the row violates; nil if there is none.
  public let constraint: String?
  /// The server's message.
  public let message: String
  let refusal: PushRefusal

  init(_ refusal: PushRefusal) {
    let reason = RefusalReason(text: refusal.reason)
    self.refusal = refusal
    request = refusal.request
    (sqlState, constraint, message) = (reason.sqlState, reason.constraint, reason.message)
  }
}

extension ReplicaError {
  init(_ change: RefusedChange) {
    self.init(
      .refused, "\(change.request.entity) \(change.request.key): \(change.message)",
      advice: "edit the row, or give the edit up with revert(_:)",
      sqlState: change.sqlState.isEmpty ? nil : change.sqlState)
    constraint = change.constraint
  }
}
