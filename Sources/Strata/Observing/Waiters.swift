/// The tasks that wait on the main actor for an event.
///
/// A task with an executor preference may be suspended at every call of an `async` function, even
/// between two functions of the main actor. An event may come during that suspension. So the
/// condition is checked again at the point where the continuation is kept. With an earlier check
/// alone, the waiter would miss the event.
@MainActor
package final class Waiters {
  enum Event: Sendable {
    /// A merge turn that reaches a commit.
    case turn(reaching: Int64)
    /// The end of a save, after which another save may begin.
    case endOfSave
    /// Any other change of the condition, which ``resumeAll()`` reports.
    case change
  }

  private struct Waiter {
    let id: Int
    let event: Event
    let continuation: DirectContinuation<Void>
  }

  private var all: [Waiter] = []
  private var lastID = 0

  package init() {}

  // MARK: Waiting

  /// Waits while `isLacking` is true; an event lets it look again.
  func wait(for event: Event, while isLacking: () -> Bool) async {
    while isLacking() { await wait(nextID(), for: event, while: isLacking) }
  }

  /// Waits while `isLacking` is true and the task is not cancelled.
  package func waitUntilCancelled(while isLacking: () -> Bool) async {
    while isLacking() && !Task.isCancelled {
      await waitUntilCancelled(nextID(), for: .change, while: isLacking)
    }
  }

  /// Waits while `isLacking` is true.
  ///
  /// - Throws: `cancelled` or `deadlineExceeded` if the task was cancelled or its deadline has
  ///   passed, even if the wait was over at that time.
  func waitUnlessCancelled(
    for event: Event = .change, while isLacking: () -> Bool
  ) async throws(StoreError) {
    while isLacking() {
      let id = nextID()
      await StoreDeadline.awaiting {
        await waitUntilCancelled(id, for: event) { !StoreDeadline.hasPassed && isLacking() }
      } orElse: {
        Task { @MainActor in self.resume(id) }
      }
      if Task.isCancelled { throw .cancelled }
      try StoreDeadline.check()
    }
  }

  private func nextID() -> Int {
    lastID += 1
    return lastID
  }

  private func waitUntilCancelled(
    _ id: Int, for event: Event, while isLacking: () -> Bool
  ) async {
    await withTaskCancellationHandler {
      // A waiter that was resumed before it waited is never resumed again. So the conditions that
      // end a wait are all checked again where the continuation is kept.
      await wait(id, for: event) { !Task.isCancelled && isLacking() }
    } onCancel: {
      Task { @MainActor in self.resume(id) }
    }
  }

  private func wait(_ id: Int, for event: Event, while isLacking: () -> Bool) async {
    if !isLacking() { return }
    let continuation = DirectContinuation<Void>()
    all.append(Waiter(id: id, event: event, continuation: continuation))
    await continuation.value
  }

  // MARK: Events

  func turnCame(commit: Int64) {
    resume { if case .turn(let wanted) = $0.event { wanted <= commit } else { false } }
  }

  func saveEnded() { resume { if case .endOfSave = $0.event { true } else { false } } }

  package func resumeAll() { resume { _ in true } }

  /// Resumes a waiter if it still waits.
  private func resume(_ id: Int) { resume { $0.id == id } }

  private func resume(where isMet: (Waiter) -> Bool) {
    let waiting = all
    all = waiting.filter { !isMet($0) }
    for waiter in waiting where isMet(waiter) { waiter.continuation.resume() }
  }
}
