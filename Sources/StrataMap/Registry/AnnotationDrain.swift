package import Strata

/// The part of a registry that is not generic: turns desires into operations, in turns of its own.
///
/// A desire only fills the queue. A later turn of the main actor delivers the pending operations in
/// slices: at least one operation, then as many as fit into the budget. Before each operation the
/// turn checks its number, the gate, the deadline and the surface again, because the call before
/// may have changed any of them.
@MainActor package final class AnnotationDrain {
  /// Runs its argument in a later turn of the main actor.
  package typealias Later = @MainActor (_ turn: @escaping @MainActor () -> Void) -> Void

  private var queue = AnnotationQueue()
  private var machine = DrainStateMachine()
  private weak var surface: (any AnnotationSurface)?
  private let sliceBudget: Duration
  private let elapsed: @MainActor () -> Duration
  private let later: Later
  private let waiters = Waiters()
  private var isGateToldOpen = true
  private var watch = Watch.nobody

  private var handlers = Handlers()

  private struct Handlers {
    var didDetach: @MainActor () -> Void = {}
    var didChangeGate: @MainActor () -> Void = {}
    var didChangeCounts: @MainActor () -> Void = {}
  }

  /// Whether a reader waits for a change of the counts.
  ///
  ///     nobody ─watchCounts→ somebody ─didCount→ informing ─inform→ nobody
  private enum Watch { case nobody, somebody, informing }

  package init(
    on surface: any AnnotationSurface, sliceBudget: Duration = .milliseconds(4),
    clock: some Clock<Duration> = ContinuousClock(),
    later: @escaping Later = { turn in Task { turn() } }
  ) {
    precondition(sliceBudget >= .zero, "a slice cannot take less than no time")
    self.surface = surface
    self.sliceBudget = sliceBudget
    self.later = later
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    // An earlier registry of the surface may have been released while its gate was closed.
    surface.gateDidChange(isOpen: true)
  }

  /// Sets the closure that is called once, when the drain is detached for any reason.
  ///
  /// Desires have no effect after that.
  package func onDetach(_ body: @escaping @MainActor () -> Void) { handlers.didDetach = body }

  /// Sets the closure that is called when the gate has opened or closed.
  package func onGateChange(_ body: @escaping @MainActor () -> Void) {
    handlers.didChangeGate = body
  }

  /// Sets the closure that is called in a turn after a change of the counters or of the pending
  /// operations, if ``watchCounts()`` was called since the last call.
  package func onCount(_ body: @escaping @MainActor () -> Void) { handlers.didChangeCounts = body }

  package var annotations: [RecordKey: SurfaceAnnotation] { queue.shown }
  package var shownCount: Int { queue.shown.count }
  package var pendingCount: Int { queue.pendingCount }
  package var counters: AnnotationCounters { queue.counters }
  package var isGateOpen: Bool { machine.gate.isOpen }
  package var isDetached: Bool { machine.isDetached }

  /// Whether no operation is delivered before another event.
  package var isSettled: Bool { queue.isEmpty || !isGateOpen || isDetached }

  // MARK: Events

  /// Sets the wanted annotation of one id; nil if it is gone or withheld.
  package func desire(_ id: RecordKey, _ annotation: SurfaceAnnotation?) {
    guard isObserving() else { return }
    _ = queue.desire(id, annotation)
    wake()
    didCount()
  }

  /// Reserves memory for a number of annotations that are about to be desired.
  package func reserve(_ count: Int) { queue.reserve(count) }

  /// Counts changes that touched no attribute of the mapping.
  package func suppress(_ count: Int = 1) {
    guard isObserving() else { return }
    queue.suppress(count)
    wake()
    didCount()
  }

  package func regionChanged(_ isOnScreen: (@Sendable (Coordinate) -> Bool)?) {
    queue.regionChanged(isOnScreen)
    wake()
  }

  package func close(_ reason: GateReason) {
    machine.close(reason)
    reportGate()
    resumeIfSettled()
  }

  package func open(_ reason: GateReason) {
    perform(machine.open(reason, hasWork: !queue.isEmpty))
    reportGate()
  }

  private func reportGate() {
    if isGateOpen == isGateToldOpen { return }
    isGateToldOpen = isGateOpen
    surface?.gateDidChange(isOpen: isGateOpen)
    handlers.didChangeGate()
  }

  package func detach() {
    guard machine.detach() else { return }
    queue.dropPending()
    handlers.didDetach()
    handlers.didDetach = {}
    reportGate()
    didCount()
    resumeIfSettled()
  }

  /// Returns whether there is still a surface; detaches the drain if the surface was released.
  package func isObserving() -> Bool {
    if surface == nil { detach() }
    return !isDetached
  }

  // MARK: Turns

  private func wake() {
    if !queue.isEmpty { perform(machine.wake()) }
  }

  private func perform(_ action: DrainStateMachine.Action) {
    switch action {
    case .none: break
    case .schedule:
      later { [weak self] in
        guard let turn = self?.beginTurn() else { return }
        // The reference is weak for each operation, because the operation before may have released
        // the registry.
        var isFirst = true
        while self?.deliver(turn, isFirst: isFirst) == true { isFirst = false }
        self?.finish(turn, isIdle: isFirst)
      }
    }
  }

  private struct Turn {
    let number: UInt64
    let start: Duration
    let deadline: Duration
  }

  private func beginTurn() -> Turn? {
    guard let number = machine.begin() else {
      resumeIfSettled()
      return nil
    }
    let now = elapsed()
    return Turn(number: number, start: now, deadline: now + sliceBudget)
  }

  /// Delivers one operation if the turn still may, and returns whether it did.
  private func deliver(_ turn: Turn, isFirst: Bool) -> Bool {
    guard machine.mayApply(turn.number) else { return false }
    guard let surface else {
      detach()
      return false
    }
    guard isFirst || elapsed() < turn.deadline, let operation = queue.next() else { return false }
    surface.apply(operation)
    return true
  }

  private func finish(_ turn: Turn, isIdle: Bool) {
    if !isIdle { queue.sliceEnded(after: elapsed() - turn.start) }
    didCount()
    perform(machine.finish(turn.number, hasWork: !queue.isEmpty))
    resumeIfSettled()
  }

  // MARK: Watching

  /// Asks for one call of the closure of ``onCount(_:)`` after the next change.
  package func watchCounts() {
    if watch == .nobody { watch = .somebody }
  }

  /// Schedules a call of the closure of ``onCount(_:)``. Without a watcher, an operation costs only this comparison.
  private func didCount() {
    guard watch == .somebody else { return }
    watch = .informing
    // If a delivering turn was just scheduled, this turn comes after it.
    later { [weak self] in self?.inform() }
  }

  private func inform() {
    watch = .nobody
    handlers.didChangeCounts()
  }

  // MARK: Waiting

  /// Waits until no operation is pending, the gate is closed, the drain is detached, or the task is
  /// cancelled.
  package func drain() async {
    await waiters.waitUntilCancelled { !isSettled }
  }

  private func resumeIfSettled() {
    if isSettled { waiters.resumeAll() }
  }
}
