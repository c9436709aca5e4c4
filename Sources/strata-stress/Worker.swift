import Strata

/// Moves money and edits branches at random, through scratch contexts of its own.
actor Worker {
  private let stack: Stack
  private var random: SeededGenerator
  private(set) var saves = 0
  private(set) var conflicts = 0
  private(set) var violations: [String] = []

  init(_ stack: Stack, seed: UInt64) {
    self.stack = stack
    random = SeededGenerator(seed)
  }

  func run(until deadline: ContinuousClock.Instant) async {
    while ContinuousClock.now < deadline && violations.count < 10 {
      do throws(StoreError) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: try await transfer()
        case 5..<8: try await editBranch()
        case 8: try await discard()
        default: try await checkSum()
        }
        saves += 1
      } catch {
        // Others move the same money and take the same names: refusals are part of the game.
        let isExpected: [StoreError.Code] = [.conflict, .uniquenessViolated]
        if isExpected.contains(error.code) { conflicts += 1 } else { violations.append("\(error)") }
      }
    }
  }

  /// Both sides in one commit, or neither.
  private func transfer() async throws(StoreError) {
    let scratch = stack.scratch()
    let ids = [
      Int.random(in: 0..<Bank.accounts, using: &random),
      Int.random(in: 0..<Bank.accounts, using: &random),
    ]
    let accounts = try await scratch.find(Account.self, ids)
    guard ids[0] != ids[1], accounts.count == 2 else { return }
    let amount = Int.random(in: 1...50, using: &random)
    let transfer = random.next()
    scratch.update(accounts[0]) { ($0.balance, $0.transfer) = ($0.balance - amount, transfer) }
    scratch.update(accounts[1]) { ($0.balance, $0.transfer) = ($0.balance + amount, transfer) }
    try await scratch.save()
  }

  /// Deletes, inserts or renames a branch; accounts that refer to it follow the delete rule.
  private func editBranch() async throws(StoreError) {
    let scratch = stack.scratch()
    let id = Int.random(in: 0..<20, using: &random)
    if let branch = try await scratch.find(Branch.self, id) {
      if Bool.random(using: &random) {
        scratch.delete(branch)
      } else {
        let name = "Branch \(Int.random(in: 0..<40, using: &random))"
        scratch.update(branch) { $0.name = name }
      }
    } else {
      scratch.upsert(Branch(id: id, name: "Branch \(id)"))
      let account = Int.random(in: 0..<Bank.accounts, using: &random)
      if let account = try await scratch.find(Account.self, account) {
        scratch.update(account) { $0.branchID = id }
      }
    }
    try await scratch.save()
  }

  private func discard() async throws(StoreError) {
    let scratch = stack.scratch()
    for account in try await scratch.fetch(Account.all.limit(5)) { scratch.delete(account) }
    scratch.discard()
    try await scratch.save()
  }

  /// Every state that anybody can read has the whole sum.
  private func checkSum() async throws(StoreError) {
    let sum = try await stack.fetch(Account.all).reduce(0) { $0 + $1.balance }
    if sum != Bank.total { violations.append("a snapshot has \(sum) instead of \(Bank.total)") }
  }
}

enum Bank {
  static let accounts = 200
  static let total = accounts * 1000
}
