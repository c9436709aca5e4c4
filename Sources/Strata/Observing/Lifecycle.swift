/// The state of a store's file, open or not, and the calls that wait to change it.
///
/// open ─suspend→ suspending ─finished→ suspended;  suspended ─resume→ resuming ─finished→ open
/// resuming ─failed→ suspended;  open, suspended ─close→ closing ─finished→ closed
///
/// A call during a transition waits. After the transition, the waiting calls continue in the order
/// in which they came. Each call starts from the state that the call before it left.
struct Lifecycle: Sendable {
  enum State: Sendable, Equatable {
    /// The file is open, and work runs.
    case open
    /// Queued work runs to its end, fetches are stopped, and connections are closed.
    case suspending
    /// No connection is open; new work waits.
    case suspended
    /// A connection is being opened.
    case resuming
    /// Like `suspending`, but new work is refused.
    case closing
    /// The file is closed for good.
    case closed
  }

  enum Call: Sendable { case suspend, resume, close }

  /// The next step of a caller.
  enum Action: Sendable, Equatable {
    /// The caller makes the transition, then reports its end with ``finish(_:)``.
    case begin
    /// The caller returns, because the state is already as wanted.
    case nothing
    /// The caller throws `closed`.
    case refuse
  }

  typealias Caller = DirectContinuation<Action>

  private(set) var state = State.open
  private var waiting: [(call: Call, caller: Caller)] = []

  /// Returns the next step of the caller; nil if the caller waits.
  mutating func ask(_ call: Call, _ caller: @autoclosure () -> Caller) -> Action? {
    if let action = answer(call) { return action }
    waiting.append((call, caller()))
    return nil
  }

  /// Ends the transition, and returns the callers that continue with their next steps.
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
