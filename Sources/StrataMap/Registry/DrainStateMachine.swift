/// The states of a drain, which decide when operations may be delivered.
///
///     idle ─wake→ scheduled ─begin→ applying ─finish→ idle or scheduled
///     scheduled ─begin, gate closed→ idle;  applying ─close→ idle
///     applying ─wake, open→ scheduled (the present turn ends);  any ─detach→ detached
///
/// A turn is numbered. If the surface, which is called in the middle of a turn, calls back, the
/// turn ends: its number no longer matches, so the turn delivers nothing more. This holds even if
/// the gate was closed and opened again meanwhile, or if a run loop inside the call ran another
/// turn.
package struct DrainStateMachine: Sendable {
  private enum State {
    /// No operation is pending, or the gate is closed. No turn is scheduled.
    case idle
    /// A turn was requested and has not begun. It checks the gate when it begins.
    case scheduled
    /// The turn with this number delivers.
    case applying(UInt64)
    /// Final: nothing more is delivered.
    case detached
  }

  package enum Action: Sendable, Hashable {
    case none
    /// Call `begin` in a later turn of the main actor.
    case schedule
  }

  package private(set) var gate = Gate()
  private var state = State.idle
  private var turns: UInt64 = 0

  package init() {}

  package var isDetached: Bool {
    if case .detached = state { true } else { false }
  }

  /// Schedules a turn if operations may have become pending.
  package mutating func wake() -> Action {
    switch state {
    case .scheduled, .detached:
      return .none
    case .idle where !gate.isOpen:
      return .none
    case .idle, .applying:
      state = .scheduled
      return .schedule
    }
  }

  /// Adds a reason to hold operations back; has no effect if the reason is there already.
  package mutating func close(_ reason: GateReason) {
    switch state {
    case .detached:
      break
    case .idle, .scheduled:
      gate.close(reason)
    case .applying:
      gate.close(reason)
      state = .idle
    }
  }

  /// Removes a reason to hold operations back, if it is there.
  package mutating func open(_ reason: GateReason, hasWork: Bool) -> Action {
    guard !isDetached else { return .none }
    gate.open(reason)
    return hasWork ? wake() : .none
  }

  /// Begins a scheduled turn, and returns its number, or nil if the turn must not deliver.
  package mutating func begin() -> UInt64? {
    switch state {
    case .idle, .applying, .detached:
      return nil
    case .scheduled where !gate.isOpen:
      state = .idle
      return nil
    case .scheduled:
      turns += 1
      state = .applying(turns)
      return turns
    }
  }

  /// Whether the turn may deliver one more operation.
  package func mayApply(_ turn: UInt64) -> Bool {
    switch state {
    case .applying(let current): current == turn && gate.isOpen
    case .idle, .scheduled, .detached: false
    }
  }

  /// Ends a turn whose time is up or that has nothing left to deliver.
  package mutating func finish(_ turn: UInt64, hasWork: Bool) -> Action {
    guard mayApply(turn) else { return .none }
    state = hasWork ? .scheduled : .idle
    return hasWork ? .schedule : .none
  }

  /// Ends the machine, and returns whether it had not ended before.
  package mutating func detach() -> Bool {
    guard !isDetached else { return false }
    gate.clear()
    state = .detached
    return true
  }
}
