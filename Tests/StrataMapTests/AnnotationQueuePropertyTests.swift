import Strata
import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

@Suite(.inTurn) struct AnnotationQueuePropertyTests {
  @Test func `the operations of any history lead to the wanted annotations`() {
    var random = SeededRandom.printingSeed()
    let seed = random.seed
    for _ in 0..<150 {
      var history = History()
      for _ in 0..<Int.random(in: 1...300, using: &random) { history.step(&random) }
      while history.deliverOne() {}
      #expect(history.surface == history.wanted, "seed \(seed)")
      #expect(history.queue.shown == history.surface, "seed \(seed)")
      #expect(history.queue.isEmpty && history.queue.counters.highWater <= 12, "seed \(seed)")
    }
  }

  @Test func `the operations of any history are the least difference, deletes first`() {
    var random = SeededRandom.printingSeed()
    let seed = random.seed
    for _ in 0..<4_000 {
      var history = History()
      for _ in 0..<Int.random(in: 1...12, using: &random) { history.step(&random) }
      var expected: Set<AnnotationOperation> = []
      for id in Set(history.wanted.keys).union(history.surface.keys) {
        expected.formUnion(
          Self.operations(from: history.surface[id], to: history.wanted[id], id))
      }
      var emitted: [AnnotationOperation] = []
      while let operation = history.queue.next() {
        operation.replay(on: &history.surface)
        emitted.append(operation)
      }
      #expect(Set(emitted) == expected && emitted.count == expected.count, "seed \(seed)")
      let removals = emitted.prefix { if case .remove = $0 { true } else { false } }
      let others = emitted.dropFirst(removals.count)
      #expect(others.allSatisfy { if case .remove = $0 { false } else { true } }, "seed \(seed)")
    }
  }

  /// Returns the operations that turn one annotation of an id into another, computed without a
  /// queue.
  private static func operations(
    from old: SurfaceAnnotation?, to new: SurfaceAnnotation?, _ id: RecordKey
  ) -> [AnnotationOperation] {
    switch (old, new) {
    case (nil, nil): return []
    case (nil, let new?): return [.add(new)]
    case (.some, nil): return [.remove(id)]
    case (var old?, let new?):
      var operations: [AnnotationOperation] = []
      if old.coordinate != new.coordinate { operations.append(.move(id, to: new.coordinate)) }
      old.coordinate = new.coordinate
      return old == new ? operations : operations + [.restyle(new)]
    }
  }

  @Test func `the operations that stay in the queue keep their order, whichever leave`() {
    var random = SeededRandom.printingSeed()
    let seed = random.seed
    var queue = AnnotationQueue()
    var line: [Int] = []
    for number in 0..<5_000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0...1 where !line.isEmpty:
        #expect(queue.next()?.id == key(line.removeFirst()), "seed \(seed)")
      case 2...5 where line.count > 40:
        let left = line.remove(at: Int.random(in: line.indices, using: &random))
        #expect(queue.desire(key(left), nil) == .vanished, "seed \(seed)")
      default:
        line.append(number)
        #expect(queue.desire(key(number), pin(number)) == .queued, "seed \(seed)")
      }
    }
    for number in line { #expect(queue.next()?.id == key(number), "seed \(seed)") }
    #expect(queue.isEmpty)
  }
}

/// A queue, the wanted annotations, and a surface that applies the queue's operations.
private struct History {
  var queue = AnnotationQueue()
  var wanted: [RecordKey: SurfaceAnnotation] = [:]
  var surface: [RecordKey: SurfaceAnnotation] = [:]

  mutating func step(_ random: inout SeededRandom) {
    switch Int.random(in: 0..<20, using: &random) {
    case 0:
      let north = Bool.random(using: &random)
      queue.regionChanged { ($0.latitude > 1) == north }
    case 1:
      queue.regionChanged(nil)
    case 2...7:
      for _ in 0..<Int.random(in: 1...4, using: &random) { _ = deliverOne() }
    default:
      desire(&random)
    }
    #expect(queue.pendingCount <= 12)
    let differing = Set(wanted.keys).union(surface.keys).filter { wanted[$0] != surface[$0] }
    #expect(queue.pendingCount == differing.count, "pending is exactly what differs")
  }

  private mutating func desire(_ random: inout SeededRandom) {
    let number = Int.random(in: 0..<12, using: &random)
    // Few values, so that an annotation often returns to an earlier state. Latitude 100 is invalid.
    let latitude: Double = [0, 1, 2, 3, 100][Int.random(in: 0..<5, using: &random)]
    let style = Bool.random(using: &random) ? "red" : "blue"
    let isGone = Int.random(in: 0..<4, using: &random) == 0
    let annotation = isGone ? nil : pin(number, at: latitude, style: style)
    _ = queue.desire(key(number), annotation)
    wanted[key(number)] = latitude == 100 ? nil : annotation
  }

  /// Delivers one operation, if one is pending. Checks that the operation leads to the wanted
  /// annotation and never removes a wanted annotation.
  mutating func deliverOne() -> Bool {
    guard let operation = queue.next() else { return false }
    let goal = wanted[operation.id]
    switch operation {
    case .add(let annotation), .restyle(let annotation): #expect(goal == annotation)
    case .move(_, to: let coordinate): #expect(goal?.coordinate == coordinate)
    case .remove: #expect(goal == nil, "removed, although wanted")
    }
    operation.replay(on: &surface)
    return true
  }
}
