/// Lets one merge turn at a time through to the view context.
///
/// The writer takes the gate for a step, and the maintainer takes it for the results of opened
/// queries. After a quick turn the main actor opens it, so no other thread has to be woken for that.
/// After any other turn the maintainer does.
///
/// taken ─open→ open ─take→ taken;  any ─close→ closed
/// A taker that meets a taken gate is called when the gate opens.
final class MergeGate: Sendable {
  enum Taker { case writer, maintainer }

  private enum State: Sendable {
    case open
    case taken(Wanted)
    case closed
  }

  /// The closures of the takers that wait for the gate.
  private struct Wanted: Sendable {
    var writer: (@Sendable () -> Void)?
    var maintainer: (@Sendable () -> Void)?
  }

  /// The gate is taken until the view context can show turns.
  private let state = Lock(State.taken(Wanted()))

  var isOpen: Bool { state.withLock { if case .open = $0 { true } else { false } } }

  /// Takes the gate if it is open.
  ///
  /// - Parameter retry: called once when a gate that was taken opens; each taker has one such call.
  /// - Returns: whether the gate was taken for this call.
  func take(for taker: Taker, orCall retry: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      switch state {
      case .closed: return false
      case .open:
        state = .taken(Wanted())
        return true
      case .taken(var wanted):
        switch taker {
        case .writer: wanted.writer = retry
        case .maintainer: wanted.maintainer = retry
        }
        state = .taken(wanted)
        return false
      }
    }
  }

  /// Opens a taken gate, and calls those who wait for it.
  func open() {
    let wanted = state.withLock { state in
      guard case .taken(let wanted) = state else { return Wanted() }
      state = .open
      return wanted
    }
    wanted.writer?()
    wanted.maintainer?()
  }

  // MARK: Pauses

  /// Whether the writer pauses before the next step.
  private let isPausing = Lock(false)

  /// Notes that the writer pauses before the next step.
  func beginPause() { isPausing.withLock { $0 = true } }

  /// Notes that somebody waits for the next step.
  ///
  /// - Returns: whether the writer may be pausing, and has to be told.
  func endPause() -> Bool {
    isPausing.withLock { isPausing in
      defer { isPausing = false }
      return isPausing
    }
  }

  /// Closes the gate for good.
  func close() { state.withLock { $0 = .closed } }
}
