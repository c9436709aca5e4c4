import Foundation
import Strata

/// Worker actors and the view context against one store, with invariants checked on the way.
struct WorkerStress {
  struct Options {
    var seconds = 5.0
    var seed = UInt64.random(in: 0...UInt64.max)
    var workers = 4
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  @MainActor
  func run() async throws -> Report {
    let stack = try await Stack.temporary(Account.self, Branch.self)
    try await stack.withScratch { scratch in
      for id in 0..<Bank.accounts {
        scratch.insert(Account(id: id, owner: "Owner \(id % 17)", balance: 1000))
      }
    }
    let rich = stack.view.live(
      Account.where { $0.balance > 1000 }.sorted(by: \.balance, .descending))
    let top = stack.view.live(Account.sorted(by: \.balance, .descending).limit(10))
    let branches = stack.view.live(Branch.sorted(by: \.name))
    try await rich.load()
    try await top.load()
    try await branches.load()
    let follower = Follower()
    let changes = stack.changes
    let following = Task { await follower.follow(changes) }

    let workers = (0..<options.workers).map { Worker(stack, seed: options.seed &+ UInt64($0)) }
    let deadline = ContinuousClock.now + .seconds(options.seconds)
    var report = Report(mode: "workers")
    await withTaskGroup { group in
      for worker in workers { group.addTask { await worker.run(until: deadline) } }
      while ContinuousClock.now < deadline {
        await editOnView(stack, &report)
        report.counts["checkpoints", default: 0] += 1
      }
    }
    try await check(
      rich, Account.where { $0.balance > 1000 }.sorted(by: \.balance, .descending),
      stack, &report)
    try await check(top, Account.sorted(by: \.balance, .descending).limit(10), stack, &report)
    try await check(branches, Branch.sorted(by: \.name), stack, &report)
    let accounts = try await stack.fetch(Account.all)
    let sum = accounts.reduce(0) { $0 + $1.balance }
    if sum != Bank.total { report.violations.append("the sum is \(sum)") }
    let branchIDs = Set(try await stack.fetch(Branch.all).map(\.id))
    for account in accounts where account.branchID.map(branchIDs.contains) == false {
      report.violations.append("account \(account.id) refers to a branch that was deleted")
    }
    for worker in workers {
      report.counts["saves", default: 0] += await worker.saves
      report.counts["conflicts", default: 0] += await worker.conflicts
      report.violations += await worker.violations
    }
    await stack.close()
    await following.value
    report.violations += await follower.differences(from: accounts)
    return report
  }

  /// Renames an owner on the view context while everything else goes on.
  @MainActor
  private func editOnView(_ stack: Stack, _ report: inout Report) async {
    do {
      guard let account = try await stack.view.fetch(Account.sorted(by: \.owner).limit(1)).first
      else { return }
      stack.view.update(account) {
        $0.owner = "Owner \(report.counts["checkpoints", default: 0] % 31)"
      }
      try await stack.view.save()
      report.counts["saves", default: 0] += 1
    } catch {
      report.violations.append("the view could not save: \(error)")
      stack.view.rollback()
    }
  }

  @MainActor
  private func check<E: Entity>(
    _ live: LiveQuery<E>, _ query: Query<E>, _ stack: Stack, _ report: inout Report
  ) async throws {
    let fetched = try await stack.view.fetch(query)
    if Array(live.elements).map(\.description) != fetched.map(\.description) {
      report.violations.append("a live query of \(E.self) differs from a fetch")
    }
  }
}

extension Entity {
  fileprivate var description: String { "\(self)" }
}

/// Rebuilds the accounts from the change stream alone.
private actor Follower {
  private var accounts: [Int: Account] = [:]

  func follow(_ changes: ChangeStream<ChangeSet>) async {
    for await set in changes {
      let changes = set.changes(of: Account.self)
      for account in changes.inserted { accounts[account.id] = account }
      for update in changes.updated { accounts[update.after.id] = update.after }
      for account in changes.deleted { accounts[account.id] = nil }
    }
  }

  /// Accounts that were changed at least once are known completely.
  func differences(from stored: [Account]) -> [String] {
    let byID = Dictionary(uniqueKeysWithValues: stored.map { ($0.id, $0) })
    return accounts.values.filter { byID[$0.id].map { "\($0)" } != "\($0)" }
      .map { "the change stream says \($0)" }
  }
}
