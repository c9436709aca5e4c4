import Strata
import StrataTestTurns
import Testing

@testable import StrataSimulation

/// The numbers of the jobs that ran, in their order.
private final class Journal: Sendable {
  private let state = Lock<[Int]>([])

  var numbers: [Int] { state.withLock { $0 } }

  func job(_ number: Int) -> Scheduler.Job {
    .work { self.state.withLock { $0.append(number) } }
  }
}

extension Scheduler {
  /// Runs the next job; false if none is left.
  fileprivate mutating func runNext() -> Bool {
    guard case (.work(let work), _)? = next() else { return false }
    work()
    return true
  }
}

@Suite(.inTurn) struct SchedulerTests {
  private let seeds: ClosedRange<UInt64> = 1...300

  @Test func `each job runs once, and the jobs of a lane in their order`() {
    for seed in seeds {
      var scheduler = Scheduler(seed: seed)
      let journal = Journal()
      let lanes = [scheduler.addLane("a"), scheduler.addLane("b")]
      for number in 0..<60 {
        let lane = number % 3 == 2 ? nil : lanes[number % 3]
        let delay: Int64 = number % 4 == 0 && lane == nil ? 1_000_000 : 0
        scheduler.enqueue(journal.job(number), on: lane, after: delay)
      }
      while scheduler.runNext() {}
      #expect(journal.numbers.sorted() == Array(0..<60))
      for lane in 0..<2 {
        let numbers = journal.numbers.filter { $0 % 3 == lane }
        #expect(numbers == numbers.sorted())
      }
    }
  }

  /// Returns the number of choices until a job runs. Each choice is between the job and a newer one.
  ///
  /// - Parameter hasLanes: whether both jobs have lanes.
  private func wait(hasLanes: Bool, _ seed: UInt64) -> Int {
    var scheduler = Scheduler(seed: seed)
    let (first, second) = (scheduler.addLane("first"), scheduler.addLane("second"))
    let journal = Journal()
    scheduler.enqueue(journal.job(0), on: hasLanes ? first : nil)
    var choices = 0
    while choices < 1000 && !journal.numbers.contains(0) {
      choices += 1
      scheduler.enqueue(journal.job(choices), on: hasLanes ? second : nil)
      guard scheduler.runNext() else { return choices }
    }
    return choices
  }

  @Test func `some seeds starve a lane`() {
    let waits = seeds.map { wait(hasLanes: true, $0) }
    #expect(waits.contains(1))
    #expect(waits.contains { $0 > 100 })
  }

  @Test func `some seeds prefer the newest jobs`() {
    // In a fair order, a job waits for twenty others in one of a million seeds.
    let waits = seeds.map { wait(hasLanes: false, $0) }
    #expect(waits.contains(1))
    #expect(waits.contains { $0 > 20 })
  }

  @Test func `timers are late by five seconds at most, and never early`() {
    var lateness: Set<Int64> = []
    for seed in seeds {
      var scheduler = Scheduler(seed: seed)
      let start = scheduler.now
      scheduler.enqueue(Journal().job(0), on: nil, after: 1_000_000_000)
      let hasRun = scheduler.runNext()
      #expect(hasRun)
      let late = scheduler.now - start - 1_000_000_000
      #expect(late >= 0 && late <= 5_000_000_000)
      lateness.insert(late / 100_000_000)
    }
    #expect(lateness.contains(0) && lateness.count > 10)
  }
}
