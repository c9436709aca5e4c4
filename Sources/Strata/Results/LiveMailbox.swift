/// The changes of a live query that a subscriber has not seen.
///
/// idle ─publish→ pending ─next→ idle;  idle ─park→ waiting ─publish→ pending (resumed)
/// pending ─publish→ pending (keys joined);  pending ─finish→ ending ─next→ finished
/// idle, waiting ─finish→ finished
///
/// Unread versions cost only the keys that changed. The difference is made when the subscriber
/// asks. It leads from the version that the subscriber last saw to the newest version.
struct LiveMailbox: Sendable {
  typealias Waiter = DirectContinuation<Void>

  private enum State: Sendable {
    case idle
    case pending(ChangedKeys)
    case waiting(Waiter)
    /// No more versions come, but the subscriber has not read all of them.
    case ending(ChangedKeys)
    case finished
  }

  enum NextAction: Sendable {
    case deliver(LiveChange)
    case wait
    case end
  }

  private var seen: ShownRows
  private var newest: ShownRows
  private var state = State.idle

  init(seen: ShownRows) {
    self.seen = seen
    newest = seen
  }

  /// Publishes a version, and returns the waiter to resume, if there is one.
  mutating func publish(_ rows: ShownRows, _ changed: ChangedKeys) -> Waiter? {
    switch state {
    case .idle: state = .pending(changed)
    case .pending(var keys):
      state = .idle  // drops the second reference, so that the keys are not copied
      keys.formUnion(changed)
      state = .pending(keys)
    case .waiting(let waiter):
      newest = rows
      state = .pending(changed)
      return waiter
    case .ending, .finished: return nil
    }
    newest = rows
    return nil
  }

  mutating func next() -> NextAction {
    switch state {
    case .idle: return .wait
    case .pending(let changed):
      defer {
        seen = newest
        state = .idle
      }
      return .deliver(LiveChange(old: seen, new: newest, changed: changed))
    case .waiting: fatalError("two tasks iterate one sequence of updates; ask for one each")
    case .ending(let changed):
      state = .finished
      return .deliver(LiveChange(old: seen, new: newest, changed: changed))
    case .finished: return .end
    }
  }

  /// Keeps the waiter until a version or the end comes; false if there is no reason to wait.
  mutating func park(_ waiter: Waiter) -> Bool {
    switch state {
    case .idle:
      state = .waiting(waiter)
      return true
    case .pending, .ending, .finished: return false
    case .waiting: fatalError("two tasks iterate one sequence of updates; ask for one each")
    }
  }

  /// Ends the updates, and returns the waiter to resume, if there is one.
  mutating func finish() -> Waiter? {
    switch state {
    case .idle, .finished: state = .finished
    case .pending(let changed): state = .ending(changed)
    case .ending: break
    case .waiting(let waiter):
      state = .finished
      return waiter
    }
    return nil
  }
}
