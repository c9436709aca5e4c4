import Foundation
import StrataTesting
import Testing

@testable import Strata

/// Live queries of words and of places.
@MainActor @Suite struct LiveSearchTests {
  @Test func `a live query of places follows edits and commits`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let view = stack.view
    let center = Coordinate(latitude: 10, longitude: 179)
    let region = GeoRegion(south: -40, west: 100, north: 70, east: -100)
    let live = view.live(Page.where { $0.location.isIn(region) })
    let nearest = view.live(Page.nearest(to: center, by: Page.location).limit(7))
    try await live.load()
    try await nearest.load()
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
        let (a, b) = ($0.place?.metres(to: center) ?? 0, $1.place?.metres(to: center) ?? 0)
        return a == b ? $0.id < $1.id : a < b
      }
      #expect(Array(nearest.elements).map(\.id) == expected.prefix(7).map(\.id))
    }
    await stack.close()
  }

  @Test func `a live search follows commits`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let view = stack.view
    let live = view.live(Page.matching(.prefix("gra")))
    let ranked = view.live(Page.matching(.prefix("gra")).sortedByRelevance())
    try await live.load()
    try await ranked.load()
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
