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
    let connection: any ServerConnection
    var wakeUp = WakeUp()
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
  private var prunedAt: ContinuousClock.Instant?

  var isClosed: Bool { if case .closed = state { true } else { false } }

  var isUp: Bool { if case .up = state { true } else { false } }

  /// The server's knowledge of the replica in the last pull over this connection.
  var known: Known? { if case .up(let up) = state { up.known } else { nil } }

  var missingConstraints: [MissingConstraint] {
    if case .up(let up) = state { up.connection.missingConstraints } else { [] }
  }

  var wakeUp: WakeUp { if case .up(let up) = state { up.wakeUp } else { WakeUp() } }

  mutating func connected(_ connection: any ServerConnection) {
    if !isClosed { state = .up(Up(connection: connection)) }
  }

  mutating func lost() { if isUp { state = .down } }

  mutating func rest(_ task: Task<Void, Never>) { if case .down = state { state = .resting(task) } }

  mutating func rested() { if case .resting = state { state = .down } }

  /// Ends a sleep of the connection.
  func wake() { if case .up(let up) = state { up.connection.wake() } }

  /// Ends a sleep of the connection, or the wait for another attempt.
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
    if case .up(let up) = state { up.connection.end(within: Self.lastPatience) }
    state = .closed
  }

  // MARK: - An open connection

  /// Notes the head of a pull.
  mutating func pulled(_ client: ServerClient?) {
    update { $0.known = Known(client: client) }
  }

  /// Notes a push, and returns whether the connection slept for all replicas.
  mutating func pushes() -> Bool {
    let isArmed = wakeUp.isArmed
    update { $0.wakeUp.pushed() }
    return isArmed
  }

  mutating func slept() { update { $0.wakeUp.slept() } }

  mutating func pulled(found: Bool, othersWrite: Bool) -> WakeUp.Action {
    var action = WakeUp.Action.nothing
    update { action = $0.wakeUp.pulled(found: found, othersWrite: othersWrite) }
    return action
  }

  /// Returns whether the server's log is to be pruned, which is so once an hour.
  mutating func prunes(at now: ContinuousClock.Instant) -> Bool {
    if let prunedAt, now - prunedAt < .seconds(3_600) { return false }
    prunedAt = now
    return true
  }

  private mutating func update(_ body: (inout Up) -> Void) {
    guard case .up(var up) = state else { return }
    body(&up)
    state = .up(up)
  }
}
