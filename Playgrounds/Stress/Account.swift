import Foundation
import Strata

struct Account: Entity {
  var id = 0
  var balance = 0
  /// The last move, new with each one. Conflicts go by value: two that leave the same balance
  /// agree, and one of them would be lost. No two leave the same move.
  var move = UUID.timeOrdered()

  static let schema = Schema<Account>("accounts", key: \.id) {
    Attribute(\.balance)
    Attribute(\.move)
  }

  mutating func add(_ amount: Int) {
    balance += amount
    move = .timeOrdered()
  }
}

struct Tally {
  var moves = 0
  var conflicts = 0

  static func += (left: inout Tally, right: Tally) {
    left.moves += right.moves
    left.conflicts += right.conflicts
  }
}
