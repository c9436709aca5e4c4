import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct WorkQueueTests {
  /// Adds numbered units and returns their names.
  private func add(
    _ units: some Sequence<Int>, _ lane: Lane, to queue: inout WorkQueue<Int>,
    of context: ContextID? = nil
  ) -> [Int] {
    units.map { queue.add($0, lane: lane, context: context) }
  }

  private func drain(_ queue: inout WorkQueue<Int>) -> [Int] {
    var units: [Int] = []
    while let unit = queue.next() { units.append(unit) }
    return units
  }

  @Test func `an empty queue has nothing`() {
    var queue = WorkQueue<Int>()
    #expect(queue.next() == nil)
    #expect(queue.remove(1) == nil)
    #expect(queue.count == 0)
  }

  @Test func `a lane is first in, first out`() {
    var queue = WorkQueue<Int>()
    // Enough units for the lane to remove the entries of taken units.
    for round in 0..<5 {
      _ = add(round * 100..<round * 100 + 100, .normal, to: &queue)
      #expect(queue.count == 100)
      #expect(drain(&queue) == Array(round * 100..<round * 100 + 100))
    }
  }

  @Test func `the most urgent lane goes first`() {
    var queue = WorkQueue<Int>()
    _ = add([5, 6], .bulk, to: &queue)
    _ = add([3, 4], .normal, to: &queue)
    _ = add([1, 2], .urgent, to: &queue)
    #expect(drain(&queue) == [1, 2, 3, 4, 5, 6])
  }

  @Test(arguments: [Lane.normal, .bulk])
  func `a lane that was passed over as often as patience lasts goes next`(_ lane: Lane) {
    var queue = WorkQueue<Int>()
    _ = add([100, 101], lane, to: &queue)
    _ = add(0..<30, .urgent, to: &queue)
    let units = drain(&queue)
    let patience = WorkQueue<Int>.patience
    #expect(units.firstIndex(of: 100) == patience)
    #expect(units.firstIndex(of: 101) == 2 * patience + 1)
  }

  @Test func `three busy lanes all go on`() {
    var queue = WorkQueue<Int>()
    _ = add(0..<100, .urgent, to: &queue)
    _ = add(100..<200, .normal, to: &queue)
    _ = add(200..<300, .bulk, to: &queue)
    let first = (0..<60).compactMap { _ in queue.next() }
    #expect(first.filter { $0 >= 200 }.count >= 5)
    #expect(first.filter { (100..<200).contains($0) }.count >= 5)
    #expect(first.filter { $0 < 100 }.count >= 40)
  }

  @Test func `work of one context never overtakes earlier work in a slower lane`() {
    var queue = WorkQueue<Int>()
    let importer = ContextID()
    _ = add([10, 11], .bulk, to: &queue, of: importer)
    _ = add([12], .urgent, to: &queue, of: importer)
    _ = add([20], .normal, to: &queue, of: ContextID())
    _ = add([1], .urgent, to: &queue)
    #expect(drain(&queue) == [1, 20, 10, 11, 12])
    // Once no unit of the context waits, its urgent work is urgent again.
    _ = add([30], .bulk, to: &queue)
    _ = add([31], .urgent, to: &queue, of: importer)
    #expect(drain(&queue) == [31, 30])
  }

  @Test func `a lane that lost its patience does not overtake earlier work of its context`() {
    var queue = WorkQueue<Int>()
    let context = ContextID()
    _ = add(0..<20, .urgent, to: &queue)
    _ = add([50], .urgent, to: &queue, of: context)
    _ = add([60, 61], .bulk, to: &queue, of: context)
    let units = drain(&queue)
    #expect(units.filter { $0 >= 50 } == [50, 60, 61])
    #expect(units.count == 23)
  }

  @Test func `a unit that is taken back does not run, and is taken back once`() {
    var queue = WorkQueue<Int>()
    let names = add(0..<5, .normal, to: &queue)
    let bulk = add([9], .bulk, to: &queue)
    #expect(queue.remove(names[2]) == 2)
    #expect(queue.remove(names[2]) == nil)
    #expect(queue.next() == 0)
    #expect(queue.remove(names[0]) == nil)
    #expect(queue.remove(names[1]) == 1)
    #expect(queue.remove(bulk[0]) == 9)
    #expect(queue.count == 2)
    #expect(drain(&queue) == [3, 4])
  }

  @Test func `a queue in any mix loses no unit, and every context keeps its order`() {
    var random = SeededRandom.printingSeed()
    let contexts: [ContextID?] = [nil, ContextID(), ContextID(), ContextID()]
    for _ in 0..<50 {
      var queue = WorkQueue<Int>()
      var waiting: [Int: (name: Int, context: ContextID?)] = [:]
      for unit in 0..<400 {
        if random.oneIn(12), let unit = waiting.keys.sorted().first, let entry = waiting[unit] {
          #expect(queue.remove(entry.name) == unit)
          waiting[unit] = nil
        }
        let context = random.pick(contexts)
        // Most units are urgent.
        let lane = random.oneIn(4) ? random.pick(Lane.allCases) : .urgent
        waiting[unit] = (queue.add(unit, lane: lane, context: context), context)
        guard random.oneIn(10) == false, let taken = queue.next() else { continue }
        let entry = waiting.removeValue(forKey: taken)
        #expect(entry != nil, "seed \(random.seed)")
        if let context = entry?.context {
          let earlier = waiting.contains { $0.key < taken && $0.value.context == context }
          #expect(!earlier, "seed \(random.seed)")
          if earlier { return }
        }
      }
      #expect(queue.count == waiting.count)
      var rest: [Int] = []
      while let unit = queue.next() { rest.append(unit) }
      #expect(rest.sorted() == waiting.keys.sorted(), "seed \(random.seed)")
    }
  }
}
