import Observation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor struct LiveQueryTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  let gull = Boat(id: 1, name: "Gull", length: 9)
  let tern = Boat(id: 2, name: "Tern", length: 7)

  @Test func `a live query is empty until its first result is there`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    let live = view.live(Boat.all)
    await gate.waitForArrivals()
    #expect(!live.isLoaded && live.error == nil && live.elements.isEmpty)
    view.insert(tern)
    let loads = (0..<2).map { _ in Task { try await live.waitUntilLoaded() } }
    await gate.open()
    for load in loads { try await load.value }
    // Earlier edits lie over the first result.
    #expect(live.isLoaded && Array(live.elements) == [gull, tern])
    try await live.waitUntilLoaded()
  }

  @Test func `an element is found by its id, unsaved edits included`() async throws {
    try await stack.withScratch { scratch in
      for id in 1...100 { scratch.insert(Boat(id: id, name: "Boat \(100 - id)", length: id % 10)) }
    }
    let live = try await view.loaded(Boat.sorted(by: \.name))
    let few = try await view.loaded(Boat.sorted(by: \.length).limit(10).offset(5))
    let sections = view.live(Boat.all, section: { $0.name.suffix(1).lowercased() })
    try await sections.waitUntilLoaded()
    func check() {
      for elements in [live.elements, few.elements] + sections.sections.map(\.elements) {
        for (offset, boat) in elements.enumerated() {
          #expect(elements[id: boat.id] == boat && elements.offset(of: boat.id) == offset)
        }
        let ids = Set(elements.map(\.id))
        for id in 0...101 where !ids.contains(id) {
          #expect(elements[id: id] == nil && elements.offset(of: id) == nil)
        }
      }
    }
    check()
    let old = live.elements
    view.update(try #require(live[id: 7])) { $0.name = "Zenith" }
    view.delete(try #require(live[id: 8]))
    view.insert(Boat(id: 101, name: "Aaron", length: 0))
    #expect(live[id: 7]?.name == "Zenith" && live[id: 8] == nil && live[id: 101] != nil)
    #expect(old[id: 7]?.name == "Boat 93" && old[id: 8] != nil && old[id: 101] == nil)
    check()
  }

  @Test func `commits that come during the first load are in the result`() async throws {
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    let live = view.live(Boat.sorted(by: \.name))
    await gate.waitForArrivals()
    for boat in [gull, tern] { try await stack.withScratch { $0.insert(boat) } }
    try await stack.withScratch { [gull] in $0.update(gull) { $0.name = "Zenith" } }
    await gate.open()
    try await live.waitUntilLoaded()
    #expect(live.elements.map(\.name) == ["Tern", "Zenith"])
  }

  @Test func `a first load that commits outrun is begun again`() async throws {
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    let live = view.live(Boat.where { $0.length > 5 })
    await gate.waitForArrivals()
    for round in 0..<3 {
      try await stack.withScratch { scratch in
        for id in 0..<4_000 { scratch.insert(Boat(id: round * 4_000 + id, length: id % 7)) }
      }
    }
    await gate.open()
    try await live.waitUntilLoaded()
    let count = try await view.count(Boat.where { $0.length > 5 })
    #expect(live.elements.count == count && live.statistics.loads == 2)
  }

  @Test func `a query that cannot be run says so, and its updates end with the stack`() async throws
  {
    let live = view.live(Boat.where { $0.nameLength > 3 })
    #expect(live.error?.code == .invalidQuery && !live.isLoaded)
    #expect(await failure { try await live.waitUntilLoaded() }?.code == .invalidQuery)
    var ended = false
    let updates = live.updates
    Task {
      for await _ in updates {}
      ended = true
    }
    await others()
    // A valid query may still take its place.
    #expect(!ended)
    await stack.close()
    #expect(await eventually { ended })
  }

  @Test func `a load that failed is not a first result`() async throws {
    // A second program renames a column.
    let connection = try Connection(path: await stack.path, .readWrite)
    try connection.execute("ALTER TABLE boats RENAME COLUMN speed TO pace")
    #expect(await failure { try await stack.commit { $0.insert(Boat(id: 1)) } } != nil)
    #expect(await eventually { view.failure != nil })
    let live = view.live(Boat.all)
    #expect(await failure { try await live.waitUntilLoaded() }?.code == .schemaChanged)
    #expect(live.error?.code == .schemaChanged && live.elements.isEmpty && !live.isLoaded)
  }

  @Test func `reading elements is observed`() async throws {
    let live = try await view.loaded(Boat.all)
    let counts = Lock<[Int]>([])
    func track() {
      withObservationTracking {
        let count = live.elements.count
        counts.withLock { $0.append(count) }
      } onChange: {
        MainActor.assumeIsolated { counts.withLock { $0.append(-1) } }
      }
    }
    track()
    view.insert(gull)
    // An observer is called for one change, until it tracks again.
    view.insert(tern)
    #expect(counts.withLock { $0 } == [0, -1])
    track()
    try await stack.withScratch { $0.insert(Boat(id: 3)) }
    track()
    #expect(counts.withLock { $0 } == [0, -1, 2, -1, 3])
  }

  @Test func `an edit that an observer makes is shown, and told in order`() async throws {
    let live = try await view.loaded(Boat.all)
    let count = view.live(.count, of: Boat.all)
    try await count.waitUntilLoaded()
    var updates = live.updates.makeAsyncIterator()
    var reported: [[Int]] = []
    var next = 10
    let edits = live.observeKeys { _ in
      if next < 13 {
        next += 1
        self.view.insert(Boat(id: next))
      }
    }
    let sees = live.observeKeys { difference in
      var ids: [Int] = []
      difference.forEach { change in if let boat = change.after { ids.append(boat.id) } }
      reported.append(ids)
    }
    withObservationTracking {
      _ = live.elements
    } onChange: {
      MainActor.assumeIsolated { self.view.insert(Boat(id: 20)) }
    }
    view.insert(gull)
    #expect(live.elements.map(\.id) == [1, 11, 12, 13, 20] && count.value == 5)
    // The edits made during the report of the first change are one change after it.
    #expect(reported == [[1], [11, 20], [12], [13]])
    withObservationTracking {
      _ = count.value
    } onChange: {
      MainActor.assumeIsolated { self.view.delete(Boat(id: 20)) }
    }
    try await stack.merge { [tern] in $0.insert(tern) }
    #expect(live.elements.map(\.id) == [1, 2, 11, 12, 13] && count.value == 5)
    var list: [Boat] = []
    await updates.next()?.apply(to: &list)
    #expect(list == Array(live.elements))
    edits.cancel()
    sees.cancel()
  }

  @Test func `reading isLoaded is observed`() async throws {
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    let live = view.live(Boat.all)
    await gate.waitForArrivals()
    let fired = Lock(false)
    withObservationTracking {
      _ = live.isLoaded
    } onChange: {
      fired.withLock { $0 = true }
    }
    await gate.open()
    try await live.waitUntilLoaded()
    #expect(fired.withLock { $0 })
  }

  @Test func `the first update of an early subscriber is a reset`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let live = view.live(Boat.all)
    var updates = live.updates.makeAsyncIterator()
    let first = await updates.next()
    #expect(first?.isReset == true && first.map { Array($0.elements) } == [gull])
    view.insert(tern)
    let second = await updates.next()
    #expect(second?.isReset == false && second?.insertions == [1])
  }

  @Test func `an update says what changed, with the names of attributes`() async throws {
    try await stack.withScratch { [gull, tern] in
      $0.insert(gull)
      $0.insert(tern)
    }
    let live = try await view.loaded(Boat.sorted(by: \.name))
    var updates = live.updates.makeAsyncIterator()
    try await stack.withScratch {
      $0.update(gull) {
        $0.name = "Zenith"
        $0.speed = 3
      }
      $0.insert(Boat(id: 3, name: "Auk"))
      $0.delete(tern)
    }
    let update = await updates.next()
    #expect(update?.deletions == [1] && update?.insertions == [0])
    #expect(update?.moves == [] && update?.edits.map(\.offset) == [1])
    #expect(update?.edits.first?.attributes == ["name", "speed"])
    #expect(update?.elements.map(\.name) == ["Auk", "Zenith"])
  }

  @Test func `a slow consumer gets one composed update`() async throws {
    let live = try await view.loaded(Boat.sorted(by: \.name))
    var updates = live.updates.makeAsyncIterator()
    for number in 1...30 {
      view.insert(Boat(id: number, name: "\(number % 7)"))
      if number % 5 == 0 { try await view.save() }
      if number % 3 == 0 { view.delete(Boat(id: number, name: "\(number % 7)")) }
    }
    let update = try #require(await updates.next())
    #expect(update.insertions == Array(0..<20) && update.deletions == [])
    #expect(Array(update.elements) == Array(live.elements) && update.elements.count == 20)
    // An element that comes and goes between two updates is in neither of them.
    view.insert(Boat(id: 99))
    view.delete(Boat(id: 99))
    view.insert(Boat(id: 100, name: "last"))
    #expect(await updates.next()?.insertions == [20])
  }

  @Test func `an update that changes nothing shown wakes nobody`() async throws {
    let live = try await view.loaded(Boat.where { $0.length > 5 })
    var updates = live.updates.makeAsyncIterator()
    let wakes = live.statistics.wakes
    try await stack.merge {
      $0.insert(Boat(id: 3, length: 1))
      $0.insert(Harbour(id: 1))
    }
    #expect(live.statistics.wakes == wakes)
    try await stack.withScratch { [gull] in $0.insert(gull) }
    #expect(await updates.next()?.insertions == [0])
    #expect(live.elements.count == 1)
  }

  // A task that followed the updates of a live query that a function had made ended at once.
  @Test func `updates go on without the live query, and keep it until they are released`()
    async throws
  {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    weak var (list, sections, value): (LiveResult?, LiveResult?, LiveValue<Int>?)
    do {
      let (query, byName) = (
        try await view.loaded(Boat.all), view.live(Boat.all, sectionedBy: \.name)
      )
      let count = view.live(.count, of: Boat.all)
      try await byName.waitUntilLoaded()
      try await count.waitUntilLoaded()
      (list, sections, value) = (query.result, byName.live.result, count)
    }
    #expect(list == nil && sections == nil && value == nil)
    do {
      var updates: LiveUpdates<Boat>.Iterator
      var paced: LiveUpdates<Boat>.Iterator
      var windows: LiveUpdates<Boat>.Iterator
      var headers: SectionUpdates<Boat, String>.Iterator
      var numbers: AsyncStream<Int>.Iterator
      do {
        let query = try await view.loaded(Boat.all)
        let window = try await view.loaded(Boat.sorted(by: \.length).limit(9))
        let byName = view.live(Boat.all, sectionedBy: \.name)
        let count = view.live(.count, of: Boat.all)
        try await byName.waitUntilLoaded()
        try await count.waitUntilLoaded()
        (list, sections, value) = (query.result, byName.live.result, count)
        updates = query.updates.makeAsyncIterator()
        paced = query.updates(every: .zero).makeAsyncIterator()
        windows = window.updates.makeAsyncIterator()
        headers = byName.updates.makeAsyncIterator()
        numbers = count.updates.makeAsyncIterator()
      }
      #expect(await numbers.next(isolation: MainActor.shared) == 1)
      for number in 1...3 {
        let boat = Boat(id: 100 + number, name: "\(number)", length: 1_000 + number)
        try await stack.merge { $0.insert(boat) }
        #expect(await updates.next()?.elements.count == 1 + number)
        #expect(await paced.next()?.elements.count == 1 + number)
        #expect(await windows.next()?.elements.last?.id == boat.id)
        #expect(await headers.next()?.sections.count == 1 + number)
        #expect(await numbers.next(isolation: MainActor.shared) == 1 + number)
      }
      #expect(list != nil && sections != nil && value != nil)
    }
    #expect(await eventually { list == nil && sections == nil && value == nil })
  }

  @Test func `updates end with the task and the stack`() async throws {
    let live = try await view.loaded(Boat.all)
    var ends: [String] = []
    func follow(_ name: String, _ updates: LiveUpdates<Boat>) -> Task<Void, Never> {
      Task {
        for await _ in updates {}
        ends.append(name)
      }
    }
    let cancelled = follow("task", live.updates)
    let closed = follow("stack", live.updates)
    cancelled.cancel()
    await cancelled.value
    // A task that is cancelled before it iterates ends as well.
    let late = follow("late", live.updates)
    late.cancel()
    await late.value
    await stack.close()
    await closed.value
    #expect(ends == ["task", "late", "stack"])
  }

  @Test func `equal queries share one maintained result`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let loads = Lock(0)
    await view.maintainer.setWillLoad { loads.withLock { $0 += 1 } }
    let first = try await view.loaded(Boat.where { $0.length > 5 })
    let second = try await view.loaded(Boat.where { $0.length > 5 })
    #expect(loads.withLock { $0 } == 1)
    let other = try await view.loaded(Boat.where { $0.length > 8 })
    let limited = try await view.loaded(Boat.where { $0.length > 5 }.limit(1))
    #expect(loads.withLock { $0 } == 3)
    try await stack.withScratch { [tern] in $0.insert(tern) }
    #expect(Array(first.elements) == [gull, tern] && Array(second.elements) == [gull, tern])
    #expect(Array(other.elements) == [gull] && Array(limited.elements) == [gull])
    #expect(loads.withLock { $0 } == 3)
  }

  @Test func `elements are a value that stays as it was`() async throws {
    let live = try await view.loaded(Boat.all)
    var versions: [LiveElements<Boat>] = [live.elements]
    for number in 1...200 {
      view.insert(Boat(id: number))
      versions.append(live.elements)
    }
    for (count, version) in versions.enumerated() {
      #expect(version.map(\.id) == Array(1..<(count + 1)))
      if count > 0 { #expect(version[count - 1].id == count) }
    }
  }
}

extension Boat {
  /// A property that is no attribute.
  fileprivate var nameLength: Int { name.count }
}
