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

  /// What became of a new unit.
  private enum Entry: Sendable {
    /// The unit needs a ticket.
    case queued(Int)
    /// The unit gets its ticket at the resumption.
    case waiting(Int)
    case refused(StoreError)
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

    mutating func enter(
      _ unit: @escaping Unit, _ lane: Lane, context: ContextID?, waitsForResumption: Bool
    ) -> Entry {
      switch access {
      case .closed: return .refused(.closed)
      case .suspended where !waitsForResumption: return .refused(.suspended)
      case .suspended(var waiting):
        if lane == .urgent { interruption?.raise() }
        let id = waiting.add(unit, lane: lane, context: context)
        access = .suspended(waiting)
        return .waiting(id)
      case .open:
        if lane == .urgent { interruption?.raise() }
        return .queued(queue.add(unit, lane: lane, context: context))
      }
    }

    /// Ends the hold; with a number, only that hold.
    ///
    /// - Returns: the number of the units that need a ticket.
    mutating func endHold(_ number: Int?) -> Int {
      guard let hold, number == nil || number == hold else { return 0 }
      self.hold = nil
      return queue.count
    }

    /// Queues the units that were added during the suspension; all older units have run.
    ///
    /// - Returns: the number of the units that need a ticket.
    mutating func resume() -> Int {
      guard case .suspended(let waiting) = access else { return 0 }
      assert(queue.isEmpty, "resumed before what was queued has run")
      queue = waiting
      access = .open
      return waiting.count
    }

    /// Returns the units that wait for a resumption.
    mutating func close() -> [Unit] {
      defer { access = .closed }
      guard case .suspended(var waiting) = access else { return [] }
      return waiting.removeAll()
    }

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
  /// The units that ran on their callers' threads.
  let turns = TurnCounter()
  /// Held while units get their tickets, so that a suspension or a closing comes after all tickets.
  ///
  /// A ticket wakes the writer's thread, whose first need is the state. Under the lock of the state
  /// that thread would wait until its own wake has returned.
  private let ticketing = Lock(())

  init(_ executor: StoreExecutor) { self.executor = executor }

  /// Adds a unit and returns at once; the unit may run before this returns.
  ///
  /// - Returns: a closure that withdraws the unit, as long as it has not started.
  func add(
    _ unit: @escaping Unit, _ lane: Lane, context: ContextID?, waitsForResumption: Bool = true
  ) -> @Sendable () -> Void {
    let entry = ticketing.withLock { _ in
      let entry = state.withLock {
        $0.enter(unit, lane, context: context, waitsForResumption: waitsForResumption)
      }
      if case .queued = entry { addTickets(1) }
      return entry
    }
    let id: Int
    switch entry {
    case .queued(let number), .waiting(let number): id = number
    case .refused(let error):
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

  /// Enqueues tickets; called under the lock `ticketing`.
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
    ticketing.withLock { _ in
      // The waiting units have used up their tickets.
      addTickets(state.withLock { $0.endHold(hold) })
    }
  }

  /// Lets queued units run; units that are added later wait for ``resume()``.
  func suspend() {
    ticketing.withLock { _ in
      state.withLock { $0.access = .suspended(WorkQueue(after: $0.queue)) }
    }
    endHold()
  }

  /// Lets the units run that were added during the suspension; all older units have run.
  func resume() {
    ticketing.withLock { _ in addTickets(state.withLock { $0.resume() }) }
  }

  /// Refuses new units and the units that wait for a resumption; all other units still run.
  func close() {
    let refused = ticketing.withLock { _ in state.withLock { $0.close() } }
    for unit in refused { unit(.refuse(.closed)) }
    endHold()
  }
}
