import Observation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The observers and consumers that a change wakes, or leaves alone.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor struct LiveWakeTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  /// All observers and consumers that a live query can wake.
  @MainActor private final class Listeners {
    let live: LiveQuery<Boat>
    private(set) var observed = 0
    private(set) var updates: [LiveUpdate<Boat>] = []
    private(set) var keyed = 0
    private var observation: LiveObservation?
    private var task: Task<Void, Never>?

    init(_ live: LiveQuery<Boat>) async {
      self.live = live
      track()
      observation = live.observeKeys { [weak self] _ in self?.keyed += 1 }
      let updates = live.updates
      task = Task { [weak self] in
        for await update in updates { self?.updates.append(update) }
      }
      await others()
    }

    private func track() {
      withObservationTracking {
        _ = live.elements
      } onChange: { [weak self] in
        MainActor.assumeIsolated { self?.observed += 1 }
        Task { @MainActor in self?.track() }
      }
    }

    /// The number of wakes of each listener.
    var wakes: [Int] { [observed, updates.count, keyed, live.statistics.wakes] }

    func stop() { task?.cancel() }
  }

  private func listeners(
    _ query: Query<Boat>, reading: [any PartialKeyPath<Boat> & Sendable]? = nil
  ) async throws -> Listeners {
    let live = view.live(query, reading: reading)
    try await live.waitUntilLoaded()
    return await Listeners(live)
  }

  /// Returns the wakes of each listener that `body` causes.
  private func wakes(_ listeners: Listeners, _ body: () async throws -> Void) async throws -> [Int]
  {
    await others()
    let before = listeners.wakes
    try await body()
    // Every commit of `body` must be merged, and every woken listener must have run.
    try await view.waitUntilMerged(stack.store.newestCommit)
    await others()
    return zip(listeners.wakes, before).map { $0 - $1 }
  }

  private let boats = (0..<20).map { Boat(id: $0, name: "\($0 % 5)", length: $0, speed: 3) }

  private func fill() async throws {
    let boats = boats
    try await stack.withScratch { scratch in
      boats.forEach(scratch.insert)
      scratch.insert(Harbour(id: 1))
    }
  }

  @Test func `a write to another table wakes nobody`() async throws {
    try await fill()
    let listeners = try await listeners(Boat.where { $0.length > 5 })
    let woken = try await wakes(listeners) {
      try await stack.withScratch { $0.insert(Harbour(id: 2)) }
      view.insert(Harbour(id: 3))
      try await view.save()
    }
    #expect(woken == [0, 0, 0, 0])
  }

  @Test func `a row outside of the result wakes nobody`() async throws {
    try await fill()
    let listeners = try await listeners(Boat.where { $0.length > 5 })
    let (small, other) = (boats[2], boats[3])
    let woken = try await wakes(listeners) {
      try await stack.withScratch { $0.update(small) { $0.name = "other" } }
      view.update(other) { $0.name = "another" }
      view.insert(Boat(id: 50, length: 1))
      try await view.save()
    }
    #expect(woken == [0, 0, 0, 0])
  }

  @Test func `a row beyond the limit and one before the offset wake nobody`() async throws {
    try await fill()
    let listeners = try await listeners(Boat.sorted(by: \.length).offset(3).limit(4))
    let (before, beyond) = (boats[1], boats[12])
    let unseen = try await wakes(listeners) {
      try await stack.merge {
        $0.update(before) { $0.name = "other" }
        $0.update(beyond) { $0.name = "other" }
        $0.delete(Boat(id: 15))
        $0.insert(Boat(id: 60, length: 100))
      }
      view.update(beyond) { $0.name = "mine" }
    }
    #expect(unseen == [0, 0, 0, 0])
    // A row before the window pushes the window, although the row itself is not shown.
    let pushed = try await wakes(listeners) {
      try await stack.merge { $0.insert(Boat(id: 61, length: -1)) }
    }
    #expect(pushed == [1, 1, 1, 1])
    #expect(listeners.updates.last?.deletions == [3] && listeners.updates.last?.insertions == [0])
  }

  @Test func `a change of an attribute that is not read wakes nobody`() async throws {
    try await fill()
    let listeners = try await listeners(
      Boat.where { $0.length > 5 }.sorted(by: \.length), reading: [\.name])
    let boat = boats[8]
    let unread = try await wakes(listeners) {
      try await stack.merge { $0.update(boat) { $0.speed = 30 } }
      view.update(boat) { $0.speed = 31 }
      try await view.save(.overwrite)
    }
    #expect(unread == [0, 0, 0, 0])
    #expect(listeners.live.elements.first { $0.id == 8 }?.speed == 31)
    // The same holds for many rows at once.
    let many = try await wakes(listeners) {
      let boats = boats
      try await stack.merge { scratch in
        for boat in boats { scratch.update(boat) { $0.speed = 40 } }
      }
    }
    #expect(many == [0, 0, 0, 0])
    let read = try await wakes(listeners) {
      try await stack.merge {
        $0.update(boat) {
          $0.speed = 50
          $0.name = "read"
        }
      }
    }
    #expect(read == [1, 1, 1, 1])
    #expect(listeners.updates.last?.edits.map(\.attributes) == [["name"]])
    // An attribute that sorts the result counts as read. A row that leaves the result counts, too.
    for length in [19, 1] {
      let moved = try await wakes(listeners) {
        try await stack.merge { $0.update(boat) { $0.length = length } }
      }
      #expect(moved == [1, 1, 1, 1])
    }
    listeners.stop()
  }

  @Test func `a save that confirms what is shown wakes nobody`() async throws {
    try await fill()
    let listeners = try await listeners(Boat.all)
    view.insert(Boat(id: 70))
    let woken = try await wakes(listeners) { try await view.save() }
    #expect(woken == [0, 0, 0, 0])
  }

  @Test func `the statistics say what keeping up took`() async throws {
    try await fill()
    let live = try await view.loaded(Boat.where { $0.length > 5 })
    #expect(live.statistics.loads == 1 && live.statistics.wakes == 1)
    let boat = boats[8]
    try await stack.merge { $0.update(boat) { $0.speed = 30 } }
    try await stack.merge { $0.delete(boat) }
    try await stack.merge { $0.insert(Boat(id: 80, length: 1)) }
    let statistics = live.statistics
    #expect(statistics.maintainedChanges == 2 && statistics.wakes == 3 && statistics.loads == 1)
    #expect(statistics.maintenance > .zero && statistics.updates == 0)
  }
}
