/// Tasks that wait on the main actor for something to be settled, each until it is cancelled.
@MainActor final class Settling {
  private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter: UInt64 = 0

  /// Returns when it is settled, or the task is cancelled.
  func wait() async {
    lastWaiter += 1
    let waiter = lastWaiter
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiters[waiter] = $0 }
    } onCancel: {
      // It runs on the main actor too, so after the continuation is kept.
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
