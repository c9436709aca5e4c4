package import Foundation

/// The pushes of a replica, as its store knows them.
///
/// A push is one transaction of the server. Its number is one more than that of the push before, so
/// the server makes it once, however often it is sent. Its token tells it from a push that another
/// store sends under the same number, because the file of the store was copied or restored.
///
/// ```
/// idle ─begin→ sent;  sent ─server has it→ idle (confirmed);  sent ─server lacks it→ sent (again)
/// any ─server has another push→ idle (as a new client)
/// ```
package struct PushState: Sendable, Equatable, Codable {
  /// The server's knowledge of the last push.
  package enum Outcome: Sendable, Equatable {
    /// The server has the push, if there was one.
    case confirmed
    /// The server has every push before this one, but not this one.
    case waiting
    /// The server lacks pushes that it had: an older state of it was restored.
    case lost
    /// The server has a push that this store did not send. The file of the store is a copy, or was
    /// restored.
    case foreign
    /// The server does not know the replica.
    case unregistered
  }

  /// Identifies the replica on the server.
  package private(set) var client: UUID
  /// The number of the last push that the server confirmed.
  package private(set) var confirmed: Int64 = 0
  /// The push that waits for its confirmation.
  package private(set) var push: PushID?

  package init(client: UUID) { self.client = client }

  /// Begins the next push.
  ///
  /// - Precondition: no push waits for its confirmation.
  package mutating func begin(token: UUID) -> PushID {
    precondition(push == nil, "a push waits for its confirmation")
    let push = PushID(number: confirmed + 1, token: token)
    self.push = push
    return push
  }

  /// Returns the meaning of a server's knowledge of the replica for the push.
  package func outcome(_ server: ServerClient?) -> Outcome {
    guard let server else { return .unregistered }
    guard let push else {
      if server.lastPush == confirmed { return .confirmed }
      return server.lastPush < confirmed ? .lost : .foreign
    }
    if server.lastPush == push.number { return server.token == push.token ? .confirmed : .foreign }
    if server.lastPush > push.number { return .foreign }
    return server.lastPush == push.number - 1 ? .waiting : .lost
  }

  /// Notes a server's knowledge of the replica.
  ///
  /// - Parameter newClient: identifies the replica from here on, if another store uses its identity.
  package mutating func note(_ outcome: Outcome, _ server: ServerClient?, newClient: UUID) {
    switch outcome {
    case .waiting: return
    case .confirmed, .lost: confirmed = server?.lastPush ?? 0
    case .foreign: self = PushState(client: newClient)
    case .unregistered: self = PushState(client: client)
    }
    push = nil
  }

  /// Gives a push up that the server has not made, because nothing is left of it.
  package mutating func giveUp() { push = nil }
}
