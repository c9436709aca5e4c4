/// The tasks that wait on the main actor for an event.
///
/// A task with an executor preference may be suspended at every call of an `async` function, even
/// between two functions of the main actor. An event may come during that suspension. So the
/// condition is checked again at the point where the continuation is kept. With an earlier check
/// alone, the waiter would miss the event.
@MainActor
final class Waiters {
  enum Event: Sendable {
    /// A merge turn that reaches a commit.
    case turn(reaching: Int64)
    /// The end of a save, after which another save may begin.
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

  // MARK: Waiting

  /// Waits for an event, or returns at once if `isLacking` is false.
  ///
  /// The caller has to check its condition again afterwards.
  func wait(for event: Event, while isLacking: () -> Bool) async {
    await wait(nextID(), for: event, while: isLacking)
  }

  /// Waits for an event as long as the task is not cancelled and its deadline has not passed.
  func waitUnlessCancelled(
    for event: Event, while isLacking: () -> Bool
  ) async throws(StoreError) {
    let id = nextID()
    await withTaskCancellationHandler {
      await StoreDeadline.awaiting {
        // A waiter that was resumed before it waited is never resumed again. So the cancellation
        // and the deadline are checked here as well.
        await wait(id, for: event) {
          !Task.isCancelled && !StoreDeadline.hasPassed && isLacking()
        }
      } orElse: {
        Task { @MainActor in self.resume(id) }
      }
    } onCancel: {
      Task { @MainActor in self.resume(id) }
    }
    if Task.isCancelled { throw .cancelled }
    try StoreDeadline.check()
  }

  private func nextID() -> Int {
    lastID += 1
    return lastID
  }

  private func wait(_ id: Int, for event: Event, while isLacking: () -> Bool) async {
    await withUnsafeContinuation { continuation in
      if isLacking() {
        all.append(Waiter(id: id, event: event, continuation: continuation))
      } else {
        continuation.resume()
      }
    }
  }

  // MARK: Events

  func turnCame(commit: Int64) {
    resume { if case .turn(let wanted) = $0.event { wanted <= commit } else { false } }
  }

  func saveEnded() { resume { if case .endOfSave = $0.event { true } else { false } } }

  func resumeAll() { resume { _ in true } }

  /// Resumes a waiter if it still waits.
  private func resume(_ id: Int) { resume { $0.id == id } }

  private func resume(where isMet: (Waiter) -> Bool) {
    let waiting = all
    all = waiting.filter { !isMet($0) }
    for waiter in waiting where isMet(waiter) { waiter.continuation.resume() }
  }
}
