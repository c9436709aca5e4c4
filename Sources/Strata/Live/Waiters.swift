/// Those who wait on the main actor for something to happen, each until it is cancelled.
struct Waiters {
  enum Event: Sendable {
    /// A merge turn that reaches a commit.
    case turn(reaching: Int64)
    /// A save that has ended, so that another one may begin.
    case endOfSave
    /// The first result of a live query.
    case load
  }

  private struct Waiter {
    let id: Int
    let event: Event
    let continuation: UnsafeContinuation<Void, Never>
  }

  private var all: [Waiter] = []
  private var lastID = 0

  /// The number that the next waiter gets.
  var nextID: Int { lastID + 1 }

  mutating func add(_ event: Event, _ continuation: UnsafeContinuation<Void, Never>) {
    lastID += 1
    all.append(Waiter(id: lastID, event: event, continuation: continuation))
  }

  /// Lets one go, if it still waits.
  mutating func resume(_ id: Int) { resume { $0.id == id } }

  mutating func turnCame(commit: Int64) {
    resume { if case .turn(let wanted) = $0.event { wanted <= commit } else { false } }
  }

  mutating func saveEnded() { resume { if case .endOfSave = $0.event { true } else { false } } }

  mutating func resumeAll() { resume { _ in true } }

  private mutating func resume(where isMet: (Waiter) -> Bool) {
    let waiting = all
    all = waiting.filter { !isMet($0) }
    for waiter in waiting where isMet(waiter) { waiter.continuation.resume() }
  }
}
