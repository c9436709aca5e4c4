import Foundation
import StrataTesting

@testable import Strata

/// The entity of the fetch tests.
///
/// Its attributes have few distinct values, so that groups have several members.
struct Sale: Entity, Equatable {
  enum Kind: String, ComparableValue { case cash, card }

  var id: Int64 = 0
  var region: String?
  var kind = Kind.cash
  var units: Int64 = 0
  var stars: Int8?
  var price = 0.0
  var rebate: Double?
  var shopID: Shop.ID?

  static let shop = toOne(\.shopID, Shop.self)
  static let schema = Schema<Sale>("sales", key: \.id) {
    Attribute(\.region).indexed()
    Attribute(\.kind)
    Attribute(\.units).indexed()
    Attribute(\.stars)
    Attribute(\.price)
    Attribute(\.rebate)
    shop
  }
}

struct Shop: Entity, Equatable {
  var id: Int64 = 0
  var isOpen = true

  static let sales = toMany(\Sale.shopID)
  static let schema = Schema<Shop>("shops", key: \.id) {
    Attribute(\.isOpen)
    sales
  }
}

/// A question about sales, for the store and for an array.
struct SalesQuestion: CustomStringConvertible {
  private let least: Int64?
  private let isOpen: Bool?
  private let sort: Int
  private let offset: Int
  private let limit: Int?

  init(_ random: inout SeededRandom) {
    least = random.oneIn(2) ? nil : Int64(random.below(4))
    isOpen = random.oneIn(3) ? random.oneIn(2) : nil
    sort = random.below(3)
    offset = random.oneIn(3) ? random.below(5) : 0
    limit = random.oneIn(2) ? nil : random.below(12)
  }

  var description: String {
    "units ≥ \(least, default: "–"), open \(isOpen, default: "–"), sort \(sort), \(offset)+\(limit, default: "∞")"
  }

  var query: Query<Sale> {
    var query = Sale.all
    if let least { query = query.where { $0.units >= least } }
    if let isOpen { query = query.where { $0.shop.isOpen == isOpen } }
    if sort == 1 { query = query.sorted(by: \.region, order: .reverse) }
    if sort == 2 { query = query.sorted(by: \.price).sorted(by: \.kind) }
    if offset > 0 { query = query.offset(offset) }
    if let limit { query = query.limit(limit) }
    return query
  }

  func answer(_ sales: [Int64: Sale], _ shops: [Int64: Shop]) -> [Sale] {
    let found = sales.values.filter { sale in
      if let least, sale.units < least { return false }
      guard let isOpen else { return true }
      return sale.shopID.flatMap { shops[$0]?.isOpen } == isOpen
    }
    let sorted = found.sorted { a, b in
      switch sort {
      case 1: return a.region == b.region ? b.id < a.id : Self.precedes(b.region, a.region)
      case 2 where a.price != b.price: return a.price < b.price
      case 2 where a.kind != b.kind: return a.kind.rawValue < b.kind.rawValue
      default: return a.id < b.id
      }
    }
    return Array(sorted.dropFirst(offset).prefix(limit ?? .max))
  }

  /// Orders nil first, and texts byte by byte.
  static func precedes(_ a: String?, _ b: String?) -> Bool {
    guard let b else { return false }
    guard let a else { return true }
    return Array(a.utf8).lexicographicallyPrecedes(Array(b.utf8))
  }
}

/// Sales and shops as plain dictionaries, which are edited at random together with a context.
struct SalesBook {
  var sales: [Int64: Sale] = [:]
  var shops: [Int64: Shop] = [:]

  enum Edit {
    case insert(Sale), change(Sale, Sale), delete(Sale)
    case insertShop(Shop), changeShop(Shop, Shop)
  }

  private func sale(_ id: Int64, _ random: inout SeededRandom) -> Sale {
    Sale(
      id: id, region: random.maybe(["north", "south", "", "no\0rth", "é"]),
      kind: random.pick([.cash, .card]), units: random.pick([0, 1, 2, 3, -1, 1 << 33, -1 << 40]),
      stars: random.maybe([-128, 0, 5, 127]),
      // Sums of these are exact, so their order does not matter.
      price: Double(random.below(64)) / 4 - 4, rebate: random.maybe([0, 0.5, 2]),
      shopID: random.maybe(Array(0..<5)))
  }

  /// Makes a random edit, applies it to the dictionaries and returns it.
  mutating func edit(_ random: inout SeededRandom) -> Edit {
    if random.oneIn(6) {
      let id = Int64(random.below(4))
      guard let shop = shops[id] else {
        shops[id] = Shop(id: id, isOpen: random.oneIn(2))
        return .insertShop(shops[id] ?? Shop())
      }
      var changed = shop
      changed.isOpen.toggle()
      shops[id] = changed
      return .changeShop(shop, changed)
    }
    let id = Int64(random.below(24))
    let new = sale(id, &random)
    guard let old = sales[id] else {
      sales[id] = new
      return .insert(new)
    }
    if random.oneIn(4) {
      sales[id] = nil
      return .delete(old)
    }
    sales[id] = new
    return .change(old, new)
  }
}

extension ScratchContext {
  func apply(_ edit: SalesBook.Edit) {
    switch edit {
    case .insert(let sale): insert(sale)
    case .change(let old, let new): update(old) { $0 = new }
    case .delete(let sale): delete(sale)
    case .insertShop(let shop): insert(shop)
    case .changeShop(let old, let new): update(old) { $0 = new }
    }
  }
}

extension ViewContext {
  func apply(_ edit: SalesBook.Edit) {
    switch edit {
    case .insert(let sale): insert(sale)
    case .change(let old, let new): update(old) { $0 = new }
    case .delete(let sale): delete(sale)
    case .insertShop(let shop): insert(shop)
    case .changeShop(let old, let new): update(old) { $0 = new }
    }
  }
}
