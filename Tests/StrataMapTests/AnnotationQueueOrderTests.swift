import Strata
import StrataMap
import StrataTestTurns
import Testing

@Suite(.inTurn) struct AnnotationQueueOrderTests {
  /// Returns a queue that shows pins 1 and 2 in the north and pins 3 and 4 in the south. Only the
  /// north is on screen.
  private func queue() -> AnnotationQueue {
    var queue = AnnotationQueue()
    for (number, latitude) in [(1, 10.0), (2, 10), (3, -10), (4, -10)] {
      _ = queue.desire(key(number), pin(number, at: latitude))
    }
    while queue.next() != nil {}
    queue.regionChanged { $0.latitude > 0 }
    return queue
  }

  private func ids(_ queue: inout AnnotationQueue) -> [RecordKey] {
    var ids: [RecordKey] = []
    while let operation = queue.next() { ids.append(operation.id) }
    return ids
  }

  @Test func `deletes, on-screen updates, inserts and off-screen operations come in this order`() {
    var queue = queue()
    _ = queue.desire(key(5), pin(5, at: -10))
    _ = queue.desire(key(3), pin(3, at: -20))
    _ = queue.desire(key(6), pin(6, at: 10))
    _ = queue.desire(key(1), pin(1, at: 20))
    _ = queue.desire(key(4), nil)
    #expect(ids(&queue) == [4, 1, 6, 5, 3].map(key))
  }

  @Test func `an annotation that leaves the screen or comes onto it counts as on screen`() {
    var queue = queue()
    _ = queue.desire(key(6), pin(6, at: 10))
    _ = queue.desire(key(1), pin(1, at: -20))
    _ = queue.desire(key(3), pin(3, at: 20))
    #expect(ids(&queue) == [1, 3, 6].map(key))
  }

  @Test func `the operations of a class are delivered in the order in which they were queued`() {
    var queue = queue()
    for number in [4, 2, 3, 1] { _ = queue.desire(key(number), nil) }
    // A coalesced operation keeps its position in the queue.
    _ = queue.desire(key(4), pin(4, at: 30))
    _ = queue.desire(key(4), nil)
    // An operation that vanishes loses its position.
    _ = queue.desire(key(2), pin(2, at: 10))
    _ = queue.desire(key(2), nil)
    #expect(ids(&queue) == [4, 3, 1, 2].map(key))
  }

  @Test func `a new region reorders what is already waiting`() {
    var queue = queue()
    for number in 5...8 {
      _ = queue.desire(key(number), pin(number, at: number.isMultiple(of: 2) ? 10 : -10))
    }
    queue.regionChanged { $0.latitude < 0 }
    #expect(ids(&queue) == [5, 7, 6, 8].map(key))
  }

  @Test func `every annotation counts as on screen while the region is unknown`() {
    var queue = queue()
    _ = queue.desire(key(5), pin(5, at: 10))
    _ = queue.desire(key(3), pin(3, at: -20))
    queue.regionChanged(nil)
    #expect(ids(&queue) == [3, 5].map(key))
  }

  @Test func `a move and a restyle of one annotation follow each other`() {
    var queue = queue()
    _ = queue.desire(key(1), pin(1, at: -20, style: "red"))
    _ = queue.desire(key(2), pin(2, at: 20, style: "red"))
    #expect(ids(&queue) == [1, 1, 2, 2].map(key))
  }
}
