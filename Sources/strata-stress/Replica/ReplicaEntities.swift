import Foundation
import Strata

struct Purse: Entity, Equatable {
  var id = 0
  var balance = 0

  static let schema = Schema<Purse>("purses", key: \.id) { Attribute(\.balance) }
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
