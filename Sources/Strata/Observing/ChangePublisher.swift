/// Publishes change sets to any number of subscribers through one shared log.
///
/// The shell around ``ChangeBroadcast``: it locks, asks, unlocks, and only then resumes.
final class ChangePublisher: Sendable {
  private let state: Lock<ChangeBroadcast>
  /// Whether change sets are composed on a thread other than the publishing thread.
  private let composesElsewhere: Bool

  /// - Parameter composesElsewhere: whether change sets are composed on another thread. The main
  ///   actor needs this, because composing unread sets must not hold it up.
  init(_ bounds: StoreBounds = StoreBounds(), composesElsewhere: Bool = false) {
    state = Lock(ChangeBroadcast(log: ChangeLog(runLimit: bounds.unread)))
    self.composesElsewhere = composesElsewhere
  }

  // MARK: Publishing

  func publish(_ changes: ChangeSet) {
    let (waiters, runs) = state.withLock { state in
      let waiters = state.publish(changes)
      return (waiters, state.log.isLong ? state.log.takeRuns() : [])
    }
    for waiter in waiters { waiter.resume() }
    if runs.isEmpty { return }
    if composesElsewhere {
      // The composition outlives the caller, so the caller's deadline does not apply to it.
      StoreDeadline.withNone { _ = Task.detached { self.composeAll(runs) } }
    } else {
      let composed = runs.map { $0.composed() }
      state.withLock { $0.log.putBack(composed) }
    }
  }

  /// Composes the given runs, then the runs that publishing added meanwhile, until there are none.
  private func composeAll(_ first: [ChangeLog.Run]) {
    var runs = first
    while !runs.isEmpty {
      let composed = runs.map { $0.composed() }
      runs = state.withLock { $0.log.exchange(composed) }
    }
  }

  /// Ends every subscription once its unread sets are read.
  func finish() {
    for waiter in state.withLock({ $0.finish() }) { waiter.resume() }
  }

  // MARK: Cursors

  func addCursor() -> ChangeLog.Cursor { state.withLock { $0.log.addCursor() } }
  func hasUnread(_ cursor: ChangeLog.Cursor) -> Bool { state.withLock { $0.log.hasUnread(cursor) } }

  func read(_ cursor: inout ChangeLog.Cursor) -> [ChangeSet] {
    let (sets, moved) = state.withLock { [cursor] state in
      var cursor = cursor
      let sets = state.log.read(&cursor)
      return (sets, cursor)
    }
    cursor = moved
    return sets
  }

  // MARK: Subscribing

  /// Starts a subscription to every table, or to one table.
  func subscribe(to table: TableID?) -> ChangeSubscription {
    ChangeSubscription(id: state.withLock { $0.subscribe(to: table) }, publisher: self)
  }

  func unsubscribe(_ id: Int) { state.withLock { $0.unsubscribe(id) }?.resume() }

  /// Returns the subscriber's unread changes as one change set; nil at the end.
  ///
  /// Waits until there are changes. Composing happens on the subscriber's executor. Changes that
  /// are ready cost no hop.
  func next(_ id: Int, isolation: isolated (any Actor)?) async -> ChangeSet? {
    while true {
      switch state.withLock({ $0.next(id) }) {
      case .end: return nil
      case .deliver(let sets):
        if let composed = ChangeSet.composed(sets), !composed.isEmpty { return composed }
      case .wait:
        await withTaskCancellationHandler {
          await state.awaiting(isolation: isolation) { $0.park(id, $1) ? nil : () }
        } onCancel: {
          unsubscribe(id)
        }
      }
    }
  }

  /// The number of open subscriptions, and of unread change sets in the log.
  var load: (subscriptions: Int, unread: Int) {
    state.withLock { ($0.subscriptionCount, $0.log.count) }
  }

  /// The backlog of each subscriber.
  var backlogs: [ChangeBroadcast.Backlog] { state.withLock { $0.backlogs } }
}

/// A subscription to a publisher; releasing its last reference unsubscribes.
final class ChangeSubscription: Sendable {
  let id: Int
  let publisher: ChangePublisher

  init(id: Int, publisher: ChangePublisher) {
    self.id = id
    self.publisher = publisher
  }

  deinit { publisher.unsubscribe(id) }
}
