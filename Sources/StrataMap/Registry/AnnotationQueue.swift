package import Strata

/// The annotations on the surface, and the operations that lead to the wanted annotations.
///
/// An id is in one of five states, which follow from its `shown` annotation and its wanted
/// annotation:
///
///     absent    not shown, nothing wanted
///     adding    not shown, an annotation is wanted             → add
///     shown     shown as wanted
///     updating  shown, and wanted elsewhere or looking different → move, restyle, or both
///     removing  shown, nothing wanted                          → remove
///
///     absent ─desire→ adding ─next→ shown ─desire→ updating ─next→ shown
///     adding ─desire nil→ absent;  updating ─desire as shown→ shown
///     shown, updating ─desire nil→ removing ─next→ absent;  removing ─desire→ shown or updating
///
/// Only the states adding, updating and removing are pending, with one entry per id. However many
/// desires arrive, the number of distinct ids bounds the queue. A desire for an annotation with an
/// invalid coordinate counts as a desire for nil.
///
/// `next` returns removals first, then updates on screen, then insertions on screen, then
/// operations off screen. Within a class, the id that has been pending longest comes first.
///
/// - Complexity: `desire` and `next` are O(log n), n being the number of pending ids.
package struct AnnotationQueue {
  /// The effect of a desire.
  package enum DesireAction: Sendable, Hashable {
    /// The id became pending.
    case queued
    /// The id was pending and stays pending, for a different or an equal annotation.
    case coalesced
    /// The id was pending, and the surface already shows the wanted annotation: its operation was
    /// dropped.
    case vanished
    /// The surface already shows the wanted annotation: nothing to do.
    case suppressed
  }

  /// The classes of operations, in the order of delivery.
  private enum Lane: Int, CaseIterable { case removals, updates, insertions, offScreen }

  private struct Pending {
    let ticket: UInt64
    var wanted: SurfaceAnnotation?
    var lane: Lane
  }

  /// The annotations on the surface, with every operation that `next` has returned.
  package private(set) var shown: [RecordKey: SurfaceAnnotation] = [:]
  package private(set) var counters = AnnotationCounters()
  private var pending: [RecordKey: Pending] = [:]
  private var lanes = Lane.allCases.map { _ in TicketLane() }
  private var lastTicket: UInt64 = 0
  private var isOnScreen: (@Sendable (Coordinate) -> Bool)?

  package init() {}

  package var isEmpty: Bool { pending.isEmpty }
  package var pendingCount: Int { pending.count }

  /// Reserves memory for a number of annotations, if there are none yet.
  ///
  /// A hash table that grows moves all of its entries at once. With 100,000 annotations this would
  /// hold the main actor for 60 milliseconds, whatever the slice budget.
  package mutating func reserve(_ count: Int) {
    guard shown.isEmpty && pending.isEmpty else { return }
    shown.reserveCapacity(count)
    pending.reserveCapacity(count)
    lanes[Lane.insertions.rawValue].reserve(count)
    if isOnScreen != nil { lanes[Lane.offScreen.rawValue].reserve(count) }
  }

  // MARK: Events

  /// Sets the wanted annotation of one id; nil if it is gone or withheld.
  package mutating func desire(_ id: RecordKey, _ annotation: SurfaceAnnotation?) -> DesireAction {
    precondition(annotation == nil || annotation?.id == id, "an annotation under another's id")
    let wanted = annotation.flatMap { $0.coordinate.isValid ? $0 : nil }
    let isShown = isShown(wanted, as: id)
    if isShown, let wanted, let old = shown[id],
      old.clusterGroup != wanted.clusterGroup || old.cluster?.zoom != wanted.cluster?.zoom
    {
      shown[id] = wanted
    }
    switch (pending[id], isShown) {
    case (nil, true):
      counters.suppressed += 1
      return .suppressed
    case (nil, false):
      lastTicket += 1
      insert(id, Pending(ticket: lastTicket, wanted: wanted, lane: lane(of: id, wanted)))
      counters.highWater = max(counters.highWater, pending.count)
      return .queued
    case (let old?, true):
      counters.coalesced += 1
      remove(id, old)
      return .vanished
    case (let old?, false):
      counters.coalesced += 1
      let new = Pending(ticket: old.ticket, wanted: wanted, lane: lane(of: id, wanted))
      if new.lane == old.lane {
        pending[id] = new
      } else {
        remove(id, old)
        insert(id, new)
      }
      return .coalesced
    }
  }

  private func isShown(_ wanted: SurfaceAnnotation?, as id: RecordKey) -> Bool {
    switch (wanted, shown[id]) {
    case (nil, nil): true
    case (nil, _?), (_?, nil): false
    case (let wanted?, let shown?): wanted.looks(like: shown)
    }
  }

  /// Counts changes that touched no attribute of the mapping.
  package mutating func suppress(_ count: Int = 1) { counters.suppressed += count }

  /// Counts a turn that delivered at least one operation.
  package mutating func sliceEnded(after duration: Duration) {
    counters.slices += 1
    counters.worstSlice = max(counters.worstSlice, duration)
  }

  /// Sets which coordinates are on screen; nil means that all are.
  ///
  /// - Complexity: O(n log n), n being the number of pending ids.
  package mutating func regionChanged(_ isOnScreen: (@Sendable (Coordinate) -> Bool)?) {
    self.isOnScreen = isOnScreen
    for (id, old) in pending where old.lane != lane(of: id, old.wanted) {
      remove(id, old)
      insert(
        id, Pending(ticket: old.ticket, wanted: old.wanted, lane: lane(of: id, old.wanted)))
    }
  }

  /// Returns the next operation and counts it as delivered; nil if no operation is pending.
  package mutating func next() -> AnnotationOperation? {
    guard let id = lanes.lazy.compactMap(\.first).first?.id, let entry = pending[id] else {
      return nil
    }
    switch (shown[id], entry.wanted) {
    case (nil, nil):
      fatalError("AnnotationQueue: \(id) is pending, and neither shown nor wanted")
    case (nil, let wanted?):
      remove(id, entry)
      shown[id] = wanted
      counters.added += 1
      return .add(wanted)
    case (.some, nil):
      remove(id, entry)
      shown[id] = nil
      counters.removed += 1
      return .remove(id)
    case (var current?, let wanted?) where current.coordinate != wanted.coordinate:
      current.coordinate = wanted.coordinate
      // Other differences stay pending under the same ticket, so that the restyle follows the move.
      if current.looks(like: wanted) {
        remove(id, entry)
        current = wanted
      }
      shown[id] = current
      counters.moved += 1
      return .move(id, to: wanted.coordinate)
    case (.some, let wanted?):
      remove(id, entry)
      shown[id] = wanted
      counters.restyled += 1
      return .restyle(wanted)
    }
  }

  /// Drops every pending operation and keeps `shown`, because nothing more will be delivered.
  package mutating func dropPending() {
    pending = [:]
    lanes = Lane.allCases.map { _ in TicketLane() }
  }

  // MARK: Lanes

  private func lane(of id: RecordKey, _ wanted: SurfaceAnnotation?) -> Lane {
    guard let wanted else { return .removals }
    let arrives = isOnScreen?(wanted.coordinate) ?? true
    guard let current = shown[id] else { return arrives ? .insertions : .offScreen }
    // A pin that moves off the screen is visible until it has moved.
    let leaves = isOnScreen?(current.coordinate) ?? true
    return arrives || leaves ? .updates : .offScreen
  }

  private mutating func insert(_ id: RecordKey, _ entry: Pending) {
    pending[id] = entry
    lanes[entry.lane.rawValue].insert(TicketLane.Entry(ticket: entry.ticket, id: id))
  }

  private mutating func remove(_ id: RecordKey, _ entry: Pending) {
    pending[id] = nil
    lanes[entry.lane.rawValue].remove(entry.ticket)
  }
}
