import Strata

/// The next version of the schemas, with a renamed, a converted and a new attribute.
enum Next {
  static let version = 2
  static let entities: [any Entity.Type] = [Account.self, Branch.self, Note.self, Counter.self]

  struct Account: Entity {
    var id = 0
    var holder = ""
    var balance = 0.0
    var transfer: UInt64 = 0
    var branchID: Branch.ID?
    var remark = "none"

    static let branch = toOne(\.branchID, Branch.self, onDelete: .nullify)
    static let schema = Schema<Account>("accounts", key: \.id) {
      Attribute(\.holder).formerly("owner").indexed()
      Attribute(\.balance).converted(from: Int.self) { Double($0) }
      Attribute(\.transfer)
      branch
      Attribute(\.remark)
    }
  }

  struct Branch: Entity {
    var id = 0
    var name = ""

    static let accounts = toMany(\Account.branchID)
    static let schema = Schema<Branch>("branches", key: \.id) {
      Attribute(\.name).unique()
      accounts
    }
  }
}
