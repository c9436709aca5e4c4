import Strata

/// The pending ids of one class in a binary heap, lowest ticket first, with the position of each
/// id.
///
/// Tickets mostly arrive in rising order, which makes `insert` O(1). An id that changes its class
/// keeps its ticket. So insertion and removal have to be possible at any position, and are O(log
/// n).
struct TicketLane {
  struct Entry {
    let ticket: UInt64
    let id: RecordKey
  }

  private var heap: [Entry] = []
  private var positions: [UInt64: Int] = [:]

  var first: Entry? { heap.first }

  /// Reserves memory for a number of entries.
  mutating func reserve(_ count: Int) {
    heap.reserveCapacity(count)
    positions.reserveCapacity(count)
  }

  mutating func insert(_ entry: Entry) {
    heap.append(entry)
    rise(from: heap.count - 1, entry)
  }

  mutating func remove(_ ticket: UInt64) {
    guard let position = positions.removeValue(forKey: ticket), let last = heap.popLast() else {
      fatalError("TicketLane: ticket \(ticket) is not in the lane")
    }
    guard position < heap.count else { return }
    if position > 0, last.ticket < heap[(position - 1) / 2].ticket {
      rise(from: position, last)
    } else {
      sink(from: position, last)
    }
  }

  private mutating func rise(from start: Int, _ entry: Entry) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 2
      guard entry.ticket < heap[parent].ticket else { break }
      put(heap[parent], at: position)
      position = parent
    }
    put(entry, at: position)
  }

  private mutating func sink(from start: Int, _ entry: Entry) {
    var position = start
    while true {
      var child = 2 * position + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].ticket < heap[child].ticket { child += 1 }
      guard heap[child].ticket < entry.ticket else { break }
      put(heap[child], at: position)
      position = child
    }
    put(entry, at: position)
  }

  private mutating func put(_ entry: Entry, at position: Int) {
    heap[position] = entry
    positions[entry.ticket] = position
  }
}
