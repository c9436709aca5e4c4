internal import Dispatch
internal import Foundation
internal import StrataSQLite
internal import Synchronization
import StrataTestTurns
import Testing

@Suite(.inTurn) struct StoreExecutorTests {
  private actor Recorder {
    private nonisolated let executor = StoreExecutor("strata.test")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private var numbers: [Int] = []

    /// Starts jobs of every priority inside the actor, so that creating a job enqueues it.
    func start(_ count: Int) -> [Task<Void, Never>] {
      let priorities: [TaskPriority] = [.background, .high, .low, .userInitiated, .medium]
      return (0..<count).map { number in
        Task(priority: priorities[number % priorities.count]) { numbers.append(number) }
      }
    }

    func recorded() -> [Int] { numbers }

    nonisolated func recordNow(_ number: Int) {
      executor.sync { assumeIsolated { $0.numbers.append(number) } }
    }

    nonisolated func recordLater(_ number: Int) {
      executor.async { self.assumeIsolated { $0.numbers.append(number) } }
    }
  }

  @Test func `jobs run in the order in which they came, whatever their priority`() async {
    let recorder = Recorder()
    for task in await recorder.start(500) { await task.value }
    #expect(await recorder.recorded() == Array(0..<500))
  }

  @Test func `plain work keeps its place among the jobs`() async {
    let recorder = Recorder()
    for number in 0..<100 { recorder.recordLater(number) }
    recorder.recordNow(100)
    for number in 101..<200 { recorder.recordLater(number) }
    #expect(await recorder.recorded() == Array(0..<200))
  }

  /// A room that notices when two threads are inside at the same time.
  private final class Room: Sendable {
    private let inside = Atomic(0)
    private let overlaps = Atomic(0)
    var wasShared: Bool { overlaps.load(ordering: .relaxed) > 0 }

    func enterAndLeave() {
      if inside.add(1, ordering: .relaxed).newValue != 1 { overlaps.add(1, ordering: .relaxed) }
      inside.subtract(1, ordering: .relaxed)
    }
  }

  @Test func `work of many threads never overlaps`() {
    let executor = StoreExecutor("strata.test")
    let room = Room()
    DispatchQueue.concurrentPerform(iterations: 1_000) { number in
      switch number % 3 {
      case 0: executor.sync { room.enterAndLeave() }
      case 1: executor.async { room.enterAndLeave() }
      default: executor.runIfIdle { room.enterAndLeave() }
      }
    }
    executor.sync {}
    #expect(!room.wasShared)
  }

  @Test func `an idle executor runs short work on the thread that asks`() {
    let executor = StoreExecutor("strata.test")
    let caller = pthread_self()
    let isHere = executor.runIfIdle {
      executor.checkIsolated()
      return pthread_equal(caller, pthread_self()) != 0
    }
    #expect(isHere == true)
  }

  @Test func `a busy executor runs nothing on the thread that asks`() {
    let executor = StoreExecutor("strata.test")
    let isStarted = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    executor.async {
      isStarted.signal()
      mayEnd.wait()
    }
    isStarted.wait()
    #expect(executor.runIfIdle { true } == nil)
    mayEnd.signal()
    executor.sync {}
    #expect(executor.runIfIdle { executor.runIfIdle { true } == nil } == true)
  }

  @Test func `being elsewhere than on the executor is noticed`() async {
    await #expect(processExitsWith: .failure) { StoreExecutor("strata.test").checkIsolated() }
  }
}
