/// Lets one merge turn at a time through to the view context.
///
/// The writer takes the gate for a step, and the maintainer takes it for the results of opened
/// queries. The view context opens it on the main actor as soon as it shows the turn, so no other
/// thread has to be woken for that.
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

  /// Closes the gate for good.
  func close() { state.withLock { $0 = .closed } }
}
