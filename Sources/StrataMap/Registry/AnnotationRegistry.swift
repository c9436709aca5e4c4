public import Strata

/// Keeps the annotations of a map equal to a live query.
///
///     let registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: mapView)
///
/// Every change of the query that touches an attribute of the mapping becomes the fewest operations
/// that show it; a change that touches none becomes none. Operations wait in a queue with at most
/// one entry per id, and are delivered one by one in turns of their own: never inside a change of
/// the query, never inside a call to ``open(_:)``, and not while a reason keeps the gate closed.
/// Deletes go first, then updates on screen, then insertions, then what is off screen.
///
/// The registry keeps the query alive until it is detached or released, and the surface not at all:
/// a surface that goes away ends the registry as ``detach()`` does. An element without a valid
/// coordinate is withheld until it has one.
///
/// A large queue is delivered in slices, so that the main actor stays free for others in between; a
/// slice delivers at least one operation and ends at the first after its budget.
@MainActor public final class AnnotationRegistry<E: Entity> {
  private let core: AnnotationDrain
  private let mapping: AnnotationMapping<E>
  private var live: LiveQuery<E>?
  private var observation: LiveObservation?

  /// Starts showing the elements of a live query on a surface.
  ///
  /// - Parameters:
  ///   - live: The elements; those it has already are added in a later turn.
  ///   - mapping: Which attributes make an annotation.
  ///   - surface: Where to show them, held weakly. Only one registry should use it.
  ///   - sliceBudget: How long the main actor may be occupied at a time; not negative.
  ///   - clock: What the budget is measured with.
  public init(
    _ live: LiveQuery<E>, mapping: AnnotationMapping<E>, on surface: any AnnotationSurface,
    sliceBudget: Duration = .milliseconds(4), clock: some Clock<Duration> = ContinuousClock()
  ) {
    core = AnnotationDrain(on: surface, sliceBudget: sliceBudget, clock: clock)
    self.mapping = mapping
    self.live = live
    core.onDetach = { [weak self] in self?.stopObserving() }
    let attributes = live.attributes(mapping.keyPaths.map { $0 })
    observation = live.observeKeys { [weak self] changes in
      self?.merge(changes, attributes)
    }
  }

  // MARK: What is shown

  /// What the surface shows, by id; after the end, what it was left showing.
  ///
  /// Complexity: O(1); the dictionary is shared until the next operation, which then copies it once.
  public var annotations: [RecordKey: Annotation] { core.annotations }

  /// How many annotations the surface shows.
  public var shownCount: Int { core.shownCount }

  /// How many ids wait for an operation, never more than there are distinct ids.
  public var pendingOperationCount: Int { core.pendingCount }

  /// What the registry has done so far.
  public var counters: AnnotationCounters { core.counters }

  // MARK: When to deliver

  /// Whether there is no reason to hold operations back.
  public var isGateOpen: Bool { core.isGateOpen }

  /// Delivers nothing until the reason is opened again; at once, also from inside an operation.
  ///
  /// Closing twice for one reason is closing once. After the end it does nothing.
  public func close(_ reason: GateReason) { core.close(reason) }

  /// Takes a reason back; when it was the last, what is pending is delivered in a later turn.
  public func open(_ reason: GateReason) { core.open(reason) }

  /// Tells which coordinates are on screen, so that those are served first; nil means all are.
  ///
  /// It orders what is pending and hides nothing. The closure is called when an operation is queued
  /// and when this method is called, and must answer the same for the same coordinate in between.
  ///
  /// Complexity: O(n log n), n being the pending ids.
  public func prioritize(_ isOnScreen: (@Sendable (Coordinate) -> Bool)?) {
    core.regionChanged(isOnScreen)
  }

  /// Waits until nothing is pending, the gate is closed, the registry has ended, or the task is
  /// cancelled.
  ///
  /// Changes that reach the live query while it waits are waited for too.
  public func drain() async {
    // The elements that the query had from the start may arrive in a turn already asked for.
    await Task.yield()
    await core.drain()
  }

  // MARK: The end

  /// Ends the registry: after this call returns the surface is never called again.
  ///
  /// It may be called from inside an operation, and more than once. What is shown stays shown; what
  /// was pending is dropped; the reasons of the gate are forgotten.
  public func detach() { core.detach() }

  private func stopObserving() {
    observation?.cancel()
    observation = nil
    live = nil
  }

  private func merge(_ changes: [KeyedChange<E>], _ attributes: AttributeSet) {
    for change in changes {
      if change.changes(attributes) {
        let id = change.key
        core.desire(id, change.after.flatMap { mapping.annotation(for: $0, id: id) })
      } else {
        core.suppress()
      }
    }
  }
}
