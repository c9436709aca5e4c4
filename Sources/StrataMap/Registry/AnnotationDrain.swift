package import Strata

/// The part of a registry that is not generic: desires in, operations out, in turns of its own.
///
/// Desires only fill the queue. What is pending is delivered in a later turn of the main actor, in
/// slices: at least one operation, then as many as fit the budget. Before each operation the turn's
/// number, the gate, the deadline and the surface are looked at again, because the call before may
/// have changed any of them.
@MainActor package final class AnnotationDrain {
  /// Runs its argument in a later turn of the main actor.
  package typealias Later = @MainActor (_ turn: @escaping @MainActor () -> Void) -> Void

  private var queue = AnnotationQueue()
  private var machine = DrainStateMachine()
  private weak var surface: (any AnnotationSurface)?
  private let sliceBudget: Duration
  private let elapsed: @MainActor () -> Duration
  private let later: Later
  private let settling = Settling()
  private var isGateToldOpen = true
  private var watch = Watch.nobody

  /// Called once, when the drain is detached by whomever: nothing need be desired any more.
  package var onDetach: @MainActor () -> Void = {}
  /// Called when the gate has been opened or closed.
  package var onGateChange: @MainActor () -> Void = {}
  /// Called in a turn after one in which counters or what is pending have changed, if somebody has
  /// watched them since it was called last.
  package var onCount: @MainActor () -> Void = {}

  /// nobody ─watchCounts→ somebody ─didCount→ informing ─inform→ nobody
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
    // The registry before may have gone with its gate closed.
    surface.gateDidChange(isOpen: true)
  }

  package var annotations: [RecordKey: Annotation] { queue.shown }
  package var shownCount: Int { queue.shown.count }
  package var pendingCount: Int { queue.pendingCount }
  package var counters: AnnotationCounters { queue.counters }
  package var isGateOpen: Bool { machine.gate.isOpen }
  package var isDetached: Bool { machine.isDetached }

  /// Whether no operation can come before something else happens.
  package var isSettled: Bool { queue.isEmpty || !isGateOpen || isDetached }

  // MARK: Events

  /// The wanted state of one id has become `annotation`, nil meaning gone or withheld.
  package func desire(_ id: RecordKey, _ annotation: Annotation?) {
    guard isObserving() else { return }
    _ = queue.desire(id, annotation)
    wake()
    didCount()
  }

  /// So many annotations are about to be desired.
  package func reserve(_ count: Int) { queue.reserve(count) }

  /// So many changes were seen that touched nothing an annotation is made of.
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
    tellGate()
    settle()
  }

  package func open(_ reason: GateReason) {
    perform(machine.open(reason, hasWork: !queue.isEmpty))
    tellGate()
  }

  private func tellGate() {
    if isGateOpen == isGateToldOpen { return }
    isGateToldOpen = isGateOpen
    surface?.gateDidChange(isOpen: isGateOpen)
    onGateChange()
  }

  package func detach() {
    guard machine.detach() else { return }
    queue.dropPending()
    onDetach()
    onDetach = {}
    tellGate()
    didCount()
    settle()
  }

  /// Whether there is still a surface to show anything on; detaches when it is gone.
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
        // Weakly for each operation: the one before may have released the registry.
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
      settle()
      return nil
    }
    let now = elapsed()
    return Turn(number: number, start: now, deadline: now + sliceBudget)
  }

  /// Delivers one operation, if the turn may still; answers whether it did.
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
    settle()
  }

  // MARK: Watching

  /// Has ``onCount`` called once, after the next change.
  package func watchCounts() {
    if watch == .nobody { watch = .somebody }
  }

  /// While nobody watches, the cost of an operation is this comparison.
  private func didCount() {
    guard watch == .somebody else { return }
    watch = .informing
    // Behind a turn that delivers, if one was just asked for.
    later { [weak self] in self?.inform() }
  }

  private func inform() {
    watch = .nobody
    onCount()
  }

  // MARK: Waiting

  /// Waits until nothing is pending, the gate is closed, the drain is detached, or the task is
  /// cancelled.
  package func drain() async {
    while !isSettled && !Task.isCancelled { await settling.wait { !isSettled } }
  }

  private func settle() {
    if isSettled { settling.resumeAll() }
  }
}
