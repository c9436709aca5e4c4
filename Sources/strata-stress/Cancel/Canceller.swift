import Dispatch
import Strata
import StrataFaults

/// What is counted until the task is cancelled.
enum CancelMoment: String, Sendable, CaseIterable {
  /// The task goes on behind an `await`.
  case resumption
  /// SQLite calls the file system for the store that the task works with.
  case fileCall
  /// The main actor has had a turn.
  case turn
}

/// Runs a task, and cancels it at its n-th moment of a kind.
///
/// As the executor of the actor that works, and the one that its task prefers, it sees every
/// resumption before it runs, those of the library's functions that run on no actor included; and as
/// an observer of the store's files every call while the work waits for it. Resumptions on the main
/// actor go past it: for those the main actor's turns are counted.
final class Canceller: SerialExecutor, FileObserver {
  private struct State: Sendable {
    var moment: CancelMoment?
    /// How many moments are left.
    var left = 0
    var hasCancelled = false
  }

  private let state = Lock(State())
  private let cancel: Lock<(@Sendable () -> Void)?> = Lock(nil)
  private let queue = DispatchQueue(label: "strata-stress.cancel")

  /// Runs `body` and cancels it at the `number`-th moment from its start on; before it at 0.
  ///
  /// - Returns: the error of `body`, and whether it was cancelled before it ended.
  @MainActor
  func run(
    cancellingAt number: Int, _ moment: CancelMoment,
    _ body: @escaping @Sendable () async throws -> Void
  ) async -> (error: (any Error)?, wasCancelled: Bool) {
    let host = CancelHost(self)
    let elsewhere = PreferredExecutor { self.pass(.resumption) }
    let (start, starter) = AsyncStream<Void>.makeStream()
    let work = Task(executorPreference: elsewhere) {
      for await _ in start { break }
      return await host.run(body) {
        self.state.withLock { $0 = State(moment: moment, left: number) }
        if number == 0 { self.pass(nil) }
      }
    }
    cancel.withLock { $0 = { work.cancel() } }
    starter.yield()
    starter.finish()
    let turns = Task { @MainActor in
      while !Task.isCancelled {
        await Task.yield()
        pass(.turn)
      }
    }
    let error = await work.value
    turns.cancel()
    let wasCancelled = state.withLock { state in
      state.moment = nil
      return state.hasCancelled
    }
    return (error, wasCancelled)
  }

  /// Counts a moment; nil is the one that is waited for, without counting.
  private func pass(_ moment: CancelMoment?) {
    let isNow = state.withLock { state in
      guard let wanted = state.moment, !state.hasCancelled, moment == nil || moment == wanted else {
        return false
      }
      state.left -= 1
      state.hasCancelled = state.left <= 0
      return state.hasCancelled
    }
    if isNow { cancel.withLock { $0 }?() }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pass(.resumption)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func failure(of call: FileCall, _ file: String) -> Int32? {
    pass(.fileCall)
    return nil
  }

}

/// Where a task's functions run that run on no actor.
private final class PreferredExecutor: TaskExecutor {
  private let willRun: @Sendable () -> Void
  private let queue = DispatchQueue(label: "strata-stress.cancel.elsewhere")

  init(_ willRun: @escaping @Sendable () -> Void) { self.willRun = willRun }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    willRun()
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Works on a canceller's executor, so that what it waits for comes back there.
private actor CancelHost {
  private nonisolated let canceller: Canceller
  nonisolated var unownedExecutor: UnownedSerialExecutor { canceller.asUnownedSerialExecutor() }

  init(_ canceller: Canceller) { self.canceller = canceller }

  func run(
    _ body: @Sendable () async throws -> Void, begin: @Sendable () -> Void
  ) async -> (any Error)? {
    begin()
    do {
      try await body()
      return nil
    } catch {
      return error
    }
  }
}
