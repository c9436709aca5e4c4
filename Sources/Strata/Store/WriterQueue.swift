internal import StrataSQLite

/// Runs units of work on the writer's executor, in the order that ``WorkQueue`` says.
///
/// The shell around the queue: every unit that is added puts one ticket on the executor; a ticket
/// runs whichever unit is next by then.
final class WriterQueue: Sendable {
  /// What becomes of a unit.
  enum Order: Sendable {
    case run
    case refuse(StoreError)
  }

  typealias Unit = @Sendable (Order) -> Void

  private struct State: Sendable {
    var queue = WorkQueue<Unit>()
    var isClosed = false
    /// Units wait while this is set; the number tells one hold from the next.
    var hold: Int?
    var lastHold = 0
  }

  private let executor: StoreExecutor
  private let state = Lock(State())

  init(_ executor: StoreExecutor) { self.executor = executor }

  /// Adds a unit and returns at once; the unit may run before this returns.
  ///
  /// - Returns: how to withdraw it, as long as it has not started.
  func add(_ unit: @escaping Unit, _ lane: Lane, context: ContextID?) -> @Sendable () -> Void {
    let id = state.withLock { state in
      state.isClosed ? nil : state.queue.add(unit, lane: lane, context: context)
    }
    guard let id else {
      unit(.refuse(.closed))
      return {}
    }
    executor.async { self.runNext() }
    return { [weak self] in
      guard let self else { return }
      state.withLock { $0.queue.remove(id) }?(.refuse(.cancelled))
    }
  }

  private func runNext() {
    state.withLock { $0.hold == nil ? $0.queue.next() : nil }?(.run)
  }

  /// Lets units wait until ``endHold(_:)``, or until `patience` has passed.
  func hold(for patience: Duration) {
    let hold = state.withLock { state -> Int? in
      // What is queued has its last tickets; held up, it would find the connection closed.
      if state.isClosed { return nil }
      state.lastHold += 1
      state.hold = state.lastHold
      return state.lastHold
    }
    guard let hold else { return }
    executor.async(after: patience) { [weak self] in self?.endHold(hold) }
  }

  /// Lets units run again; with a number, only if it is that hold that lasts.
  func endHold(_ hold: Int? = nil) {
    let waiting = state.withLock { state in
      guard let current = state.hold, hold == nil || hold == current else { return 0 }
      state.hold = nil
      return state.queue.count
    }
    // The tickets of the units that wait are used up.
    for _ in 0..<waiting { executor.async { self.runNext() } }
  }

  /// Refuses new units; those that wait still run.
  ///
  /// - Returns: false if it was closed before.
  func close() -> Bool {
    let wasClosed = state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed
    }
    endHold()
    return !wasClosed
  }
}
