internal import StrataSQLite

/// Runs units of work on the writer's executor, in the order of ``WorkQueue``.
///
/// The shell around the queue: every added unit puts one ticket on the executor. When a ticket's
/// turn comes, it runs the unit that is next at that time.
final class WriterQueue: Sendable {
  /// The order that a unit receives.
  enum Order: Sendable {
    case run
    case refuse(StoreError)
  }

  typealias Unit = @Sendable (Order) -> Void

  /// Whether units are accepted; ``Lifecycle`` decides.
  private enum Access: Sendable {
    case open
    /// New units wait here for a resumption.
    case suspended(WorkQueue<Unit>)
    /// The queue is closed for good; units that were queued before still run.
    case closed

    var isOpen: Bool { if case .open = self { true } else { false } }
  }

  private struct State: Sendable {
    var queue = WorkQueue<Unit>()
    var access = Access.open
    /// The number of the current hold, during which units wait; nil without a hold.
    var hold: Int?
    var lastHold = 0
    /// The flag that is raised when an urgent unit is added.
    var interruption: CancellationFlag?

    /// Whether a new unit would run next.
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
  /// - Returns: a closure that withdraws the unit, as long as it has not started.
  func add(
    _ unit: @escaping Unit, _ lane: Lane, context: ContextID?, waitsForResumption: Bool = true
  ) -> @Sendable () -> Void {
    let added: Result<Int, StoreError> = state.withLock { state in
      switch state.access {
      case .closed: return .failure(.closed)
      case .suspended where !waitsForResumption: return .failure(.suspended)
      case .suspended(var waiting):
        if lane == .urgent { state.interruption?.raise() }
        // The unit gets its ticket at the resumption.
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

  /// Runs a unit at once on the calling thread; nil if the unit has to wait.
  ///
  /// The unit itself returns nil if it finds that it has to wait.
  func runIfIdle<R>(_ unit: () -> R?) -> R? {
    // The check runs on the executor, where no added unit can overtake this unit.
    executor.runIfIdle { state.withLock { $0.isAtRest } ? unit() : nil } ?? nil
  }

  /// Enqueues tickets.
  ///
  /// Call this under the lock, so that a suspension or a closing comes after all tickets.
  private func addTickets(_ count: Int) {
    for _ in 0..<count { executor.async { self.runNext() } }
  }

  private func runNext() {
    state.withLock { $0.hold == nil ? $0.queue.next() : nil }?(.run)
  }

  /// Runs `body` with a flag that is raised as soon as an urgent unit waits.
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

  /// Whether an urgent unit waits.
  var hasUrgentWork: Bool { state.withLock { $0.queue.hasWork(in: .urgent) } }

  /// Whether units wait for the end of a hold.
  var isHeld: Bool { state.withLock { $0.hold != nil } }

  /// Whether a unit is about to run.
  var hasWork: Bool { state.withLock { $0.hold == nil && !$0.queue.isEmpty } }

  /// Makes units wait until ``endHold(_:)``, or until `patience` has passed.
  func hold(for patience: Duration) {
    let hold = state.withLock { state -> Int? in
      // After a suspension or a closing, the queued units have their last tickets. A hold would use
      // these up, and the units would find the connection closed.
      guard state.access.isOpen else { return nil }
      state.lastHold += 1
      state.hold = state.lastHold
      return state.lastHold
    }
    guard let hold else { return }
    executor.async(after: patience) { [weak self] in self?.endHold(hold) }
  }

  /// Ends the hold; with a number, only if that hold still lasts.
  func endHold(_ hold: Int? = nil) {
    state.withLock { state in
      guard let current = state.hold, hold == nil || hold == current else { return }
      state.hold = nil
      // The waiting units have used up their tickets.
      addTickets(state.queue.count)
    }
  }

  /// Lets queued units run; units that are added later wait for ``resume()``.
  func suspend() {
    state.withLock { $0.access = .suspended(WorkQueue(after: $0.queue)) }
    endHold()
  }

  /// Lets the units run that were added during the suspension; all older units have run.
  func resume() {
    state.withLock { state in
      guard case .suspended(let waiting) = state.access else { return }
      assert(state.queue.isEmpty, "resumed before what was queued has run")
      state.queue = waiting
      state.access = .open
      addTickets(waiting.count)
    }
  }

  /// Refuses new units and the units that wait for a resumption; all other units still run.
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
