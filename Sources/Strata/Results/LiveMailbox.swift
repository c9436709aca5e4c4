/// What one subscriber of a live query has not seen yet.
///
/// idle ─publish→ pending ─next→ idle;  idle ─next→ waiting ─publish→ pending (resumed)
/// pending ─publish→ pending (keys joined);  pending ─finish→ ending ─next→ finished
/// any other ─finish→ finished
///
/// Unread versions cost the keys that changed: the difference is made from the version that the
/// subscriber last saw to the newest one, when it asks.
struct LiveMailbox: Sendable {
  typealias Waiter = UnsafeContinuation<Void, Never>

  private enum State: Sendable {
    case idle
    case pending(ChangedKeys)
    case waiting(Waiter)
    /// Nothing comes any more, but something has not been read.
    case ending(ChangedKeys)
    case finished
  }

  /// A difference to be made: from one version to another, in some keys.
  struct Delivery: Sendable {
    let old: ShownRows
    let new: ShownRows
    let changed: ChangedKeys

    /// About how many keys must be compared, or rows of an old version let go of.
    var cost: Int {
      switch changed {
      case .some(let keys): keys.count
      case .every: old.range.count + new.range.count
      case .all: old.range.count
      }
    }
  }

  enum NextAction: Sendable {
    case deliver(Delivery)
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

  /// Returns the waiter to resume, if there is one.
  mutating func publish(_ rows: ShownRows, _ changed: ChangedKeys) -> Waiter? {
    switch state {
    case .idle: state = .pending(changed)
    case .pending(var keys):
      state = .idle  // nobody else holds the keys now, so they are not copied
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
      return .deliver(Delivery(old: seen, new: newest, changed: changed))
    case .waiting: fatalError("two tasks iterate one sequence of updates; ask for one each")
    case .ending(let changed):
      state = .finished
      return .deliver(Delivery(old: seen, new: newest, changed: changed))
    case .finished: return .end
    }
  }

  /// Keeps the waiter until something comes; false if there is no reason to wait.
  mutating func park(_ waiter: Waiter) -> Bool {
    switch state {
    case .idle:
      state = .waiting(waiter)
      return true
    case .pending, .ending, .finished: return false
    case .waiting: fatalError("two tasks iterate one sequence of updates; ask for one each")
    }
  }

  /// Returns the waiter to resume, if there is one.
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
