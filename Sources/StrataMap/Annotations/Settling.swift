/// The waiters on the main actor for work to be settled, each until it is cancelled.
@MainActor final class Settling {
  private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter: UInt64 = 0

  /// Returns after `resumeAll()`, after the task is cancelled, or if `isUnsettled` returns false.
  ///
  /// The caller then checks its condition again. `isUnsettled` is called where the continuation is
  /// stored, because a task with an executor preference may be suspended between an earlier check
  /// and this point.
  func wait(while isUnsettled: () -> Bool) async {
    lastWaiter += 1
    let waiter = lastWaiter
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if isUnsettled() && !Task.isCancelled {
          waiters[waiter] = continuation
        } else {
          continuation.resume()
        }
      }
    } onCancel: {
      Task { @MainActor in self.waiters.removeValue(forKey: waiter)?.resume() }
    }
  }

  /// Resumes every waiter.
  func resumeAll() {
    let waiting = waiters.values
    waiters = [:]
    for waiter in waiting { waiter.resume() }
  }
}
