import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Sale.self, Shop.self)) @MainActor struct ExplanationTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  private func save(_ count: Int) async throws {
    try await stack.withScratch { scratch in
      scratch.insert(Shop(id: 1))
      for id in 1...count {
        scratch.insert(Sale(id: Int64(id), units: Int64(id % 7), shopID: 1))
      }
    }
  }

  @Test func `an index that is used is named`() async throws {
    let explanation = try await view.explain(Sale.where { $0.units == 3 })
    #expect(explanation.indexes == ["strata_\"sales\".\"units\""])
    #expect(explanation.steps.first?.table == "sales")
    #expect(explanation.steps.first?.isScan == false)
    #expect(explanation.warnings.isEmpty, "\(explanation)")
    #expect(!explanation.includesUnsavedEdits)
  }

  @Test func `a filter that looks at every row is warned of, and what would help is named`()
    async throws
  {
    try await save(1_200)
    let explanation = try await view.explain(
      Sale.where { $0.price > 3 && $0.region.contains("n") && $0.rebate != 1 })
    #expect(explanation.warnings.map(\.kind) == [.fullScan])
    #expect(
      explanation.warnings.map(\.description) == [
        "looks at every row of Sale (1,200); add .indexed() to Sale.price"
      ])
    let part = try await view.explain(Sale.where { $0.region.contains("n") })
    #expect(part.warnings.map(\.description) == ["looks at every row of Sale (1,200)"])
    #expect(try await view.explain(Sale.all).warnings.isEmpty)
  }

  @Test func `tables inside of conditions on relationships are named, and their scans warned of`()
    async throws
  {
    try await save(10)
    let open = Sale.where { $0.shop.isOpen }
    #expect(
      try await view.explain(open).steps.flatMap(\.all).compactMap(\.table) == ["sales", "shops"])
    let dear = Shop.where { $0.sales.any { $0.price > 3 && $0.shop.isOpen } && $0.isOpen }
    let explanation = try await view.explain(dear)
    let tables = explanation.steps.flatMap(\.all).compactMap(\.table)
    #expect(Set(tables) == ["sales", "shops"] && tables.filter { $0 == "shops" }.count == 2)
    let any = try await view.explain(Shop.where { $0.sales.any { $0.price > 3 } })
    #expect(any.warnings.map(\.attributes).contains(["Sale.price"]), "\(any)")
    let none = try await view.explain(Shop.where { $0.sales.none { $0.stars.isIn([1, 2]) } })
    #expect(none.warnings.map(\.attributes).contains(["Sale.stars"]), "\(none)")
    let some = try await view.explain(Shop.where { $0.sales.any { $0.units.isIn([1, 2]) } })
    #expect(!some.warnings.contains { $0.message.contains("Sale") }, "\(some)")
    // A count uses an index.
    let count = try await view.explain(Shop.where { $0.sales.count > 2 })
    #expect(count.steps.flatMap(\.all).contains { $0.table == "sales" && !$0.isScan })
  }

  @Test func `a list of values and a beginning are helped by an index, too`() async throws {
    let list = try await view.explain(Sale.where { $0.stars.isIn([1, 2]) })
    #expect(list.warnings.map(\.attributes) == [["Sale.stars"]])
    let prefix = try await view.explain(Sale.where { $0.kind.isIn([.card]) && $0.price > 1 })
    #expect(prefix.warnings.map(\.attributes) == [["Sale.kind", "Sale.price"]])
  }

  @Test func `an index that SQLite makes for one run is none`() throws {
    let plan = try QueryPlan(Sale.where { $0.shop.isOpen }, stack.store.model)
    let automatic = QueryExplanation.Step("SEARCH t1 USING AUTOMATIC COVERING INDEX (id=?)", plan)
    #expect(automatic.index == nil && automatic.table == "shops" && automatic.isAutomatic)
    let virtual = QueryExplanation.Step("SCAN f VIRTUAL TABLE INDEX 0:M3", plan)
    #expect(virtual.index == nil && virtual.table == nil && !virtual.isAutomatic)
  }

  @Test func `a sort without an index is warned of`() async throws {
    let explanation = try await view.explain(Sale.sorted(by: \.price).limit(5))
    #expect(explanation.warnings.map(\.kind) == [.sort])
    #expect(explanation.warnings.first?.attributes == ["Sale.price"])
    #expect(try await view.explain(Sale.sorted(by: \.units).limit(5)).warnings.isEmpty)
  }

  @Test func `a filter and an order by another attribute are helped by one index`() async throws {
    try await save(1_200)
    func warnings(_ query: Query<Sale>) async throws -> [String] {
      try await view.explain(query).warnings.map(\.description)
    }
    let ofShop = try await view.explain(Shop.sales(of: 1).sorted(by: \.price, order: .reverse))
    #expect(ofShop.warnings.map(\.kind) == [.sort])
    #expect(ofShop.warnings.map(\.attributes) == [["Sale.shopID", "Sale.price"]])
    #expect(ofShop.warnings.map(\.isCompound) == [true])
    #expect(
      ofShop.warnings.map(\.description) == [
        #"sorts the rows that it finds; add Index(\.shopID, \.price) to the schema of Sale"#
      ])
    // The index serves the filter, too.
    let both = "add Index(\\.kind, \\.price, \\.rebate) to the schema of Sale"
    #expect(
      try await warnings(
        Sale.where { $0.kind == .card }.sorted(by: \.price).sorted(by: \.rebate).limit(9))
        == ["looks at every row of Sale (1,200); \(both)", "sorts the rows that it finds; \(both)"])
    // An index has neither two directions nor the order of a language.
    #expect(
      try await warnings(Sale.where { $0.units == 1 }.sorted(by: \.region, .localized))
        == ["sorts the rows that it finds"])
    #expect(
      try await warnings(
        Sale.where { $0.units == 1 }.sorted(by: \.price).sorted(by: \.stars, order: .reverse))
        == ["sorts the rows that it finds; add Index(\\.units, \\.price) to the schema of Sale"])
    #expect(try await warnings(Shop.sales(of: 1)).isEmpty)
  }

  @Test func `an explanation reads as a tree`() async throws {
    view.insert(Sale(id: 1))
    let query = Sale.where { $0.shop.isOpen && $0.units > 2 }.sorted(by: \.units).limit(3)
    let explanation = try await view.explain(query)
    #expect(explanation.includesUnsavedEdits)
    let lines = explanation.description.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("SELECT t0.\"id\""))
    #expect(lines[1].hasPrefix("  SEARCH t0 USING INDEX strata_\"sales\".\"units\" ("))
    #expect(lines.last == "  then unsaved edits, in memory")
    #expect(explanation.steps.flatMap(\.all).map(\.table) == ["sales", "shops"])
  }

  // MARK: Repeated reads

  @Test func `a loop that reads one thing at a time is noted`() async throws {
    var options = Stack.Options()
    options.repeatedReadPause = .seconds(3_600)
    let stack = try await Stack.temporary(Sale.self, Shop.self, options: options)
    for id in 1...12 {
      _ = try await stack.viewContext.find(Sale.self, Int64(id))
      _ = try await stack.viewContext.fetch(Shop.sales(of: Int64(id)))
      _ = try await stack.viewContext.fetch(Sale.all)
    }
    let found = stack.repeatedReads
    await stack.close()
    #expect(found.map(\.entity) == ["Sale", "Sale"])
    #expect(found.filter { $0.sql == nil }.count == 1)
    #expect(found.allSatisfy { $0.count >= 10 })
  }

  @Test func `reads in one call, of the same values or far apart are not noted`() throws {
    let table = stack.store.model.table(of: Sale.self)
    let reads = RepeatedReads()
    let start = ContinuousClock.now
    for number in 0..<50 {
      let time = start + .milliseconds(number)
      reads.note(.query("same"), [.integer(1)], of: table, at: time)
      reads.note(
        .query("slow"), [.integer(Int64(number))], of: table, at: start + .seconds(number))
      if number < 9 { reads.note(.query("few"), [.integer(Int64(number))], of: table, at: time) }
    }
    #expect(reads.found.isEmpty)
    for number in 0..<12 {
      reads.note(
        .key(table.id), [.integer(Int64(number))], of: table, at: start + .milliseconds(99 * number)
      )
    }
    #expect(reads.found.map(\.count) == [12])
    #expect(reads.found[0].description.contains("found by key 12 times"))
    // The number of remembered reads is bounded.
    for number in 0..<1_000 { reads.note(.query("\(number)"), [.null], of: table) }
    #expect(reads.found.map(\.count) == [12])
  }
}
