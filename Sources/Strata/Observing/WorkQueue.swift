/// The urgency of a unit of work, fixed by the call that makes the unit.
///
/// A task's priority never decides it. Job priority would be the wrong signal: it may legally
/// reorder two saves of one context, and an import that a button starts has the priority of a
/// view's save.
package enum Lane: Int, Sendable, CaseIterable {
  /// Saves of the view context, requests for snapshots, and diagnostics.
  case urgent
  /// Saves of scratch contexts, and writes of the outbox, freshness and validators.
  case normal
  /// Batches of imports and evictions.
  case bulk
}

/// The name of a context, by which its work keeps its order.
package struct ContextID: Sendable, Hashable {
  private let value: UInt64
  private static let counter = Lock<UInt64>(0)

  package init() {
    value = Self.counter.withLock { counter in
      counter += 1
      return counter
    }
  }
}

/// The writer's queue, which decides which unit of work runs next.
///
/// Each lane is first in, first out. The most urgent lane that has work goes first. A lane that was
/// passed over ``patience`` times goes next, so no lane starves. Work of one context never
/// overtakes earlier work of the same context: it joins the slower lane in which that work waits.
struct WorkQueue<Unit: Sendable>: Sendable {
  /// How often a waiting lane may be passed over.
  static var patience: Int { 8 }

  private struct Entry: Sendable {
    let id: Int
    let unit: Unit
    let context: ContextID?
  }

  private struct LaneState: Sendable {
    /// Nil where an entry was taken, so that the values that a unit captures do not outlive it.
    private var entries: ContiguousArray<Entry?> = []
    private var head = 0
    var passedOver = 0

    var waiting: some Sequence<Entry> { entries[head...].lazy.compactMap { $0 } }
    var isEmpty: Bool { head == entries.count }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    mutating func pop() -> Entry? {
      guard head < entries.count else { return nil }
      let entry = entries[head]
      entries[head] = nil
      head += 1
      if head == entries.count || (head > 32 && head * 2 > entries.count) {
        entries.removeFirst(head)
        head = 0
      }
      return entry
    }

    mutating func remove(_ id: Int) -> Entry? {
      guard let index = entries.indices.first(where: { entries[$0]?.id == id }) else { return nil }
      return entries.remove(at: index)
    }
  }

  private var lanes = [LaneState](repeating: LaneState(), count: Lane.allCases.count)
  private var nextID = 0

  init() {}

  /// Makes an empty queue whose units get other names than the units of `other`.
  init(after other: Self) { nextID = other.nextID }

  var isEmpty: Bool { lanes.allSatisfy(\.isEmpty) }

  func hasWork(in lane: Lane) -> Bool { !lanes[lane.rawValue].isEmpty }

  /// The number of units that wait.
  var count: Int { lanes.reduce(0) { $0 + $1.waiting.reduce(0) { count, _ in count + 1 } } }

  /// Adds a unit, and returns a name to remove it by.
  mutating func add(_ unit: Unit, lane: Lane, context: ContextID?) -> Int {
    nextID += 1
    let entry = Entry(id: nextID, unit: unit, context: context)
    lanes[laneKeepingOrder(lane, context).rawValue].append(entry)
    return nextID
  }

  private func laneKeepingOrder(_ lane: Lane, _ context: ContextID?) -> Lane {
    guard let context else { return lane }
    let slower = Lane.allCases.last { candidate in
      candidate.rawValue > lane.rawValue
        && lanes[candidate.rawValue].waiting.contains { $0.context == context }
    }
    return slower ?? lane
  }

  /// Takes the unit that runs next.
  mutating func next() -> Unit? {
    let waiting = lanes.indices.filter { !lanes[$0].isEmpty }
    guard let first = waiting.first else { return nil }
    let chosen =
      waiting.first { lanes[$0].passedOver >= Self.patience && !isBehindItsContext($0) } ?? first
    for lane in waiting where lane != chosen { lanes[lane].passedOver += 1 }
    lanes[chosen].passedOver = 0
    return lanes[chosen].pop()?.unit
  }

  /// Whether a lane's next unit waits for earlier work of its context in a more urgent lane.
  private func isBehindItsContext(_ lane: Int) -> Bool {
    guard let next = lanes[lane].waiting.first(where: { _ in true }), let context = next.context
    else { return false }
    return lanes[..<lane].contains { other in
      other.waiting.contains { $0.context == context && $0.id < next.id }
    }
  }

  /// Takes every unit, in the order in which the units would run.
  mutating func removeAll() -> [Unit] {
    var units: [Unit] = []
    while let unit = next() { units.append(unit) }
    return units
  }

  /// Takes back a unit that has not started; nil if it has started.
  mutating func remove(_ id: Int) -> Unit? {
    for lane in lanes.indices {
      if let entry = lanes[lane].remove(id) { return entry.unit }
    }
    return nil
  }
}
