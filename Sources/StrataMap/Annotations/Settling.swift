/// Tasks that wait on the main actor for something to be settled, each until it is cancelled.
@MainActor final class Settling {
  private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter: UInt64 = 0

  /// Returns when something was settled, the task is cancelled, or `isUnsettled` says that there is
  /// nothing to wait for: whoever calls this looks again.
  ///
  /// That is asked where the continuation is kept: a task that prefers an executor of its own may
  /// be suspended on its way from an earlier look to here.
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

  /// It is settled: whoever waits goes on.
  func resumeAll() {
    let waiting = waiters.values
    waiters = [:]
    for waiter in waiting { waiter.resume() }
  }
}
