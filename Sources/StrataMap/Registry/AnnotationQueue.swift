package import Strata

/// What the surface shows, and the operations that would make it show what is wanted.
///
/// An id is in one of five states, told apart by what is `shown` of it and what is wanted:
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
/// Only adding, updating and removing are pending, each once per id: however many desires come,
/// what waits is bounded by the number of distinct ids. An annotation with an invalid coordinate is
/// desired like nil.
///
/// `next` pops deletes first, then on-screen updates, then on-screen inserts, then what is off
/// screen; within a class, the id that has been pending longest.
///
/// - Complexity: `desire` and `next` are O(log n), n being the pending ids.
package struct AnnotationQueue {
  /// What a desire did.
  package enum DesireAction: Sendable, Hashable {
    /// The id became pending.
    case queued
    /// The id was pending already and now waits for something else, or for the same.
    case coalesced
    /// The id was pending and is now shown as wanted: its operation vanished.
    case vanished
    /// The id is shown as wanted: nothing to do.
    case suppressed
  }

  /// The classes, in the order in which they are served.
  private enum Lane: Int, CaseIterable { case removals, updates, insertions, offScreen }

  private struct Pending {
    let ticket: UInt64
    var wanted: Annotation?
    var lane: Lane
  }

  /// What the surface shows, every operation popped so far taken as delivered.
  package private(set) var shown: [RecordKey: Annotation] = [:]
  package private(set) var counters = AnnotationCounters()
  private var pending: [RecordKey: Pending] = [:]
  private var lanes = Lane.allCases.map { _ in TicketLane() }
  private var lastTicket: UInt64 = 0
  private var isOnScreen: (@Sendable (Coordinate) -> Bool)?

  package init() {}

  package var isEmpty: Bool { pending.isEmpty }
  package var pendingCount: Int { pending.count }

  /// Makes room for so many annotations, if there are none yet.
  ///
  /// A table that grows moves all that it has at once: at 100,000 annotations that would hold the
  /// main actor for 60 milliseconds, whatever the slices.
  package mutating func reserve(_ count: Int) {
    guard shown.isEmpty && pending.isEmpty else { return }
    shown.reserveCapacity(count)
    pending.reserveCapacity(count)
    lanes[Lane.insertions.rawValue].reserve(count)
    if isOnScreen != nil { lanes[Lane.offScreen.rawValue].reserve(count) }
  }

  // MARK: Events

  /// The wanted state of one id has become `annotation`, nil meaning gone or withheld.
  package mutating func desire(_ id: RecordKey, _ annotation: Annotation?) -> DesireAction {
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

  private func isShown(_ wanted: Annotation?, as id: RecordKey) -> Bool {
    switch (wanted, shown[id]) {
    case (nil, nil): true
    case (nil, _?), (_?, nil): false
    case (let wanted?, let shown?): wanted.looks(like: shown)
    }
  }

  /// So many changes were seen that touched nothing an annotation is made of.
  package mutating func suppress(_ count: Int = 1) { counters.suppressed += count }

  /// A turn of the surface has ended that delivered something.
  package mutating func sliceEnded(after duration: Duration) {
    counters.slices += 1
    counters.worstSlice = max(counters.worstSlice, duration)
  }

  /// The visible region has become what `isOnScreen` says; nil: everything is on screen.
  ///
  /// - Complexity: O(n log n), n being the pending ids.
  package mutating func regionChanged(_ isOnScreen: (@Sendable (Coordinate) -> Bool)?) {
    self.isOnScreen = isOnScreen
    for (id, old) in pending where old.lane != lane(of: id, old.wanted) {
      remove(id, old)
      insert(
        id, Pending(ticket: old.ticket, wanted: old.wanted, lane: lane(of: id, old.wanted)))
    }
  }

  /// The surface can take one operation; nil when nothing is pending.
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
      // What differs besides stays pending under its ticket, so it comes right after the move.
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

  /// Nothing more will be delivered: what is pending is dropped, what is shown stays known.
  package mutating func dropPending() {
    pending = [:]
    lanes = Lane.allCases.map { _ in TicketLane() }
  }

  // MARK: Lanes

  private func lane(of id: RecordKey, _ wanted: Annotation?) -> Lane {
    guard let wanted else { return .removals }
    let arrives = isOnScreen?(wanted.coordinate) ?? true
    guard let current = shown[id] else { return arrives ? .insertions : .offScreen }
    // A pin that leaves the screen is seen leaving.
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
