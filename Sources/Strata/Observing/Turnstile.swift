/// Lets one caller through at a time, in the order in which they came.
package final class Turnstile: Sendable {
  private typealias Turn = Promise<Result<Void, StoreError>>

  private struct State {
    var isTaken = false
    var waiting: [Turn] = []
  }

  private let state = Lock(State())

  package init() {}

  /// The number of callers that wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Returns when no other caller is inside; the caller then has to call ``leave()``.
  ///
  /// - Throws: ``StoreError`` with code `cancelled` or `deadlineExceeded`. Then the caller is not
  ///   inside.
  package nonisolated(nonsending) func enter() async throws(StoreError) {
    let turn = Turn()
    let isFree = state.withLock { state in
      if state.isTaken { state.waiting.append(turn) }
      defer { state.isTaken = true }
      return !state.isTaken
    }
    if isFree { return }
    try await Submission(promise: turn) { self.withdraw(turn) }.value
  }

  package func leave() {
    let next = state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() as Turn? }
      state.isTaken = false
      return nil
    }
    next?.resolve(.success(()))
  }

  /// Withdraws a waiting caller; does nothing if its turn has come.
  private func withdraw(_ turn: Turn) {
    let isWaiting = state.withLock { state in
      let index = state.waiting.firstIndex { $0 === turn }
      if let index { state.waiting.remove(at: index) }
      return index != nil
    }
    if isWaiting { turn.resolve(.failure(.cancelled)) }
  }
}
