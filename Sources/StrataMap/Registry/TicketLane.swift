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
  private var places: [UInt64: Int] = [:]

  var first: Entry? { heap.first }
  var count: Int { heap.count }

  /// Reserves memory for a number of entries.
  mutating func reserve(_ count: Int) {
    heap.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  mutating func insert(_ entry: Entry) {
    heap.append(entry)
    rise(from: heap.count - 1, entry)
  }

  mutating func remove(_ ticket: UInt64) {
    guard let place = places.removeValue(forKey: ticket), let last = heap.popLast() else {
      fatalError("TicketLane: ticket \(ticket) is not in the lane")
    }
    guard place < heap.count else { return }
    if place > 0, last.ticket < heap[(place - 1) / 2].ticket {
      rise(from: place, last)
    } else {
      sink(from: place, last)
    }
  }

  private mutating func rise(from start: Int, _ entry: Entry) {
    var place = start
    while place > 0 {
      let parent = (place - 1) / 2
      guard entry.ticket < heap[parent].ticket else { break }
      put(heap[parent], at: place)
      place = parent
    }
    put(entry, at: place)
  }

  private mutating func sink(from start: Int, _ entry: Entry) {
    var place = start
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].ticket < heap[child].ticket { child += 1 }
      guard heap[child].ticket < entry.ticket else { break }
      put(heap[child], at: place)
      place = child
    }
    put(entry, at: place)
  }

  private mutating func put(_ entry: Entry, at place: Int) {
    heap[place] = entry
    places[entry.ticket] = place
  }
}
