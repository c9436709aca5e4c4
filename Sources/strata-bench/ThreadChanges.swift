import Dispatch
import Foundation

/// The durations of bare changes of threads, which no call between actors can do without.
///
/// A call from the main actor to a store costs at least a round trip: the main actor wakes the thread
/// of an executor, which wakes the main thread again. A store that tells the main actor something
/// costs at least one message, here from the thread of a task, as of one that saves.
struct ThreadChanges {
  /// The round trips from the main actor to an actor on a queue of its own, in microseconds.
  private(set) var roundTrips: [Double] = []
  /// The messages from a task's thread to the main actor, in microseconds.
  private(set) var messages: [Double] = []

  var roundTrip: Double { roundTrips.percentile(0.5) }
  var message: Double { messages.percentile(0.5) }

  private static let count = 300

  /// Measures some changes of threads, each after the one before has ended.
  @MainActor
  static func measured() async throws -> ThreadChanges {
    var changes = ThreadChanges()
    let actor = BareActor()
    for _ in 0..<count {
      let watch = Stopwatch()
      await actor.note()
      changes.roundTrips.append(watch.microseconds)
      changes.messages.append(await message())
    }
    try check(await actor.calls == count, "the number of calls")
    return changes
  }

  /// The time for which a message's sender works first.
  ///
  /// A commit takes about as long. A thread that has just begun to wait is woken in a fraction of the
  /// time that a sleeping thread takes.
  private static let work = 50.0

  /// Sends a message to the main thread, and returns the microseconds until it arrived.
  @concurrent
  private static func message() async -> Double {
    let start = Stopwatch()
    while start.microseconds < work {}
    return await withCheckedContinuation { continuation in
      let watch = Stopwatch()
      DispatchQueue.main.async { continuation.resume(returning: watch.microseconds) }
    }
  }
}

/// An actor whose executor is a dispatch queue, as a store's is, and which has nothing to do.
private actor BareActor {
  private final class Executor: SerialExecutor {
    private let queue = DispatchQueue(label: "strata.bench.floor")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private let executor = Executor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The number of calls. Without a state, the compiler leaves the change of threads out.
  private(set) var calls = 0

  func note() { calls += 1 }
}

/// The least that a metric can take: the raw work, and the fewest changes of threads.
///
/// The function gets the changes of a repetition and the raw samples of all metrics.
typealias Floor = (_ changes: ThreadChanges, _ raw: [Double]) -> Double
