import Foundation
import Observation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A live query whose filter, sort or limit is changed in place.
@Suite(.inTurn, .stack(Boat.self, Harbour.self))
@MainActor struct LiveChangeOfQueryTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  private func fill(_ count: Int = 12) async throws {
    try await stack.withScratch { scratch in
      for id in 0..<count {
        scratch.insert(Boat(id: id, name: "\(id * 7 % 12)", length: id, speed: id % 3))
      }
    }
  }

  @Test func `another query is one update with the differences`() async throws {
    try await fill()
    let live = try await view.loaded(Boat.where { $0.length < 8 }.sorted(by: \.name))
    var updates = live.updates.makeAsyncIterator()
    var list = Array(live.elements)
    let queries = [
      Boat.where { $0.length > 3 }.sorted(by: \.name),
      Boat.where { $0.length > 3 }.sorted(by: \.name, order: .reverse),
      Boat.sorted(by: \.length).limit(5), Boat.sorted(by: \.length).offset(3).limit(5),
      Boat.where { $0.harbour.isOpen }, Boat.all,
    ]
    for query in queries {
      try await live.change(to: query)
      let fetched = try await view.fetch(query)
      #expect(Array(live.elements) == fetched)
      if list != fetched {
        let update = try #require(await updates.next())
        #expect(!update.isReset)
        // Elements of both results are neither deleted nor inserted.
        let kept = Set(list.map(\.id)).intersection(fetched.map(\.id))
        #expect(update.insertions.count == fetched.count - kept.count)
        #expect(update.deletions.count == list.count - kept.count)
        update.apply(to: &list)
      }
      #expect(list == fetched)
    }
  }

  // After `live.query = …` it returned at once, with the rows of the old query.
  @Test func `waiting until loaded waits for the query that was set last`() async throws {
    try await fill()
    let live = try await view.loaded(Boat.where { $0.length < 4 })
    let sections = view.live(Boat.where { $0.length < 4 }, sectionedBy: \.speed)
    try await sections.waitUntilLoaded()
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    live.query = Boat.where { $0.length >= 10 }
    sections.query = Boat.where { $0.length >= 10 }
    #expect(live.isLoaded && live.elements.count == 4)
    let waiting = Task {
      try await live.waitUntilLoaded()
      return live.elements.map(\.id)
    }
    let cancelled = Task { try await live.waitUntilLoaded() }
    await gate.waitForArrivals()
    cancelled.cancel()
    #expect(await failure { try await cancelled.value }?.code == .cancelled)
    // The wait goes on to the newest query.
    live.query = Boat.where { $0.length == 5 }
    await gate.open()
    #expect(try await waiting.value == [5])
    try await sections.waitUntilLoaded()
    #expect(sections.elements.map(\.length).sorted() == [10, 11])
  }

  @Test func `waiting until loaded tells why the query could not be changed`() async throws {
    try await fill()
    let live = try await view.loaded(Boat.where { $0.length < 4 })
    live.query = Boat.where { $0.badName > 3 }
    #expect(await failure { try await live.waitUntilLoaded() }?.code == .invalidQuery)
    live.query = Boat.where { $0.length == 5 }
    try await live.waitUntilLoaded()
    #expect(live.elements.map(\.id) == [5])
  }

  @Test func `the old result stays, kept up to date, until the new one is there`() async throws {
    try await fill()
    let live = try await view.loaded(Boat.where { $0.length < 4 })
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    live.query = Boat.where { $0.length >= 10 }
    await gate.waitForArrivals()
    view.insert(Boat(id: 20, length: 1))
    #expect(live.elements.map(\.id) == [0, 1, 2, 3, 20])
    let wakes = live.statistics.wakes
    await gate.open()
    let loads = live.statistics.loads
    #expect(await eventually { live.elements.map(\.id) == [10, 11] })
    #expect(live.statistics.wakes == wakes + 1 && loads >= 1)
  }

  @Test func `a query that cannot be run is reported, and the old one stays`() async throws {
    try await fill()
    let live = try await view.loaded(Boat.where { $0.length < 4 })
    live.query = Boat.where { $0.badName > 3 }
    #expect(live.error?.code == .invalidQuery)
    try await stack.withScratch { $0.insert(Boat(id: 20, length: 1)) }
    #expect(live.elements.map(\.id) == [0, 1, 2, 3, 20] && live.error != nil)
    let error = await failure { try await live.change(to: Boat.where { $0.badName > 3 }) }
    #expect(error?.code == .invalidQuery)
    try await live.change(to: Boat.where { $0.length > 10 })
    #expect(live.elements.map(\.id) == [11] && live.error == nil)
  }

  @Test func `a query that could not be run at first is repaired by another one`() async throws {
    try await fill()
    let live = view.live(Boat.where { $0.badName > 3 }.sorted(by: \.length))
    var updates = live.updates.makeAsyncIterator()
    #expect(await failure { try await live.waitUntilLoaded() }?.code == .invalidQuery)
    #expect(await failure { try await live.change(to: Boat.where { $0.badName > 4 }) } != nil)
    try await live.change(to: Boat.where { $0.length > 10 })
    #expect(live.error == nil && live.isLoaded && live.elements.map(\.id) == [11])
    #expect(await updates.next()?.elements.map(\.id) == [11])
    view.insert(Boat(id: 20, length: 20))
    try await live.waitUntilLoaded()
    #expect(live.elements.map(\.id) == [11, 20])
    #expect(await updates.next()?.insertions == [1])
  }

  @Test func `setting an equal query wakes nobody and loads nothing`() async throws {
    try await fill()
    let live = try await view.loaded(Boat.where { $0.length < 4 })
    let statistics = live.statistics
    live.query = Boat.where { $0.length < 4 }
    try await live.change(to: Boat.where { $0.length < 4 })
    try await stack.merge { $0.insert(Harbour(id: 1)) }
    #expect(live.statistics == statistics)
    // While a different query loads, setting the shown query is a change.
    live.query = Boat.where { $0.length < 9 }
    try await live.change(to: Boat.where { $0.length < 4 })
    #expect(live.elements.count == 4)
  }

  @Test func `the newest of several changes wins`() async throws {
    try await fill()
    let live = try await view.loaded(Boat.all)
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    let first = Task { await failure { try await live.change(to: Boat.where { $0.length > 5 }) } }
    await gate.waitForArrivals()
    live.query = Boat.where { $0.length > 10 }
    let outcome = await first.value
    #expect(outcome?.code == .cancelled)
    await gate.open()
    #expect(await eventually { live.elements.map(\.id) == [11] })
    await view.maintainer.setWillLoad(nil)
    try await live.change(to: Boat.all)
    try await stack.withScratch { $0.insert(Boat(id: 30)) }
    #expect(live.elements.count == 13)
    // The queries in between are not maintained any more.
    #expect(await eventually { await view.maintainer.queryCount == 1 })
  }

  @Test func `a change during the first load takes its place`() async throws {
    try await fill()
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    let live = view.live(Boat.all)
    await gate.waitForArrivals()
    live.query = Boat.where { $0.length > 10 }
    await gate.open()
    #expect(await eventually { live.elements.map(\.id) == [11] })
  }

  @Test func `a closed stack cannot change a query`() async throws {
    try await fill()
    let live = try await view.loaded(Boat.all)
    await stack.close()
    let error = await failure { try await live.change(to: Boat.where { $0.length > 5 }) }
    #expect(error?.code == .closed && live.elements.count == 12)
  }
}

extension Boat {
  /// A property that is no attribute.
  fileprivate var badName: Int { name.count }
}
