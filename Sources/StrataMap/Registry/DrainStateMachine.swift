/// When operations may be delivered.
///
///     idle ─wake→ scheduled ─begin→ applying ─finish→ idle or scheduled
///     scheduled ─begin, gate closed→ idle;  applying ─close→ idle
///     applying ─wake, open→ scheduled (the turn under way is over);  any ─detach→ detached
///
/// A turn is numbered. Whoever is called in the middle of one (the surface) and calls back ends it:
/// its number no longer matches, so nothing more is delivered by it, also if the gate was closed
/// and opened again meanwhile, or a run loop inside the call ran another turn.
package struct DrainStateMachine: Sendable {
  private enum State {
    /// Nothing is pending, or the gate is closed; no turn is coming.
    case idle
    /// A turn was asked for and has not begun; it looks at the gate when it does.
    case scheduled
    /// The turn of this number delivers.
    case applying(UInt64)
    /// Final: nothing is delivered any more.
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

  /// Operations may have become pending.
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

  /// There is one more reason not to deliver, or the same again.
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

  /// A reason not to deliver is gone, if it was there.
  package mutating func open(_ reason: GateReason, hasWork: Bool) -> Action {
    guard !isDetached else { return .none }
    gate.open(reason)
    return hasWork ? wake() : .none
  }

  /// A scheduled turn has come; answers its number, or nil if it is not to deliver.
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

  /// The turn delivers no more: its time is up, or nothing is pending.
  package mutating func finish(_ turn: UInt64, hasWork: Bool) -> Action {
    guard mayApply(turn) else { return .none }
    state = hasWork ? .scheduled : .idle
    return hasWork ? .schedule : .none
  }

  /// The end; answers whether it was not already.
  package mutating func detach() -> Bool {
    guard !isDetached else { return false }
    gate.clear()
    state = .detached
    return true
  }
}
