import Strata

/// An account whose money workers move. The sum of all balances never changes.
struct Account: Entity, Equatable {
  var id = 0
  var owner = ""
  var balance = 0
  /// A random mark of the last transfer.
  ///
  /// Conflicts go by value, and two edits that agree never conflict. By the balance alone, two
  /// transfers that leave the same balance would agree.
  var transfer: UInt64 = 0
  var branchID: Branch.ID?

  static let branch = toOne(\.branchID, Branch.self, onDelete: .nullify)
  static let schema = Schema<Account>("accounts", key: \.id) {
    Attribute(\.owner).indexed()
    Attribute(\.balance)
    Attribute(\.transfer)
    branch
  }
}

/// A branch that accounts refer to. Workers insert and delete branches all the time.
struct Branch: Entity, Equatable {
  var id = 0
  var name = ""

  static let accounts = toMany(\Account.branchID)
  static let schema = Schema<Branch>("branches", key: \.id) {
    Attribute(\.name).unique()
    accounts
  }
}
