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

  /// Whether units are taken; ``Lifecycle`` decides.
  private enum Access: Sendable {
    case open
    /// What is added waits here for a resumption.
    case suspended(WorkQueue<Unit>)
    /// For good; what was queued before still runs.
    case closed

    var isOpen: Bool { if case .open = self { true } else { false } }
  }

  private struct State: Sendable {
    var queue = WorkQueue<Unit>()
    var access = Access.open
    /// Units wait while this is set; the number tells one hold from the next.
    var hold: Int?
    var lastHold = 0
    /// Raised when an urgent unit is added.
    var interruption: CancellationFlag?

    /// Whether a unit that is added now would run next.
    var isAtRest: Bool { access.isOpen && hold == nil && queue.isEmpty }

    /// Withdraws a unit that has not started.
    mutating func remove(_ id: Int) -> Unit? {
      if case .suspended(var waiting) = access, let unit = waiting.remove(id) {
        access = .suspended(waiting)
        return unit
      }
      return queue.remove(id)
    }
  }

  private let executor: StoreExecutor
  private let state = Lock(State())

  init(_ executor: StoreExecutor) { self.executor = executor }

  /// Adds a unit and returns at once; the unit may run before this returns.
  ///
  /// - Returns: how to withdraw it, as long as it has not started.
  func add(
    _ unit: @escaping Unit, _ lane: Lane, context: ContextID?, waitsForResumption: Bool = true
  ) -> @Sendable () -> Void {
    let added: Result<Int, StoreError> = state.withLock { state in
      switch state.access {
      case .closed: return .failure(.closed)
      case .suspended where !waitsForResumption: return .failure(.suspended)
      case .suspended(var waiting):
        if lane == .urgent { state.interruption?.raise() }
        // The unit gets its ticket with the resumption.
        let id = waiting.add(unit, lane: lane, context: context)
        state.access = .suspended(waiting)
        return .success(id)
      case .open:
        if lane == .urgent { state.interruption?.raise() }
        addTickets(1)
        return .success(state.queue.add(unit, lane: lane, context: context))
      }
    }
    let id: Int
    switch added {
    case .success(let number): id = number
    case .failure(let error):
      unit(.refuse(error))
      return {}
    }
    return { [weak self] in
      guard let self else { return }
      let unit = state.withLock { $0.remove(id) }
      unit?(.refuse(.cancelled))
    }
  }

  /// Runs a unit on the calling thread and at once; nil if it would have to wait, or finds that it
  /// has to.
  func runIfIdle<R>(_ unit: () -> R?) -> R? {
    // Looked at where nothing that is added can overtake the unit.
    executor.runIfIdle { state.withLock { $0.isAtRest } ? unit() : nil } ?? nil
  }

  /// Has units run; under the lock, so that whoever suspends or closes the queue is behind
  /// all its tickets.
  private func addTickets(_ count: Int) {
    for _ in 0..<count { executor.async { self.runNext() } }
  }

  private func runNext() {
    state.withLock { $0.hold == nil ? $0.queue.next() : nil }?(.run)
  }

  /// Lends a flag that is raised as soon as an urgent unit waits.
  func untilUrgent<R, E: Error>(_ body: (CancellationFlag) throws(E) -> R) throws(E) -> R {
    let flag = CancellationFlag()
    state.withLock { state in
      if state.queue.hasWork(in: .urgent) { flag.raise() }
      state.interruption = flag
    }
    defer { state.withLock { $0.interruption = nil } }
    return try body(flag)
  }

  /// The number of units that wait.
  var count: Int { state.withLock { $0.queue.count } }

  /// Whether units wait for the end of a hold.
  var isHeld: Bool { state.withLock { $0.hold != nil } }

  /// Whether a unit is about to run.
  var hasWork: Bool { state.withLock { $0.hold == nil && !$0.queue.isEmpty } }

  /// Lets units wait until ``endHold(_:)``, or until `patience` has passed.
  func hold(for patience: Duration) {
    let hold = state.withLock { state -> Int? in
      // What is queued has its last tickets; held up, it would find the connection closed.
      guard state.access.isOpen else { return nil }
      state.lastHold += 1
      state.hold = state.lastHold
      return state.lastHold
    }
    guard let hold else { return }
    executor.async(after: patience) { [weak self] in self?.endHold(hold) }
  }

  /// Lets units run again; with a number, only if it is that hold that lasts.
  func endHold(_ hold: Int? = nil) {
    state.withLock { state in
      guard let current = state.hold, hold == nil || hold == current else { return }
      state.hold = nil
      // The tickets of the units that wait are used up.
      addTickets(state.queue.count)
    }
  }

  /// Lets what is queued run; what is added from now on waits for ``resume()``.
  func suspend() {
    state.withLock { $0.access = .suspended(WorkQueue(after: $0.queue)) }
    endHold()
  }

  /// Lets what was added during the suspension run; everything older has run.
  func resume() {
    state.withLock { state in
      guard case .suspended(let waiting) = state.access else { return }
      assert(state.queue.isEmpty, "resumed before what was queued has run")
      state.queue = waiting
      state.access = .open
      addTickets(waiting.count)
    }
  }

  /// Refuses new units and those that wait for a resumption; all others still run.
  func close() {
    let refused = state.withLock { state in
      defer { state.access = .closed }
      guard case .suspended(var waiting) = state.access else { return [Unit]() }
      return waiting.removeAll()
    }
    for unit in refused { unit(.refuse(.closed)) }
    endHold()
  }
}
