import Dispatch
import Strata
import StrataFaults

/// The kind of moment that is counted until the cancellation.
enum CancelMoment: String, Sendable, CaseIterable {
  /// The task resumes after an `await`.
  case resumption
  /// SQLite calls the file system for the store that the task works with.
  case fileCall
  /// The main actor has had a turn.
  case turn
}

/// Runs a task and cancels it at its n-th moment of a kind.
///
/// A canceller is the executor of the actor that works, and the task's preferred executor reports
/// to it. So it sees every resumption before it runs, including resumptions of library functions
/// that run on no actor. It observes the store's files, so it also sees every call of the file
/// system while the work waits for it. Resumptions on the main actor bypass the canceller. For them
/// it counts the turns of the main actor.
final class Canceller: SerialExecutor, FileObserver {
  private struct State: Sendable {
    var moment: CancelMoment?
    /// The number of moments before the cancellation.
    var left = 0
    var hasCancelled = false
  }

  private let state = Lock(State())
  private let cancel: Lock<(@Sendable () -> Void)?> = Lock(nil)
  private let queue = DispatchQueue(label: "strata-stress.cancel")

  /// Runs `body` and cancels it at the `number`-th moment after its start, or at 0 before its
  /// start.
  ///
  /// - Returns: the error of `body`, and whether the cancellation came before its end.
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

  /// Counts a moment of a kind. Nil stands for the kind that the run waits for.
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

/// The executor of a task's functions that run on no actor.
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

/// An actor on a canceller's executor, so that its resumptions pass the canceller.
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
