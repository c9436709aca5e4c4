import Foundation
import StrataSQLite
import StrataTesting

@testable import Strata

/// The entity of the tests of edited answers, with few distinct values in every attribute.
struct Posting: Entity, Equatable {
  var id = 0
  var title: String?
  var kind = 0
  var amount: Int64?
  var weight = 0.0
  var price = Decimal(0)
  var day: Date?
  var payerID: Payer.ID?

  static let payer = toOne(\.payerID, Payer.self)
  static let schema = Schema<Posting>("postings", key: \.id) {
    Attribute(\.title).indexed()
    Attribute(\.kind)
    Attribute(\.amount).indexed()
    Attribute(\.weight)
    Attribute(\.price)
    Attribute(\.day)
    payer
  }
}

struct Payer: Entity, Equatable {
  var id = 0
  var isOpen = true

  static let schema = Schema<Payer>("payers", key: \.id) { Attribute(\.isOpen) }
}

/// An entity whose key is no row number.
struct Sticker: Entity, Equatable {
  var id = ""
  var colour = ""
  var size = 0

  static let schema = Schema<Sticker>("stickers", key: \.id) {
    Attribute(\.colour).indexed()
    Attribute(\.size).indexed()
  }
}

extension SeededRandom {
  mutating func posting(_ id: Int) -> Posting {
    Posting(
      id: id,
      // The second and the third are one text for Swift, and two for SQLite.
      title: maybe(["", "e\u{301}", "\u{E9}", "z", "no\0te"]), kind: below(3),
      amount: maybe([0, 1, 2, -1, 1 << 33, -1 << 40]),
      weight: pick([0, 0.1, 0.2, 1e16, -1e16, 1e-9, 3]),
      price: pick([0, 1, 11 / 10, -2]),
      day: maybe([Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 9)]
      ),
      payerID: maybe([0, 1, 2]))
  }
}

/// A question about postings, for a source and for an array.
struct PostingQuestion: CustomStringConvertible {
  private let filter: Int
  private let sort: Int
  private let isReversed: Bool
  private let offset: Int
  private let limit: Int?

  init(_ random: inout SeededRandom, isWhole: Bool) {
    filter = random.below(7)
    sort = random.below(5)
    isReversed = random.oneIn(2)
    offset = isWhole || random.oneIn(3) ? 0 : random.below(30)
    limit = isWhole || random.oneIn(4) ? nil : random.below(12)
  }

  var description: String {
    "filter \(filter), sort \(sort), reversed \(isReversed), \(offset)+\(limit, default: "∞")"
  }

  var query: Query<Posting> {
    var query = Posting.all
    switch filter {
    case 1: query = query.where { $0.amount > 0 }
    case 2: query = query.where { $0.title == "\u{E9}" || $0.title == nil }
    case 3: query = query.where { !($0.weight >= 0.1) && $0.kind != 1 }
    case 4:
      query = query.where { $0.day != nil && $0.day > Date(timeIntervalSinceReferenceDate: 1) }
    case 5: query = query.where { $0.payer.isOpen }
    default: break
    }
    let order = isReversed ? SortOrder.reverse : .forward
    switch sort {
    case 1: query = query.sorted(by: \.title, order: order)
    case 2: query = query.sorted(by: \.kind).sorted(by: \.weight, order: order)
    case 3: query = query.sorted(by: \.day, order: order).sorted(by: \.amount)
    case 4: query = query.sorted(order: order) { $0.kind * 2 }
    default: break
    }
    if offset > 0 { query = query.offset(offset) }
    if let limit { query = query.limit(limit) }
    return query
  }

  func answer(_ postings: [Posting], _ payers: [Payer]) -> [Posting] {
    let open = Set(payers.filter(\.isOpen).map(\.id))
    let found = postings.filter { posting in
      switch filter {
      case 1: posting.amount.map { $0 > 0 } ?? false
      case 2: posting.title.map { Array($0.utf8) == Array("\u{E9}".utf8) } ?? true
      case 3: !(posting.weight >= 0.1) && posting.kind != 1
      case 4: posting.day.map { $0 > Date(timeIntervalSinceReferenceDate: 1) } ?? false
      case 5: posting.payerID.map(open.contains) ?? false
      default: true
      }
    }
    let sorted = found.sorted { a, b in
      func before<Value: Comparable>(_ x: Value?, _ y: Value?, _ isReversed: Bool) -> Bool? {
        if x == y { return nil }
        guard let x else { return !isReversed }
        guard let y else { return isReversed }
        return (x < y) != isReversed
      }
      let order: Bool? =
        switch sort {
        case 1: before(a.title.map(ByteText.init), b.title.map(ByteText.init), isReversed)
        case 2: before(a.kind, b.kind, false) ?? before(a.weight, b.weight, isReversed)
        case 3: before(a.day, b.day, isReversed) ?? before(a.amount, b.amount, false)
        case 4: before(a.kind, b.kind, isReversed)
        default: nil
        }
      // The key follows the direction of the last sort.
      let isKeyReversed = isReversed && [1, 2, 4].contains(sort)
      return order ?? ((a.id < b.id) != isKeyReversed)
    }
    return Array(sorted.dropFirst(offset).prefix(limit ?? .max))
  }
}

/// A text in the order of its bytes.
struct ByteText: Comparable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (a: ByteText, b: ByteText) -> Bool { Array(a.text.utf8) == Array(b.text.utf8) }
  static func < (a: ByteText, b: ByteText) -> Bool {
    Array(a.text.utf8).lexicographicallyPrecedes(Array(b.text.utf8))
  }
}
