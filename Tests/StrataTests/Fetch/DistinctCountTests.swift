import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

private struct Offer: Entity, Equatable {
  var id = 0
  var price = Decimal(0)
  var indexedPrice = Decimal(0)
  var uniquePrice: Decimal?
  var home: URL?
  var sizes: [Int] = []
  var kind = 0

  static let schema = Schema<Offer>("offers", key: \.id) {
    Attribute(\.price)
    Attribute(\.indexedPrice).indexed()
    Attribute(\.uniquePrice).unique()
    Attribute(\.home)
    Attribute(\.sizes)
    Attribute(\.kind)
  }
}

/// The number of distinct values, if another program has written one value in several spellings.
///
/// The decimals `5` and `5.0` were counted as two values, and `distinct` and grouped values threw.
@Suite(.inTurn) @MainActor struct DistinctCountTests {
  private let folder: StoreFolder
  private var random = SeededRandom.printingSeed()

  init() throws { folder = try StoreFolder() }

  private static let prices = ["5", "5.0", "5.00", "0.5e1", "1.10", "1.1", "-0", "0"]
  private static let homes = ["NULL", "'http://x.test/a b'", "'http://x.test/a%20b'"]
  private static let sizes = ["'[1,2]'", "'[1, 2]'", "'[ ]'", "'[]'"]

  @Test func `equal values are counted once, wherever they are counted`() async throws {
    var random = random
    try await folder.open().close()
    let connection = try Connection(path: folder.path, .readWrite)
    for id in 0..<24 {
      let price = "'\(random.pick(Self.prices))'"
      // Only spellings that differ are unique.
      let unique = id < Self.prices.count ? "'\(Self.prices[id])'" : "NULL"
      try connection.run(
        """
        INSERT INTO offers (id, price, indexedPrice, uniquePrice, home, sizes, kind) VALUES \
        (\(id), \(price), \(price), \(unique), \(random.pick(Self.homes)), \
        \(random.pick(Self.sizes)), \(id % 3))
        """)
    }
    let stack = try await folder.open()
    let view = stack.viewContext
    try await check(stack, stack.fetch(Offer.all))
    let live = view.live(.distinctCount(\.price), of: Offer.all)
    let groups = view.live(.distinctCount(\.indexedPrice), of: Offer.all.grouped(by: \.kind))
    try await live.waitUntilLoaded()
    try await groups.waitUntilLoaded()
    for step in 0..<30 {
      let offers = try await view.fetch(Offer.all)
      try await check(view, offers)
      let note = Comment("step \(step) of seed \(random.seed)")
      #expect(live.value == Set(offers.map(\.price)).count, note)
      let expected = Dictionary(grouping: offers, by: \.kind).mapValues {
        Set($0.map(\.indexedPrice)).count
      }
      #expect(groups.value == expected, note)
      let offer = random.pick(offers)
      if random.oneIn(4) {
        view.delete(offer)
      } else {
        let other = random.pick(offers)
        view.update(offer) { ($0.price, $0.indexedPrice) = (other.price, other.indexedPrice) }
      }
      if random.oneIn(3) { try await view.save() }
    }
    await stack.close()
  }

  private func check(_ source: some FetchSource, _ offers: [Offer]) async throws {
    let note = Comment("seed \(random.seed)")
    #expect(
      try await source.fetch(.distinctCount(\.price), of: Offer.all)
        == Set(offers.map(\.price)).count, note)
    #expect(
      try await source.fetch(.distinctCount(\.indexedPrice), of: Offer.all)
        == Set(offers.map(\.indexedPrice)).count, note)
    #expect(
      try await source.fetch(.distinctCount(\.uniquePrice), of: Offer.all)
        == Set(offers.compactMap(\.uniquePrice)).count, note)
    #expect(
      try await source.fetch(.distinctCount(\.home), of: Offer.all)
        == Set(offers.compactMap(\.home)).count, note)
    #expect(
      try await source.fetch(.distinctCount(\.sizes), of: Offer.all)
        == Set(offers.map(\.sizes)).count, note)
    let groups = try await source.fetch(
      .distinctCount(\.price), of: Offer.all.grouped(by: \.kind))
    for (kind, count) in groups {
      #expect(count == Set(offers.filter { $0.kind == kind }.map(\.price)).count, note)
    }
    #expect(Set(groups.map { $0.0 }) == Set(offers.map(\.kind)), note)
    let first = Offer.sorted(by: \.id).limit(5)
    let prices = offers.sorted { $0.id < $1.id }.prefix(5).map(\.price)
    #expect(try await source.fetch(.distinctCount(\.price), of: first) == Set(prices).count, note)
  }

  /// A group and a distinct value have a name, which cannot be in two spellings.
  @Test func `equal values that are stored differently are neither groups nor distinct`()
    async throws
  {
    try await folder.open().close()
    let connection = try Connection(path: folder.path, .readWrite)
    try connection.run(
      """
      INSERT INTO offers (id, price, indexedPrice, sizes, kind) \
      VALUES (1, '5', '5', '[]', 0), (2, '5.0', '5.0', '[]', 0)
      """)
    let stack = try await folder.open()
    for path in [\Offer.price, \Offer.indexedPrice] as [any KeyPath<Offer, Decimal> & Sendable] {
      #expect(try await stack.fetch(.distinctCount(path), of: Offer.all) == 1)
      let distinct = await failure { try await stack.distinct(path, of: Offer.all) }
      #expect(distinct?.code == .invalidValue)
      let groups = await failure {
        try await stack.fetch(.count, of: Offer.all.grouped(by: path))
      }
      #expect(groups?.code == .invalidValue)
    }
    await stack.close()
  }
}

extension StoreFolder {
  fileprivate func open() async throws -> Stack { try await Stack.open(Offer.self, at: url) }
}
