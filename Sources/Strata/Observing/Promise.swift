/// A result that is given once, and that several tasks may await.
package final class Promise<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case open([UnsafeContinuation<Result<Value, StoreError>, Never>])
    case resolved(Result<Value, StoreError>)
  }

  private let state = Lock<State>(.open([]))

  package init() {}

  /// Gives the result; all later calls are ignored.
  package func resolve(_ result: Result<Value, StoreError>) {
    let waiters = state.withLock { state in
      guard case .open(let waiters) = state else {
        return [UnsafeContinuation<Result<Value, StoreError>, Never>]()
      }
      state = .resolved(result)
      return waiters
    }
    for waiter in waiters { waiter.resume(returning: result) }
  }

  /// The result; waits until it is given.
  package nonisolated(nonsending) var value: Value {
    get async throws(StoreError) {
      let result = await withUnsafeContinuation { continuation in
        let ready: Result<Value, StoreError>? = state.withLock { state in
          switch state {
          case .resolved(let result): return result
          case .open(var waiters):
            waiters.append(continuation)
            state = .open(waiters)
            return nil
          }
        }
        if let ready { continuation.resume(returning: ready) }
      }
      return try result.get()
    }
  }
}
