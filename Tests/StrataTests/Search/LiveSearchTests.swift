import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Live queries of words and of places.
@MainActor @Suite(.inTurn) struct LiveSearchTests {
  @Test func `a live query of places follows edits and commits`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let view = stack.viewContext
    let center = Coordinate(latitude: 10, longitude: 179)
    let region = GeoRegion(south: -40, west: 100, north: 70, east: -100)
    let live = view.live(Page.where { $0.location.isIn(region) })
    let nearest = view.live(Page.nearest(to: center, by: Page.location).limit(7))
    try await live.waitUntilLoaded()
    try await nearest.waitUntilLoaded()
    var model: [String: Page] = [:]
    for _ in 0..<120 {
      let new = page("\(random.below(40))", &random)
      if let old = model[new.id], random.oneIn(3) {
        view.delete(old)
        model[new.id] = nil
      } else if let old = model[new.id] {
        model[new.id] = view.update(old) {
          ($0.latitude, $0.longitude) = (new.latitude, new.longitude)
        }
      } else {
        view.insert(new)
        model[new.id] = new
      }
      if random.oneIn(3) { try await view.save() }
      let places = model.values.filter { $0.place != nil }.sorted { $0.id < $1.id }
      #expect(
        Array(live.elements).map(\.id)
          == places.filter { region.contains($0.place ?? center) }.map(\.id))
      let expected = places.sorted {
        let (a, b) = ($0.place?.meters(to: center) ?? 0, $1.place?.meters(to: center) ?? 0)
        return a == b ? $0.id < $1.id : a < b
      }
      #expect(Array(nearest.elements).map(\.id) == expected.prefix(7).map(\.id))
    }
    await stack.close()
  }

  /// Returns a stack with three pages of two titles.
  ///
  /// The farther a page is, the more often it has the word.
  private func ranked() async throws -> Stack {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    try await stack.withScratch { scratch in
      for (number, title) in ["A", "B", "A"].enumerated() {
        scratch.insert(
          Page(
            id: "\(number)", title: title,
            body: Array(repeating: "grace", count: number + 1).joined(separator: " "),
            stars: number, latitude: Double(number), longitude: 0))
      }
    }
    return stack
  }

  private let origin = Coordinate(latitude: 0, longitude: 0)

  @Test func `sections stand before what ranks the rows`() async throws {
    let stack = try await ranked()
    let view = stack.viewContext
    func sections(_ query: Query<Page>) async throws -> [[String]] {
      let live = view.live(query, sectionedBy: \.title)
      try await live.waitUntilLoaded()
      return live.sections.map { [$0.name] + $0.elements.map(\.id) }
    }
    let near = Page.nearest(to: origin, by: Page.location)
    #expect(try await sections(near) == [["A", "0", "2"], ["B", "1"]])
    #expect(try await sections(near.sorted(by: \.title)) == [["A", "0", "2"], ["B", "1"]])
    let downwards = Page.sorted(by: \.title, order: .reverse)
    #expect(
      try await sections(downwards.nearest(to: origin, by: Page.location))
        == [["B", "1"], ["A", "0", "2"]])
    #expect(
      try await sections(
        Page.sorted(by: \.stars, order: .reverse).nearest(to: origin, by: Page.location))
        == [["A", "2", "0"], ["B", "1"]])
    let relevant = Page.matching("grace").sortedByRelevance()
    let order = try await view.fetch(relevant).filter { $0.title == "A" }.map(\.id)
    #expect(try await sections(relevant) == [["A"] + order, ["B", "1"]])
    let live = view.live(near, sectionedBy: \.title)
    try await live.waitUntilLoaded()
    view.insert(Page(id: "3", title: "A", latitude: 0.5, longitude: 0))
    #expect(live.sections.map { $0.elements.map(\.id) } == [["0", "3", "2"], ["1"]])
    await stack.close()
  }

  @Test func `a live value asks for no order that ranks`() async throws {
    let stack = try await ranked()
    let view = stack.viewContext
    let near = Page.sorted(by: \.title).nearest(to: origin, by: Page.location)
    let count = view.live(.count, of: near)
    let stars = view.live(.sum(\.stars), of: near.limit(2))
    let found = view.live(
      .count, of: Page.sorted(by: \.stars).matching("grace").sortedByRelevance())
    #expect(try await count.waitUntilLoaded() == 3)
    #expect(try await found.waitUntilLoaded() == 3)
    #expect(try await stars.waitUntilLoaded() == 2)
    view.insert(Page(id: "3", title: "A", stars: 7, latitude: 0.5, longitude: 0))
    #expect(count.value == 4 && stars.value == 7)
    await stack.close()
  }

  @Test func `a live search follows commits`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let view = stack.viewContext
    let live = view.live(Page.matching(.prefix("gra")))
    let ranked = view.live(Page.matching(.prefix("gra")).sortedByRelevance())
    try await live.waitUntilLoaded()
    try await ranked.waitUntilLoaded()
    var model: [String: Page] = [:]
    for _ in 0..<60 {
      try await stack.withScratch { scratch in
        for _ in 0..<3 {
          let new = page("\(random.below(30))", &random)
          scratch.upsert(new)
          model[new.id] = new
        }
      }
      let expected = model.values.filter { page in
        (Prose(reading: page.title).tokens + Prose(reading: page.body ?? "").tokens)
          .contains { $0.hasPrefix("gra") }
      }.map(\.id).sorted()
      #expect(Array(live.elements).map(\.id) == expected)
      #expect(
        Array(ranked.elements).map(\.id)
          == (try await stack.fetch(Page.matching(.prefix("gra")).sortedByRelevance())).map(\.id))
    }
    await stack.close()
  }
}
