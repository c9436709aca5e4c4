/// Those who wait on the main actor for something to happen, each until it is cancelled.
///
/// A task that prefers an executor of its own may be suspended at every call of an `async`
/// function, also between two of the main actor. So whether there is still something to wait for is
/// asked again where the continuation is kept: what comes between that and an earlier look would be
/// missed.
@MainActor
final class Waiters {
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

  // MARK: Waiting

  /// Returns when something happens, or at once if `isLacking` says that nothing has to: whoever
  /// calls this looks again.
  func wait(for event: Event, while isLacking: () -> Bool) async {
    await wait(nextID(), for: event, while: isLacking)
  }

  /// The same, as long as the task is not cancelled and in time.
  func waitUnlessCancelled(
    for event: Event, while isLacking: () -> Bool
  ) async throws(StoreError) {
    let id = nextID()
    await withTaskCancellationHandler {
      await StoreDeadline.awaiting {
        // Who was resumed before it waited is never resumed again.
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

  // MARK: What happens

  func turnCame(commit: Int64) {
    resume { if case .turn(let wanted) = $0.event { wanted <= commit } else { false } }
  }

  func saveEnded() { resume { if case .endOfSave = $0.event { true } else { false } } }

  func resumeAll() { resume { _ in true } }

  /// Lets one go, if it still waits.
  private func resume(_ id: Int) { resume { $0.id == id } }

  private func resume(where isMet: (Waiter) -> Bool) {
    let waiting = all
    all = waiting.filter { !isMet($0) }
    for waiter in waiting where isMet(waiter) { waiter.continuation.resume() }
  }
}
