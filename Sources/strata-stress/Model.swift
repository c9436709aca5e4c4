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

/// A generator that repeats itself exactly: SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
