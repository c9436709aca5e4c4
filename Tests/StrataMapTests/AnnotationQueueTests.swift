import Strata
import StrataMap
import StrataTestTurns
import Testing

/// Tests every state of an id (absent, adding, shown, updating, removing) with every event.
@Suite(.inTurn) struct AnnotationQueueTests {
  private let here = pin(1, at: 10, 10, style: "red")
  private let there = pin(1, at: 20, 20, style: "red")
  private let blue = pin(1, at: 10, 10, style: "blue")
  private let blueThere = pin(1, at: 20, 20, style: "blue")

  /// Returns a queue whose surface shows `annotations`.
  private func queue(showing annotations: SurfaceAnnotation...) -> AnnotationQueue {
    var queue = AnnotationQueue()
    for annotation in annotations {
      _ = queue.desire(annotation.id, annotation)
      _ = queue.next()
    }
    return queue
  }

  private func drain(_ queue: inout AnnotationQueue) -> [AnnotationOperation] {
    var operations: [AnnotationOperation] = []
    while let operation = queue.next() { operations.append(operation) }
    #expect(queue.isEmpty)
    return operations
  }

  // MARK: Capacity

  @Test func `room is made while there is nothing, and not when it would move what there is`() {
    var queue = AnnotationQueue()
    queue.reserve(5_000)
    #expect(queue.shown.capacity >= 5_000 && queue.isEmpty)
    #expect(queue.desire(key(1), here) == .queued)
    #expect(drain(&queue) == [.add(here)])
    queue.reserve(100_000)
    #expect(queue.shown.capacity < 100_000)
  }

  // MARK: Absent

  @Test func `an absent annotation that is not desired causes no operation`() {
    var queue = AnnotationQueue()
    #expect(queue.desire(key(1), nil) == .suppressed)
    #expect(queue.isEmpty)
    #expect(queue.next() == nil)
  }

  @Test func `an absent annotation that is desired is added`() {
    var queue = AnnotationQueue()
    #expect(queue.desire(key(1), here) == .queued)
    #expect(queue.pendingCount == 1)
    #expect(queue.shown.isEmpty)
    #expect(drain(&queue) == [.add(here)])
    #expect(queue.shown == [key(1): here])
  }

  // MARK: Adding

  @Test
  func `an annotation that gets another look before its addition is added with the last look`() {
    var queue = AnnotationQueue()
    _ = queue.desire(key(1), here)
    #expect(queue.desire(key(1), blueThere) == .coalesced)
    #expect(drain(&queue) == [.add(blueThere)])
  }

  @Test func `an annotation that is desired again before its addition is added once`() {
    var queue = AnnotationQueue()
    _ = queue.desire(key(1), here)
    #expect(queue.desire(key(1), here) == .coalesced)
    #expect(drain(&queue) == [.add(here)])
  }

  @Test func `an annotation that is undesired before its addition is never added`() {
    var queue = AnnotationQueue()
    _ = queue.desire(key(1), here)
    #expect(queue.desire(key(1), nil) == .vanished)
    #expect(queue.isEmpty && queue.shown.isEmpty)
    #expect(queue.next() == nil)
  }

  // MARK: Shown

  @Test func `a shown annotation that is desired as it is causes no operation`() {
    var queue = queue(showing: here)
    #expect(queue.desire(key(1), here) == .suppressed)
    #expect(queue.isEmpty)
    #expect(queue.next() == nil)
  }

  @Test func `a shown annotation with another place is moved`() {
    var queue = queue(showing: here)
    #expect(queue.desire(key(1), there) == .queued)
    #expect(drain(&queue) == [.move(key(1), to: there.coordinate)])
    #expect(queue.shown == [key(1): there])
  }

  @Test func `a shown annotation with another look is restyled`() {
    var queue = queue(showing: here)
    #expect(queue.desire(key(1), blue) == .queued)
    #expect(drain(&queue) == [.restyle(blue)])
  }

  @Test func `a shown annotation with another place and look is moved and then restyled`() {
    var queue = queue(showing: here)
    #expect(queue.desire(key(1), blueThere) == .queued)
    #expect(queue.next() == .move(key(1), to: there.coordinate))
    #expect(queue.shown == [key(1): there])
    #expect(queue.pendingCount == 1)
    #expect(drain(&queue) == [.restyle(blueThere)])
  }

  @Test func `every visible part is part of the look`() {
    var variants = [here, here, here, here]
    variants[0].title = "other"
    variants[1].subtitle = "other"
    variants[2].style = "other"
    variants[3].priority = 7
    for variant in variants {
      var queue = queue(showing: here)
      _ = queue.desire(key(1), variant)
      #expect(drain(&queue) == [.restyle(variant)])
    }
  }

  @Test func `a shown annotation that is no longer desired is removed`() {
    var queue = queue(showing: here)
    #expect(queue.desire(key(1), nil) == .queued)
    #expect(drain(&queue) == [.remove(key(1))])
    #expect(queue.shown.isEmpty)
  }

  // MARK: Updating

  @Test func `an update that is taken back before its delivery vanishes`() {
    var queue = queue(showing: here)
    _ = queue.desire(key(1), blueThere)
    #expect(queue.desire(key(1), here) == .vanished)
    #expect(queue.isEmpty)
    #expect(queue.next() == nil)
  }

  @Test func `an update that gets another goal before its delivery is one update to the last goal`()
  {
    var queue = queue(showing: here)
    _ = queue.desire(key(1), there)
    #expect(queue.desire(key(1), blue) == .coalesced)
    #expect(drain(&queue) == [.restyle(blue)])
  }

  @Test func `an annotation that is undesired before its update is removed`() {
    var queue = queue(showing: here)
    _ = queue.desire(key(1), there)
    #expect(queue.desire(key(1), nil) == .coalesced)
    #expect(drain(&queue) == [.remove(key(1))])
  }

  @Test func `an annotation on its way back after half of its update is moved back`() {
    var queue = queue(showing: here)
    _ = queue.desire(key(1), blueThere)
    _ = queue.next()
    #expect(queue.desire(key(1), here) == .coalesced)
    #expect(drain(&queue) == [.move(key(1), to: here.coordinate)])
  }

  // MARK: Removing

  @Test func `an annotation that is undesired twice is removed once`() {
    var queue = queue(showing: here)
    _ = queue.desire(key(1), nil)
    #expect(queue.desire(key(1), nil) == .coalesced)
    #expect(drain(&queue) == [.remove(key(1))])
  }

  @Test func `a removal that is taken back before its delivery vanishes`() {
    var queue = queue(showing: here)
    _ = queue.desire(key(1), nil)
    #expect(queue.desire(key(1), here) == .vanished)
    #expect(queue.isEmpty)
    #expect(queue.next() == nil)
  }

  @Test
  func `an annotation that is desired elsewhere before its removal is moved`() {
    var queue = queue(showing: here)
    _ = queue.desire(key(1), nil)
    #expect(queue.desire(key(1), there) == .coalesced)
    #expect(drain(&queue) == [.move(key(1), to: there.coordinate)])
  }

  // MARK: Invalid coordinates

  @Test func `an invalid coordinate is withheld until it is valid`() {
    var queue = queue(showing: here)
    #expect(queue.desire(key(1), pin(1, at: .nan)) == .queued)
    #expect(drain(&queue) == [.remove(key(1))])
    #expect(queue.desire(key(1), pin(1, at: 91)) == .suppressed)
    #expect(queue.desire(key(1), here) == .queued)
    #expect(drain(&queue) == [.add(here)])
  }

  @Test func `an invalid coordinate restored before it was noticed causes nothing`() {
    var queue = queue(showing: here)
    _ = queue.desire(key(1), pin(1, at: .infinity))
    #expect(queue.desire(key(1), here) == .vanished)
    #expect(queue.next() == nil)
  }

  // MARK: Dropping and counting

  @Test func `dropping what is pending keeps what is shown`() {
    var queue = queue(showing: here)
    _ = queue.desire(key(1), nil)
    _ = queue.desire(key(2), pin(2))
    queue.dropPending()
    #expect(queue.isEmpty)
    #expect(queue.next() == nil)
    #expect(queue.shown == [key(1): here])
  }

  @Test func `counters tell what was applied, coalesced and suppressed`() {
    var queue = queue(showing: here, pin(2), pin(3))
    _ = queue.desire(key(1), blueThere)
    _ = queue.desire(key(1), blueThere)
    _ = queue.desire(key(2), nil)
    _ = queue.desire(key(3), pin(3))
    queue.suppress()
    _ = drain(&queue)
    let counters = queue.counters
    #expect(counters.added == 3 && counters.moved == 1)
    #expect(counters.restyled == 1 && counters.removed == 1)
    #expect(counters.applied == 6)
    #expect(counters.coalesced == 1 && counters.suppressed == 2 && counters.highWater == 2)
  }

  @Test func `many desires of a thousand ids wait as a thousand`() {
    var queue = AnnotationQueue()
    var annotations = (0..<1_000).map { pin($0) }
    for round in 0..<100 {
      for number in annotations.indices {
        annotations[number].coordinate.latitude = Double((round + number) % 90)
        _ = queue.desire(annotations[number].id, annotations[number])
      }
    }
    #expect(queue.pendingCount == 1_000)
    #expect(queue.counters.highWater == 1_000)
    #expect(drain(&queue) == annotations.map { .add($0) })
  }

  @Test func `a change of the cluster group alone causes no operation`() {
    var queue = AnnotationQueue()
    _ = queue.desire(key(1), pin(1))
    _ = queue.next()
    var regrouped = pin(1)
    regrouped.clusterGroup = "red"
    #expect(queue.desire(key(1), regrouped) == .suppressed)
    #expect(queue.shown[key(1)] == regrouped)
    regrouped.clusterGroup = "blue"
    regrouped.coordinate = Coordinate(latitude: 5, longitude: 5)
    #expect(queue.desire(key(1), regrouped) == .queued)
    #expect(queue.next() == .move(key(1), to: regrouped.coordinate))
    #expect(queue.next() == nil && queue.shown[key(1)] == regrouped)
  }
}
