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
  /// The name of the first hook that the Swift runtime lacks; nil if programs can be simulated.
  package static var missingHook: String? { Hooks.missing }

  /// What a history did.
  package struct History: Sendable, Hashable {
    package let seed: UInt64
    /// The number of jobs that ran.
    package let steps: Int
    /// A hash of all choices: equal for equal histories.
    package let hash: UInt64
    /// The last hundred choices in words, the newest last.
    package let lastChoices: [String]
  }

  /// The error of a history that came to no good end.
  package struct Failure: Error, CustomStringConvertible {
    package let reason: String
    /// Whether tasks of the history still wait, although the first task was cancelled.
    package let isStuck: Bool
    package let history: History

    package var description: String {
      "seed \(history.seed): \(reason) after \(history.steps) jobs; the last were "
        + history.lastChoices.joined(separator: ", ")
    }
  }

  /// Runs `body` and everything that it starts, on a thread of its own.
  ///
  /// It returns when no job and no timer is left. If `body` waits for ever, it is cancelled.
  /// Task-local values are those of the caller.
  ///
  /// - Parameters:
  ///   - limit: the number of jobs after which the history is given up.
  /// - Throws: the error of `body`; ``Failure`` if `body` waits for ever, if a thread that is not
  ///   simulated resumes a task, or if the jobs do not end.
  package static func run<R: Sendable>(
    seed: UInt64, limit: Int = 10_000_000,
    _ body: @escaping @concurrent @Sendable () async throws -> R
  ) async throws -> (result: R, history: History) {
    if let missingHook {
      throw Failure(
        reason: "the Swift runtime lacks \(missingHook)", isStuck: false,
        history: History(seed: seed, steps: 0, hash: 0, lastChoices: []))
    }
    let world = World(seed: seed, limit: limit)
    let outcome = Lock<Result<R, any Error>?>(nil)
    let root = Task(executorPreference: RootExecutor(world)) {
      let result: Result<R, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
    }
    let waited = Lock(false)
    let end = await withUnsafeContinuation { continuation in
      let thread = Thread {
        let end = world.run {
          if outcome.withLock({ $0 != nil }) { return }
          waited.withLock { $0 = true }
          root.cancel()
        }
        continuation.resume(returning: end)
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
    let history = world.history
    let result = outcome.withLock { $0 }
    let reason: String? =
      switch end {
      case .rest: waited.withLock { $0 } ? "every task waits" : nil
      case .foreign(let job): "\(job) was resumed by a thread that is not simulated"
      case .restless: "the jobs do not end"
      }
    guard let reason else {
      guard let result else { preconditionFailure("a body that has not ended waits") }
      return (try result.get(), history)
    }
    throw Failure(reason: reason, isStuck: result == nil, history: history)
  }
}
