import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Searches over unsaved edits.
@Suite(.inTurn) struct LayeredSearchTests {
  @Test(arguments: 1...2) func `unsaved edits are found like saved ones`(run: Int) async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    var model: [String: Page] = [:]
    var shelves: [Int64: Shelf] = [:]
    try await stack.withScratch { scratch in
      for number in 0..<4 {
        let shelf = Shelf(
          id: Int64(number), name: Prose(2, &random).text, latitude: 10, longitude: 20)
        scratch.insert(shelf)
        shelves[shelf.id] = shelf
      }
      for number in 0..<40 {
        var page = page("\(100 + number)", &random)
        page.shelfID = random.oneIn(3) ? nil : Int64(random.below(5))
        scratch.insert(page)
        model[page.id] = page
      }
    }
    let scratch = stack.makeScratch()
    for _ in 0..<60 {
      switch random.below(6) {
      case 0:
        let new = page("\(200 + random.below(50))", &random)
        if model[new.id] != nil { continue }
        scratch.insert(new)
        model[new.id] = new
      case 1:
        guard let gone = model.values.sorted(by: { $0.id < $1.id }).randomElement(using: &random)
        else { continue }
        scratch.delete(gone)
        model[gone.id] = nil
      case 2:
        let shelf = random.pick(shelves.values.sorted { $0.id < $1.id })
        shelves[shelf.id] = scratch.update(shelf) { $0.name = Prose(2, &random).text }
      default:
        guard let old = model.values.sorted(by: { $0.id < $1.id }).randomElement(using: &random)
        else { continue }
        let new = page(old.id, &random)
        model[old.id] = scratch.update(old) {
          ($0.title, $0.body) = (new.title, new.body)
          ($0.latitude, $0.longitude) = (new.latitude, new.longitude)
        }
      }
      let search = NaiveSearch(&random)
      let all = model.values.sorted { $0.id < $1.id }
      #expect(
        try await scratch.fetch(Page.matching(search.text)).map(\.id)
          == all.filter { search.matches($0) }.map(\.id), "\(search)")
      #expect(
        try await scratch.fetch(Page.where { !$0.shelf.matches(search.text) }).map(\.id)
          == all.filter { page in
            !(page.shelfID.flatMap { shelves[$0] }
              .map { search.matches([Prose(reading: $0.name).tokens]) } ?? false)
          }.map(\.id), "\(search)")
      let results = try await scratch.search(Page.matching(search.text))
      #expect(
        results.map(\.entity.id).sorted() == all.filter { search.matches($0) }.map(\.id))
      #expect(results.allSatisfy { !$0.excerpt.matches.isEmpty })
      #expect(zip(results, results.dropFirst()).allSatisfy { $0.relevance >= $1.relevance })
      let limited = try await scratch.search(Page.matching(search.text).limit(4))
      #expect(limited.map(\.entity) == results.prefix(4).map(\.entity))
      let center = Coordinate(latitude: Double(random.below(180)) - 90, longitude: 179)
      let nearest = all.filter { $0.place != nil }.sorted {
        let (a, b) = ($0.place?.meters(to: center) ?? 0, $1.place?.meters(to: center) ?? 0)
        return a == b ? $0.id < $1.id : a < b
      }
      let query = Page.nearest(to: center, by: Page.location)
      #expect(try await scratch.fetch(query).map(\.id) == nearest.map(\.id))
      #expect(try await scratch.fetch(query.limit(5)).map(\.id) == nearest.prefix(5).map(\.id))
    }
    await stack.close()
  }

  @Test func `an edited match keeps its relevance, a new one has none yet`() async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let pages = [
      Page(id: "1", title: "grace"), Page(id: "2", title: "other", body: "grace and more"),
      Page(id: "3", title: "other"),
    ]
    try await stack.withScratch { scratch in for page in pages { scratch.insert(page) } }
    let view = await stack.viewContext
    let before = try await view.search(Page.matching("grace"))
    await view.update(pages[1]) { $0.stars = 5 }
    await view.update(pages[2]) { $0.title = "grace" }
    let after = try await view.search(Page.matching("grace"))
    #expect(after.map(\.entity.id) == ["1", "2", "3"])
    #expect(after.prefix(2).map(\.relevance) == before.map(\.relevance))
    #expect(after[2].relevance == 0 && after[2].excerpt.text == "grace")
    #expect(try await view.search(Page.matching("grace").limit(2)).map(\.entity.id) == ["1", "2"])
    await stack.close()
  }
}
