internal import Foundation
internal import Strata

/// Runs programs on one thread, in an order that a seed decides.
///
/// Every job of every task, of the main actor and of every store's executor is taken from the Swift
/// runtime. The clocks show a virtual time, so sleeping takes no time. The same seed gives the same
/// order again, if the program itself is deterministic.
///
/// The idea is FoundationDB's deterministic simulation (Zhou et al., SIGMOD 2021).
package enum Simulation {
  /// The reason why no program can be simulated in this process; nil if programs can be simulated.
  package static var obstacle: String? { Hooks.obstacle }

  /// Whether the calling thread is simulated.
  package static var isRunning: Bool { World.current != nil }

  /// The number of the process for which the current task opens a stack; nil for none.
  ///
  /// Several stacks of one simulation may stand for several processes.
  @TaskLocal package static var process: Int?

  /// The number of the process whose work runs on the calling thread; nil if it is unknown.
  package static var runningProcess: Int? { World.current?.runningProcess ?? process }

  /// The choices of a history.
  package struct History: Sendable, Hashable {
    package let seed: UInt64
    /// The number of jobs that ran.
    package let steps: Int
    /// A hash of all choices: equal for equal histories, and most likely different otherwise.
    package let hash: UInt64
    /// The last hundred choices in words, the newest last.
    package let lastChoices: [String]
  }

  /// The error of a history that was given up.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
    /// Whether the body still waits or runs, although it was cancelled.
    package let isStuck: Bool
  }

  /// Runs `body` and everything that it starts, on a thread of its own.
  ///
  /// It returns when no job and no timer is left. Task-local values are those of the caller.
  ///
  /// A history is given up if its body waits for ever, if a thread that is not simulated resumes a
  /// task, if the jobs do not end, or if the caller is cancelled. The body is then cancelled and may
  /// end. The result is a ``Failure``; it is the result of the body if the caller was cancelled and
  /// the body has ended.
  ///
  /// - Parameters:
  ///   - limit: the number of jobs after which the history is given up.
  ///   - patience: the real time for which a body that waits may be resumed by another thread. The
  ///     failure then names the resumed task.
  package static func run<R: Sendable>(
    seed: UInt64, limit: Int = 10_000_000, patience: Duration = .zero,
    _ body: @escaping @concurrent @Sendable () async throws -> R
  ) async -> (result: Result<R, any Error>, history: History) {
    if let obstacle {
      let failure = Failure(description: obstacle, isStuck: false)
      return (.failure(failure), History(seed: seed, steps: 0, hash: 0, lastChoices: []))
    }
    let world = World(seed: seed, limit: limit, patience: patience)
    let outcome = Lock<Result<R, any Error>?>(nil)
    let root = Task(executorPreference: RootExecutor(world)) {
      let result: Result<R, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
    }
    let trouble = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let thread = Thread {
          let trouble = world.run(
            isOver: { outcome.withLock { $0 != nil } }, cancel: { root.cancel() })
          continuation.resume(returning: trouble)
        }
        thread.stackSize = 8 << 20
        thread.start()
      }
    } onCancel: {
      world.giveUp(.cancelled)
    }
    let result = outcome.withLock { $0 }
    switch (trouble, result) {
    case (nil, let result?), (.cancelled, let result?): return (result, world.history)
    case (.restless, _?):
      let failure = Failure(
        description: "tasks go on without end after the body has returned", isStuck: false)
      return (.failure(failure), world.history)
    default:
      let failure = Failure(
        description: "\(trouble ?? .waiting)", isStuck: result == nil)
      return (.failure(failure), world.history)
    }
  }
}
