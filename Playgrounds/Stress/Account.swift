import Foundation
import Strata

struct Account: Entity {
  var id = 0
  var balance = 0
  /// A mark of the last move, new with each move.
  ///
  /// Conflicts go by value. By the balance alone, two moves that leave the same balance would
  /// agree, and the store would lose one of them. No two moves leave the same mark.
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
