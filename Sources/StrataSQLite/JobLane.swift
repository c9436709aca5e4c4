internal import Synchronization

/// The jobs of one serial executor, which a scheduler runs in their order.
package protocol JobLane: AnyObject, Sendable {
  /// Runs `work` after every job that was enqueued before it.
  func enqueue(_ work: @escaping @Sendable () -> Void)

  /// Runs `work` once the delay has passed.
  func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void)

  /// Calls `body` now and then between other jobs, until it returns false.
  func poll(_ body: @escaping @Sendable () -> Bool)

  /// Whether an idle executor may run short work for the job that runs now.
  func grantsTurn() -> Bool

  /// Runs `work` at once, as a job of the lane.
  func run<R>(_ work: () -> R) -> R

  /// Whether a job of the lane runs on the calling thread.
  var isRunning: Bool { get }
}

/// Makes the lanes of the executors of simulated threads.
package enum JobLanes {
  /// A function in a structure: each read of a generic value that is itself a function would put
  /// another conversion around the one that stays.
  private struct Maker: Sendable {
    let make: @Sendable (_ label: String) -> (any JobLane)?
  }

  private static let maker = Mutex<Maker?>(nil)

  /// Sets the function that makes a lane for an executor that the calling thread creates.
  ///
  /// The function returns nil on a thread that is not simulated.
  package static func use(_ make: @escaping @Sendable (_ label: String) -> (any JobLane)?) {
    maker.withLock { $0 = Maker(make: make) }
  }

  /// Returns a lane for an executor or a watch that the calling thread makes; nil outside of worlds.
  package static func make(_ label: String) -> (any JobLane)? {
    maker.withLock { $0 }?.make(label)
  }
}
