/// A value that is given once, and that several tasks may await.
package final class Promise<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case open([DirectContinuation<Value>])
    case resolved(Value)
  }

  private let state = Lock<State>(.open([]))

  package init() {}

  /// Gives the value; all later calls are ignored.
  package func resolve(_ value: Value) {
    let waiters = state.withLock { state in
      guard case .open(let waiters) = state else { return [DirectContinuation<Value>]() }
      state = .resolved(value)
      return waiters
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }

  /// The value; waits until it is given, even if the task is cancelled.
  package nonisolated(nonsending) var value: Value {
    get async {
      await state.awaiting { state, waiter in
        switch state {
        case .resolved(let value): return value
        case .open(let waiters):
          state = .open(waiters + [waiter])
          return nil
        }
      }
    }
  }
}
