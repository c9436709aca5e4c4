internal import Strata

/// The connection of a replica to its server, and the waits between two connections.
///
/// ```
/// down ─connected→ up;  up ─lost→ down;  down ─rest→ resting;  resting ─rested→ down
/// any ─close→ closed
/// ```
struct ServerLine {
  enum State {
    /// The replica looks for the server.
    case down
    case up(Up)
    /// The server was not reached. The task ends when the replica tries again.
    case resting(Task<Void, Never>)
    case closed
  }

  /// An open connection.
  struct Up {
    let server: any ServerFollower
    /// The server's knowledge of the replica in the last pull over this connection; nil before the
    /// first.
    var known: Known?
  }

  struct Known {
    /// Nil if the server does not know the replica.
    let client: ServerClient?
  }

  /// The time that a server has to answer after the end.
  private static let lastPatience = Duration.milliseconds(1_500)

  private(set) var state = State.down

  var isClosed: Bool { if case .closed = state { true } else { false } }

  var isUp: Bool { if case .up = state { true } else { false } }

  /// The server's knowledge of the replica in the last pull over this connection.
  var known: Known? { if case .up(let up) = state { up.known } else { nil } }

  var missingConstraints: [MissingConstraint] {
    if case .up(let up) = state { up.server.missingConstraints } else { [] }
  }

  var isOfEarlierVersion: Bool {
    if case .up(let up) = state { up.server.isOfEarlierVersion } else { false }
  }

  mutating func connected(_ server: any ServerFollower) {
    if !isClosed { state = .up(Up(server: server)) }
  }

  mutating func lost() { if isUp { state = .down } }

  mutating func rest(_ task: Task<Void, Never>) { if case .down = state { state = .resting(task) } }

  mutating func rested() { if case .resting = state { state = .down } }

  /// Ends a wait for commits.
  func wake() { if case .up(let up) = state { up.server.wake() } }

  /// Ends a wait for commits, or for another attempt.
  func hurry() {
    switch state {
    case .up: wake()
    case .resting(let task): task.cancel()
    case .down, .closed: break
    }
  }

  /// Ends the connection, also if the server says nothing.
  mutating func close() {
    hurry()
    if case .up(let up) = state { up.server.end(within: Self.lastPatience) }
    state = .closed
  }

  /// Notes the server's knowledge of the replica in a pull.
  mutating func pulled(_ client: ServerClient?) {
    guard case .up(var up) = state else { return }
    up.known = Known(client: client)
    state = .up(up)
  }
}
