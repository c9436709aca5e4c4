import Strata
import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

@MainActor @Suite(.inTurn) struct AnnotationDrainTests {
  private let surface = RecordingSurface()
  private let turns = ManualTurns()
  private let clock = ManualClock()
  private let drain: AnnotationDrain

  init() {
    drain = AnnotationDrain(on: surface, clock: clock, later: turns.add)
  }

  private func desire(_ numbers: ClosedRange<Int>) {
    for number in numbers { drain.desire(key(number), pin(number)) }
  }

  // MARK: Turns and slices

  @Test func `the operations of a desire are delivered in a later turn`() {
    desire(1...3)
    #expect(surface.operations.isEmpty && drain.pendingCount == 3)
    #expect(turns.count == 1)
    turns.run()
    #expect(surface.operations == [.add(pin(1)), .add(pin(2)), .add(pin(3))])
    #expect(turns.count == 0 && drain.pendingCount == 0 && drain.shownCount == 3)
    #expect(drain.annotations == surface.shown)
  }

  @Test func `a slice ends at its deadline and the next one goes on`() {
    surface.onApply = { _ in clock.advance(by: .milliseconds(1)) }
    desire(1...10)
    turns.run()
    #expect(surface.operations.count == 4)
    turns.run()
    #expect(surface.operations.count == 8)
    turns.run()
    #expect(surface.operations.count == 10 && turns.count == 0)
  }

  @Test func `a slice without time delivers one operation`() {
    let drain = AnnotationDrain(
      on: surface, sliceBudget: .zero, clock: clock, later: turns.add)
    for number in 1...3 { drain.desire(key(number), pin(number)) }
    #expect(turns.runAll() == 3)
    #expect(surface.operations.count == 3)
  }

  @Test func `a change that shows nothing new asks for no turn`() {
    desire(1...1)
    turns.runAll()
    desire(1...1)
    drain.suppress()
    #expect(turns.count == 0 && drain.counters.suppressed == 2)
  }

  @Test func `an addition and a removal leave nothing`() {
    desire(1...1)
    drain.desire(key(1), nil)
    turns.runAll()
    #expect(surface.operations.isEmpty)
  }

  @Test func `an annotation withheld for its coordinate comes back when that is valid`() {
    desire(1...1)
    turns.runAll()
    drain.desire(key(1), pin(1, at: .nan))
    turns.runAll()
    drain.desire(key(1), pin(1))
    turns.runAll()
    #expect(surface.operations == [.add(pin(1)), .remove(key(1)), .add(pin(1))])
  }

  // MARK: Watching

  @Test func `a watcher of the counts is told once a slice, after it`() {
    var reported: [Int] = []
    drain.onCount { reported.append(drain.shownCount) }
    desire(1...5)
    #expect(turns.runAll() == 1 && reported.isEmpty, "nobody watches")
    drain.watchCounts()
    desire(6...9)
    #expect(turns.count == 2)
    turns.runAll()
    #expect(reported == [9], "the turn that delivers comes first")
    desire(10...20)
    turns.runAll()
    #expect(reported == [9], "reported once, until somebody watches again")
    surface.onApply = { _ in clock.advance(by: .milliseconds(1)) }
    drain.onCount {
      reported.append(drain.shownCount)
      drain.watchCounts()
    }
    drain.watchCounts()
    desire(21...30)
    turns.runAll()
    #expect(reported.dropFirst() == [24, 28, 30])
  }

  @Test
  func `a watcher of the counts is told of pending operations behind the gate, and of the end`() {
    var reported: [Int] = []
    drain.onCount {
      reported.append(drain.pendingCount)
      drain.watchCounts()
    }
    drain.watchCounts()
    drain.close(.hidden)
    desire(1...3)
    turns.runAll()
    drain.suppress()
    turns.runAll()
    #expect(reported == [3, 3])
    drain.detach()
    turns.runAll()
    #expect(reported == [3, 3, 0])
  }

  // MARK: The gate

  @Test func `a closed gate holds back many desires as a thousand operations`() {
    drain.close(.userInteraction)
    var annotations = (0..<1_000).map { pin($0) }
    for round in 0..<100 {
      for number in annotations.indices {
        annotations[number].coordinate.latitude = Double((round + number) % 90)
        drain.desire(annotations[number].id, annotations[number])
      }
    }
    #expect(drain.pendingCount == 1_000 && turns.count == 0)
    drain.open(.userInteraction)
    #expect(surface.operations.isEmpty, "opening delivers nothing itself")
    turns.runAll()
    #expect(surface.operations == annotations.map { .add($0) })
  }

  @Test func `every reason has to be taken back before anything is delivered`() {
    drain.close(.regionChange)
    drain.close(.hidden)
    desire(1...2)
    drain.open(.regionChange)
    #expect(!drain.isGateOpen && turns.count == 0)
    drain.open(.hidden)
    #expect(drain.isGateOpen)
    turns.runAll()
    #expect(surface.operations.count == 2)
  }

  @Test func `closing the gate before a scheduled turn comes stops it`() {
    desire(1...2)
    drain.close(.hidden)
    turns.runAll()
    #expect(surface.operations.isEmpty)
    drain.open(.hidden)
    turns.runAll()
    #expect(surface.operations.count == 2)
  }

  @Test func `closing the gate inside an operation stops before the next one`() {
    surface.onApply = { [drain] _ in drain.close(.regionChange) }
    desire(1...5)
    turns.runAll()
    #expect(surface.operations.count == 1 && drain.pendingCount == 4)
    surface.onApply = { _ in }
    drain.open(.regionChange)
    turns.runAll()
    #expect(surface.operations.count == 5)
  }

  @Test func `closing and opening inside an operation ends the turn, not the delivery`() {
    surface.onApply = { [drain] _ in
      drain.close(.regionChange)
      drain.open(.regionChange)
    }
    desire(1...3)
    turns.run()
    #expect(surface.operations.count == 1)
    turns.runAll()
    #expect(surface.operations.count == 3)
  }

  @Test func `a desire inside an operation waits for a later turn`() {
    surface.onApply = { [drain] operation in
      if operation.id == key(1) { drain.desire(key(9), pin(9)) }
    }
    desire(1...2)
    turns.run()
    #expect(surface.operations == [.add(pin(1))])
    turns.runAll()
    #expect(surface.shown.keys.sorted() == [1, 2, 9].map(key))
  }

  @Test func `a region tells what is delivered first`() {
    for number in 1...4 { drain.desire(key(number), pin(number, at: Double(number))) }
    drain.regionChanged { $0.latitude > 2 }
    turns.runAll()
    #expect(surface.operations.map(\.id) == [3, 4, 1, 2].map(key))
  }

  // MARK: The end

  @Test func `a detached drain delivers no operation`() {
    var ends = 0
    drain.onDetach { ends += 1 }
    desire(1...2)
    turns.runAll()
    desire(3...4)
    drain.close(.hidden)
    drain.detach()
    #expect(drain.isDetached && drain.isGateOpen && drain.pendingCount == 0)
    drain.open(.hidden)
    desire(5...6)
    drain.detach()
    turns.runAll()
    #expect(surface.operations.count == 2 && ends == 1)
    #expect(drain.annotations == surface.shown, "what is shown stays known")
  }

  @Test func `a drain that is detached inside an operation delivers no further operation`() {
    surface.onApply = { [drain] _ in drain.detach() }
    desire(1...5)
    turns.runAll()
    desire(6...7)
    turns.runAll()
    #expect(surface.operations == [.add(pin(1))])
  }

  @Test func `a surface that is released ends the drain`() {
    var ends = 0
    var surface: RecordingSurface? = RecordingSurface()
    weak let released = surface
    let drain = surface.map { AnnotationDrain(on: $0, later: turns.add) }
    drain?.onDetach { ends += 1 }
    drain?.desire(key(1), pin(1))
    turns.runAll()
    #expect(surface?.operations.count == 1)
    surface = nil
    #expect(released == nil, "held weakly")
    drain?.desire(key(2), pin(2))
    #expect(ends == 1 && drain?.isDetached == true && turns.count == 0)
  }

  @Test func `a surface released before a turn comes ends the drain in it`() {
    var surface: RecordingSurface? = RecordingSurface()
    let drain = surface.map { AnnotationDrain(on: $0, later: turns.add) }
    drain?.desire(key(1), pin(1))
    surface = nil
    turns.runAll()
    #expect(drain?.isDetached == true && drain?.pendingCount == 0)
  }

  @Test func `a drain released inside an operation delivers no more`() {
    var drain: AnnotationDrain? = AnnotationDrain(on: surface, later: turns.add)
    for number in 1...3 { drain?.desire(key(number), pin(number)) }
    surface.onApply = { _ in drain = nil }
    turns.runAll()
    #expect(surface.operations.count == 1)
  }

  // MARK: Waiting

  @Test func `draining waits until nothing is pending`() async {
    let drain = AnnotationDrain(on: surface, sliceBudget: .zero)
    for number in 1...100 { drain.desire(key(number), pin(number)) }
    await drain.drain()
    #expect(surface.operations.count == 100 && drain.pendingCount == 0)
    await drain.drain()
  }

  @Test func `draining ends when the gate is closed`() async {
    let drain = AnnotationDrain(on: surface)
    surface.onApply = { _ in drain.close(.hidden) }
    for number in 1...5 { drain.desire(key(number), pin(number)) }
    await drain.drain()
    #expect(surface.operations.count == 1 && drain.pendingCount == 4)
    await drain.drain()
  }

  @Test func `draining ends when the drain is detached`() async {
    let drain = AnnotationDrain(on: surface)
    surface.onApply = { _ in drain.detach() }
    for number in 1...5 { drain.desire(key(number), pin(number)) }
    await drain.drain()
    #expect(surface.operations.count == 1)
  }

  @Test func `draining ends when its task is cancelled`() async {
    desire(1...3)
    let task = Task { await drain.drain() }
    task.cancel()
    await task.value
    #expect(drain.pendingCount == 3)
  }
}
