import Strata

/// Money that workers move about: the sum never changes.
struct Account: Entity, Equatable {
  var id = 0
  var owner = ""
  var balance = 0
  /// The last transfer. Conflicts go by value: two transfers that leave the same balance would not
  /// notice each other by the balance alone, as two edits that agree never conflict.
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

/// Something to refer to, inserted and deleted all the time.
struct Branch: Entity, Equatable {
  var id = 0
  var name = ""

  static let accounts = toMany(\Account.branchID)
  static let schema = Schema<Branch>("branches", key: \.id) {
    Attribute(\.name).unique()
    accounts
  }
}
