import Foundation
import Strata

struct Purse: Entity, Equatable {
  var id = 0
  var balance = 0

  static let sheets = manyToMany(Sheet.self)
  static let schema = Schema<Purse>("purses", key: \.id) {
    Attribute(\.balance)
    sheets
  }
}

/// A part of the money of a purse. Its key may change on the server.
struct Pouch: Entity, Equatable {
  var id = 0
  var amount = 0

  static let schema = Schema<Pouch>("pouches", key: \.id) { Attribute(\.amount) }
}

struct Sheet: Entity, Equatable {
  var id = UUID()
  var title = ""
  var length: Int?
  var at = Date()

  static let schema = Schema<Sheet>("sheets", key: \.id) {
    Attribute(\.title)
    Attribute(\.length)
    Attribute(\.at)
  }
}

/// A part of a sheet, which a partial store has if it has the sheet.
struct Leaf: Entity, Equatable {
  var id = UUID()
  var sheet: Sheet.ID?
  var text = ""

  static let owner = toOne(\.sheet, Sheet.self, onDelete: .cascade)
  static let schema = Schema<Leaf>("leaves", key: \.id) {
    owner
    Attribute(\.text)
  }
}

/// A counter that every replica and every writer raises, together with a ``Deed``.
///
/// So the sum of the counters is the number of deeds, in every state of every store.
struct Tally: Entity, Equatable {
  var id = 0
  var count = 0
  var note = ""

  static let schema = Schema<Tally>("tallies", key: \.id) {
    Attribute(\.count).merged(by: .sum)
    Attribute(\.note)
  }
}

struct Deed: Entity, Equatable {
  var id = UUID()
  var doer = ""

  static let schema = Schema<Deed>("deeds", key: \.id) { Attribute(\.doer) }
}

/// A row that the server refuses if its amount is negative, or more than its column can have.
struct Offer: Entity, Equatable {
  var id = UUID()
  var amount = 0

  static let schema = Schema<Offer>("offers", key: \.id) { Attribute(\.amount) }

  static func isRefused(_ amount: Int) -> Bool { amount < 0 || amount > Int32.max }

  static func amount(_ random: inout SplitMix64) -> Int {
    random.oneIn(8) ? 1 << 40 : random.below(10) - 2
  }
}

/// A row whose name no other row has.
struct Nickname: Entity, Equatable {
  var id = UUID()
  var name = ""

  static let schema = Schema<Nickname>("nicknames", key: \.id) { Attribute(\.name).unique() }
}
