internal import StrataSQLite

/// The lane of a store's executor in a world.
final class SimulatedLane: JobLane {
  private let world: World
  private let id: Scheduler.LaneID

  init(_ world: World, _ id: Scheduler.LaneID) {
    self.world = world
    self.id = id
  }

  func enqueue(_ work: @escaping @Sendable () -> Void) { world.enqueue(work, on: id) }

  func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    world.enqueue(work, on: id, after: Int64(delay / .nanoseconds(1)))
  }

  func poll(_ body: @escaping @Sendable () -> Bool) { world.poll(body) }

  func grantsTurn() -> Bool { world.grantsTurn(id) }

  func run<R>(_ work: () -> R) -> R { world.run(on: id, work) }

  var isRunning: Bool { world.isRunning(id) }
}
