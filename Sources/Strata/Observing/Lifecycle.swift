/// Whether a store's file is open, and who may change that next.
///
/// open ─suspend→ suspending ─finished→ suspended;  suspended ─resume→ resuming ─finished→ open
/// resuming ─failed→ suspended;  open, suspended ─close→ closing ─finished→ closed
///
/// A call that comes during a transition waits; when it is over, those that wait go on in the order
/// in which they came, each from the state that the one before it left.
struct Lifecycle: Sendable {
  enum State: Sendable, Equatable {
    /// The file is open, work runs.
    case open
    /// Queued work runs to its end, fetches are stopped, connections are closed.
    case suspending
    /// No connection is open; new work waits.
    case suspended
    /// A connection is being opened.
    case resuming
    /// As suspending, but new work is refused.
    case closing
    /// For good.
    case closed
  }

  enum Call: Sendable { case suspend, resume, close }

  /// What a caller does.
  enum Action: Sendable, Equatable {
    /// Makes the transition, then says so by ``finish(_:)``.
    case begin
    /// Returns: things are as it wants them.
    case nothing
    /// Throws `closed`.
    case refuse
  }

  typealias Caller = UnsafeContinuation<Action, Never>

  private(set) var state = State.open
  private var waiting: [(call: Call, caller: Caller)] = []

  /// What the caller does; nil if it waits.
  mutating func ask(_ call: Call, _ caller: @autoclosure () -> Caller) -> Action? {
    if let action = answer(call) { return action }
    waiting.append((call, caller()))
    return nil
  }

  /// Ends the transition, and says who goes on and how.
  mutating func finish(_ isDone: Bool) -> [(caller: Caller, action: Action)] {
    switch state {
    case .suspending: state = .suspended
    case .resuming: state = isDone ? .open : .suspended
    case .closing: state = .closed
    case .open, .suspended, .closed: fatalError("a transition ended in the state \(state)")
    }
    var answers: [(caller: Caller, action: Action)] = []
    while let next = waiting.first, let action = answer(next.call) {
      answers.append((next.caller, action))
      waiting.removeFirst()
    }
    return answers
  }

  private mutating func answer(_ call: Call) -> Action? {
    switch (state, call) {
    case (.suspending, _), (.resuming, _), (.closing, _): return nil
    case (.open, .suspend): state = .suspending
    case (.suspended, .resume): state = .resuming
    case (.open, .close), (.suspended, .close): state = .closing
    case (.open, .resume), (.suspended, .suspend): return .nothing
    case (.closed, .suspend), (.closed, .close): return .nothing
    case (.closed, .resume): return .refuse
    }
    return .begin
  }
}
