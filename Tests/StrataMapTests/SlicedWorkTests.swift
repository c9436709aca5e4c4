import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

@MainActor @Suite(.inTurn) struct SlicedWorkTests {
  private let clock = ManualClock()
  private let turns = ManualTurns()
  private let work: SlicedWork
  @MainActor private final class Log { var steps: [Int] = [] }
  private let log = Log()

  init() {
    work = SlicedWork(budget: .milliseconds(3), clock: clock, later: turns.add)
  }

  /// Returns a job with these steps. Each step takes a millisecond.
  private func job(_ steps: ClosedRange<Int>) -> SlicedWork.Step {
    var rest = steps.map { $0 }[...]
    return { [log, clock] in
      if let step = rest.popFirst() { log.steps.append(step) }
      clock.advance(by: .milliseconds(1))
      return !rest.isEmpty
    }
  }

  @Test func `jobs are done in order, in slices of the budget, in later turns`() {
    work.add(job(1...4))
    work.add(job(5...7))
    #expect(log.steps.isEmpty && turns.count == 1)
    turns.run()
    #expect(log.steps == [1, 2, 3] && turns.count == 1)
    turns.run()
    #expect(log.steps == Array(1...6))
    turns.runAll()
    #expect(log.steps == Array(1...7) && turns.count == 0)
    work.add(job(8...8))
    turns.runAll()
    #expect(log.steps.last == 8)
  }

  @Test func `a step may end everything`() async {
    work.add { [work] in
      work.end()
      return true
    }
    work.add(job(1...3))
    turns.runAll()
    #expect(log.steps.isEmpty)
    await work.settle()
  }

  @Test func `a waiting task goes on when all work is done, or when it is cancelled`() async {
    work.add(job(1...2))
    let cancelled = Task { await work.settle() }
    cancelled.cancel()
    await cancelled.value
    let waiting = Task { await work.settle() }
    await Task.yield()
    turns.runAll()
    await waiting.value
  }
}
