internal import StrataSQLite
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Sale.self, Shop.self)) @MainActor struct ValuesTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  private func save(_ sales: [Sale]) async throws {
    try await stack.withScratch { scratch in sales.forEach(scratch.insert) }
  }

  // MARK: Against an array

  @Test func `values are those of an array, at any depth of unsaved edits`() async throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<5 {
      var book = SalesBook()
      try await stack.withScratch { scratch in
        for sale in try await scratch.fetch(Sale.all) { scratch.delete(sale) }
        for shop in try await scratch.fetch(Shop.all) { scratch.delete(shop) }
      }
      let base = stack.makeScratch()
      for _ in 0..<random.below(40) { base.apply(book.edit(&random)) }
      try await base.save()
      try await compare(stack, book, &random)
      let committed = book
      for _ in 0..<random.below(8) { view.apply(book.edit(&random)) }
      try await compare(view, book, &random)
      let sheet = view.makeScratch()
      for _ in 0..<random.below(8) { sheet.apply(book.edit(&random)) }
      try await compare(sheet, book, &random)
      let nested = sheet.makeScratch()
      for _ in 0..<random.below(8) { nested.apply(book.edit(&random)) }
      try await compare(nested, book, &random)
      try await compare(stack, committed, &random)
      view.rollback()
    }
  }

  private func compare(
    _ source: some FetchSource, _ book: SalesBook, _ random: inout SeededRandom
  ) async throws {
    for _ in 0..<6 {
      let question = SalesQuestion(&random)
      let expected = question.answer(book.sales, book.shops)
      let query = question.query
      let note = Comment("\(question)")
      #expect(try await source.fetch(query) == expected, note)
      #expect(try await source.count(query) == expected.count, note)
      #expect(try await source.exists(query) == !expected.isEmpty, note)
      #expect(try await source.fetchKeys(query) == expected.map(\.id), note)
      #expect(try await source.fetch(query, \.region) == expected.map(\.region), note)
      let chosen = try await source.fetch(query, \.kind, \.rebate, \.id)
      #expect(chosen.map(\.0) == expected.map(\.kind), note)
      #expect(chosen.map(\.1) == expected.map(\.rebate), note)
      #expect(chosen.map(\.2) == expected.map(\.id), note)
      let regions = Set(expected.map(\.region)).sorted(by: SalesQuestion.precedes)
      #expect(try await source.distinct(\.region, of: query) == regions, note)
      try await compareAggregates(source, query, expected, note)
      try await compareGroups(source, query, expected, note)
    }
  }

  private func compareAggregates(
    _ source: some FetchSource, _ query: Query<Sale>, _ expected: [Sale], _ note: Comment
  ) async throws {
    let (count, units, price, rebate) = try await source.fetch(
      .count, .sum(\.units), .sum(\.price), .sum(\.rebate), of: query)
    #expect(count == expected.count, note)
    #expect(units == expected.map { Int($0.units) }.reduce(0, +), note)
    #expect(price == expected.map(\.price).reduce(0, +), note)
    #expect(rebate == expected.compactMap(\.rebate).reduce(0, +), note)
    let stars = expected.compactMap(\.stars)
    let (starSum, starCount, average, least, most) = try await source.fetch(
      .sum(\.stars), .count(\.stars), .average(\.stars), .min(\.stars), .max(\.stars), of: query)
    #expect(starSum == stars.map(Int.init).reduce(0, +), note)
    #expect(starCount == stars.count, note)
    #expect(average == (stars.isEmpty ? nil : Double(starSum) / Double(starCount)), note)
    #expect(least == stars.min() && most == stars.max(), note)
    #expect(
      try await source.fetch(.distinctCount(\.stars), of: query) == Set(stars).count, note)
    let regions = expected.compactMap(\.region).sorted(by: SalesQuestion.precedes)
    #expect(try await source.fetch(.min(\.region), of: query) == regions.first, note)
    #expect(try await source.fetch(.max(\.region), of: query) == regions.last, note)
    let mean = try await source.fetch(.average(\.price), of: query)
    #expect(mean == (expected.isEmpty ? nil : price / Double(count)), note)
  }

  private func compareGroups(
    _ source: some FetchSource, _ query: Query<Sale>, _ expected: [Sale], _ note: Comment
  ) async throws {
    let groups = try await source.fetch(
      .count, .sum(\.units), .max(\.price), of: query.grouped(by: \.region))
    let byRegion = Dictionary(grouping: expected, by: \.region)
    let regions = byRegion.keys.sorted(by: SalesQuestion.precedes)
    #expect(groups.count == regions.count, note)
    for (expectedRegion, group) in zip(regions, groups) {
      let (region, count, units, price) = group
      let sales = byRegion[expectedRegion] ?? []
      #expect(region == expectedRegion && count == sales.count, note)
      #expect(units == sales.map { Int($0.units) }.reduce(0, +), note)
      #expect(price == sales.map(\.price).max(), note)
    }
    let pairs = try await source.fetch(.count, of: query.grouped(by: \.kind, \.units))
    var found: [String] = []
    for ((kind, units), count) in pairs {
      found.append("\(kind.rawValue) \(units)")
      #expect(count == expected.count { $0.kind == kind && $0.units == units }, note)
    }
    #expect(found == pairOrder(expected), note)
  }

  /// Returns the groups that exist, in the order of their values.
  private func pairOrder(_ sales: [Sale]) -> [String] {
    var pairs: [String] = []
    for kind in [Sale.Kind.card, .cash] {
      let units = sales.filter { $0.kind == kind }.map(\.units)
      for units in Set(units).sorted() { pairs.append("\(kind.rawValue) \(units)") }
    }
    return pairs
  }

  // MARK: Edges

  @Test func `an empty table has a sum of zero and no least value`() async throws {
    let (count, units, price, least, average) = try await view.fetch(
      .count, .sum(\.units), .sum(\.price), .min(\.units), .average(\.units), of: Sale.all)
    #expect(count == 0 && units == 0 && price == 0 && least == nil && average == nil)
    #expect(try await view.fetch(.count, of: Sale.all.grouped(by: \.kind)).isEmpty)
    #expect(try await view.fetchKeys(Sale.all).isEmpty)
    #expect(try await !view.exists(Sale.all))
  }

  @Test(arguments: [false, true])
  func `a sum fails only if it does not fit itself`(isUnsaved: Bool) async throws {
    // In this order SQLite's own sum would overflow on the way.
    let units: [Int64] = [.max, .max, .min, .min, 5]
    let sales = units.enumerated().map { Sale(id: Int64($0), units: $1) }
    try await save(sales)
    if isUnsaved { view.insert(Sale(id: 100)) }
    #expect(try await view.fetch(.sum(\.units), of: Sale.all) == 3)
    let average = try await view.fetch(.average(\.units), of: Sale.all)
    #expect(average == 3 / Double(isUnsaved ? 6 : 5))
    let error = await #expect(throws: StoreError.self) {
      try await view.fetch(.sum(\.units), of: Sale.where { $0.units > 0 })
    }
    #expect(error?.code == .invalidValue)
    #expect(error?.attributes == ["units"])
    #expect(error?.message.contains("18446744073709551619") == true)
  }

  @Test(arguments: [false, true])
  func `infinities add up as numbers do`(isUnsaved: Bool) async throws {
    try await save([Sale(id: 1, price: .infinity), Sale(id: 2, price: 1)])
    if isUnsaved { view.insert(Sale(id: 3)) }
    #expect(try await view.fetch(.sum(\.price), of: Sale.all) == .infinity)
    #expect(try await view.fetch(.average(\.price), of: Sale.all) == .infinity)
    try await save([Sale(id: 4, price: -.infinity)])
    #expect(try await view.fetch(.sum(\.price), of: Sale.all).isNaN)
    #expect(try await view.fetch(.average(\.price), of: Sale.all)?.isNaN == true)
    #expect(try await view.fetch(.min(\.price), of: Sale.all) == -.infinity)
  }

  @Test func `a key path that is no attribute is refused by name`() async throws {
    for isUnsaved in [false, true] {
      if isUnsaved { view.insert(Sale(id: 1)) }
      let error = await #expect(throws: StoreError.self) {
        _ = try await view.fetch(Sale.all, \.units.bitWidth)
      }
      #expect(error?.code == .invalidQuery)
      #expect(error?.message.contains("Sale") == true)
    }
  }

  @Test(arguments: [false, true])
  func `a stored value that is none of the type is reported by name`(isUnsaved: Bool) async throws {
    try await save([Sale(id: 1, kind: .card)])
    let path = stack.store.writer.options.path
    let other = try Connection(path: path, access: .existing, busyTimeout: .seconds(5))
    try other.execute("UPDATE sales SET kind = 'barter'")
    try await save([Sale(id: 3)])
    if isUnsaved { view.insert(Sale(id: 2)) }
    let error = await #expect(throws: StoreError.self) {
      _ = try await view.fetch(Sale.all, \.units, \.kind)
    }
    #expect(error?.code == .invalidValue)
    #expect(error?.attributes == ["kind"])
  }

  // MARK: Indexes

  @Test func `keys, existence, counts and groups are read from an index`() async throws {
    let model = stack.store.model
    let many = try QueryPlan(Sale.where { $0.units > 3 }.sorted(by: \.units), model)
    let region = try many.table.columns([\Sale.region])
    let all = try QueryPlan(Sale.all, model)
    let least = [AggregateTerm(.least, region[0])]
    for sql in [
      many.select([Table.keyColumn]), many.exists(), many.count(),
      all.summary(groupedBy: many.order.columns.prefix(1).map(\.position), []),
    ] {
      let steps = try await steps(sql)
      #expect(steps.contains { $0.contains("COVERING INDEX") }, "\(sql.text): \(steps)")
      #expect(!steps.contains { $0.contains("TEMP B-TREE") }, "\(sql.text): \(steps)")
    }
    // The groups of a text are joined once more. There are far fewer of them than rows.
    for terms: [AggregateTerm<Int>] in [[], [AggregateTerm(.rows)]] {
      let steps = try await steps(all.summary(groupedBy: region, terms))
      #expect(steps.contains { $0.contains("COVERING INDEX") }, "\(steps)")
      #expect(steps.count { $0.contains("TEMP B-TREE") } == 1, "\(steps)")
    }
    #expect(try await steps(all.summary(groupedBy: [], least)).contains { $0.contains("SEARCH") })
  }

  private func steps(_ sql: SQLBuilder) async throws -> [String] {
    try await stack.store.snapshot().read { _, connection throws(StoreError) in
      try connection.prepared("EXPLAIN QUERY PLAN \(sql.text)").map { $0.string(3) }
    }
  }
}
