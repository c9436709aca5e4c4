import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// The indexes of words and places, which must have the rows' content after any change.
@Suite(.inTurn) struct SearchIndexTests {
  @Test(arguments: 1...6) func `a random history leaves the indexes exact`(run: Int) async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    var model: [String: Page] = [:]
    for shelf in 0..<4 {
      try await stack.withScratch {
        $0.insert(
          Shelf(
            id: Int64(shelf), name: random.pick(Word.all).text,
            latitude: degrees(90, &random) ?? 0, longitude: degrees(180, &random) ?? 0))
      }
    }
    for _ in 0..<25 {
      let scratch = stack.makeScratch()
      for _ in 0..<(1 + random.below(12)) {
        let id = "n\(random.below(60))"
        var changed = page(id, &random)
        changed.shelfID = random.oneIn(3) ? Int64(random.below(4)) : nil
        switch (random.below(6), model[id]) {
        case (0, let stored?), (1, let stored?):
          scratch.delete(stored)
          model[id] = nil
        case (2, let stored?):
          // This update changes no indexed attribute.
          model[id] = scratch.update(stored) { $0.stars += 1 }
        case (3, let stored?):
          model[id] = scratch.update(stored) {
            $0.title = changed.title
            $0.latitude = changed.latitude
          }
        case (_, nil):
          scratch.insert(changed)
          model[id] = changed
        default:
          scratch.upsert(changed)
          model[id] = changed
        }
      }
      try await scratch.save()
      try stack.checkSearch()
    }
    // A deletion with a cascade.
    let gone = Int64(random.below(4))
    try await stack.withScratch { scratch in
      if let shelf = try await scratch.find(Shelf.self, gone) { scratch.delete(shelf) }
    }
    model = model.filter { $0.value.shelfID != gone }
    try stack.checkSearch()
    let stored = try await stack.fetch(Page.all)
    #expect(Set(stored.map(\.id)) == Set(model.keys))
    for note in stored { #expect(model[note.id] == note) }
    await stack.close()
  }

  @Test func `rows that swap a unique value are parked, and stay indexed`() async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let notes = (0..<3).map { number in
      Page(
        id: "\(number)", title: "word\(number)", latitude: Double(number), longitude: 5,
        seat: number)
    }
    try await stack.withScratch { scratch in for note in notes { scratch.insert(note) } }
    try await stack.withScratch { scratch in
      for note in notes {
        scratch.update(note) {
          $0.seat = (note.seat ?? 0) == 2 ? 0 : (note.seat ?? 0) + 1
          $0.title = "moved\(note.id)"
          $0.latitude = 50 + ($0.latitude ?? 0)
        }
      }
    }
    try stack.checkSearch()
    #expect(try await stack.fetch(Page.matching("moved1")).map(\.id) == ["1"])
    #expect(try await stack.fetch(Page.matching("word1")).isEmpty)
    let region = GeoRegion(south: 51, west: 0, north: 51, east: 10)
    #expect(try await stack.fetch(Page.where { $0.location.isIn(region) }).map(\.id) == ["1"])
    await stack.close()
  }

  @Test func `an undo, a redo and a failed save leave the indexes exact`() async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let view = await stack.viewContext
    let note = Page(id: "a", title: "first words", latitude: 1, longitude: 2)
    await view.insert(note)
    try await view.save()
    await view.update(note) { ($0.title, $0.latitude) = ("second words", nil) }
    try await view.save()
    await view.undo()
    try await view.save()
    try stack.checkSearch()
    #expect(try await view.fetch(Page.matching("first")).map(\.id) == ["a"])
    await view.redo()
    try await view.save()
    try stack.checkSearch()
    #expect(try await view.fetch(Page.matching("first")).isEmpty)
    let error = await failure {
      try await stack.withScratch { scratch in
        scratch.insert(Page(id: "b", title: "lost", latitude: 3, longitude: 3, seat: 1))
        scratch.insert(Page(id: "c", title: "lost", seat: 1))
      }
    }
    #expect(error?.code == .uniquenessViolated)
    try stack.checkSearch()
    #expect(try await view.fetch(Page.matching("lost")).isEmpty)
    await stack.close()
  }

  @Test func `an evicted row is not found any more`() async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    try await stack.withScratch { scratch in
      for number in 0..<50 {
        scratch.insert(
          Page(id: "\(100 + number)", title: "word", stars: number, latitude: 1, longitude: 1))
      }
    }
    #expect(try await stack.evict(Eviction<Page>.beyond(newest: 10, by: \.stars)).evicted == 40)
    try stack.checkSearch()
    #expect(try await stack.fetch(Page.matching("word")).count == 10)
    await stack.close()
  }

  /// SQLite promises to keep row numbers only if they are the table's key. The indexes refer to
  /// rows by these numbers.
  @Test func `VACUUM keeps the indexes exact`() async throws {
    var random = SeededRandom.printingSeed()
    let file = try StoreFile()
    let notes = (0..<300).map { page("\($0)", &random) }
    try await file.open(Page.self, Shelf.self) { stack in
      try await stack.withScratch { scratch in for note in notes { scratch.insert(note) } }
      try await stack.withScratch { scratch in
        for note in notes where random.oneIn(2) { scratch.delete(note) }
      }
    }
    try file.execute("VACUUM")
    try await file.open(Page.self, Shelf.self) { stack in try stack.checkSearch() }
  }

  @Test func `names of any characters can be searched`() async throws {
    struct Odd: Entity {
      var id = ""
      var text = ""
      var rowid = 1
      var north = 0.0
      var east = 0.0
      static let place = spatial(\.north, \.east)
      static let schema = Schema<Odd>("o\"d'd. täble_data", key: \.id) {
        Attribute(\.text, "te\"x't [odd]").fullText()
        Attribute(\.rowid)
        Attribute(\.north, "no\"rth")
        Attribute(\.east, "east'")
        place
        FullText<Odd>(.unicode61(inWords: "-'\u{301}\"", separators: "x"), prefixes: 1, 2)
      }
    }
    let stack = try await Stack.temporary(Odd.self)
    try await stack.withScratch { scratch in
      scratch.insert(Odd(id: "1", text: "grace-note doxey", north: 3, east: 4))
      scratch.insert(Odd(id: "2", text: "grace note", rowid: 7, north: 5, east: 4))
    }
    try stack.checkSearch()
    let found = { (text: SearchText) in
      try await stack.fetch(Odd.where { $0.matches(text, in: \.text) }).map(\.id)
    }
    #expect(try await found(.words("grace-note ey")) == ["1"])
    #expect(try await found(.prefix("gr")) == ["1", "2"])
    let near = Odd.where {
      $0.place.isWithin(meters: 10, of: Coordinate(latitude: 5, longitude: 4))
    }
    #expect(try await stack.fetch(near).map(\.id) == ["2"])
    await stack.close()
  }

  @Test func `an update of other attributes leaves the indexes alone`() async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let note = Page(id: "a", title: "words", latitude: 1, longitude: 2)
    try await stack.withScratch { $0.insert(note) }
    let search = try #require(stack.store.model.table(of: Page.self).search)
    let contents = {
      let connection = try Connection(path: stack.store.writer.options.path)
      return try search.indexes.map { index in
        try connection.integer(
          "SELECT total(length(\(index.module == .fts5 ? "block" : "data"))) FROM "
            + index.storage[0].quotedIdentifier)
      }
    }
    let before = try contents()
    for _ in 0..<20 {
      try await stack.withScratch { scratch in
        guard let note = try await scratch.find(Page.self, "a") else { return }
        scratch.update(note) { $0.stars += 1 }
      }
    }
    #expect(try contents() == before)
    #expect(before.allSatisfy { ($0 ?? 0) > 0 })
    await stack.close()
  }
}
