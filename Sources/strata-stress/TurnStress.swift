import Foundation
import Strata

/// What an app may ask of many rows at once, and the longest time for which the main actor is held by it.
///
/// Each shape has a store of its own, with live lists over its rows.
@MainActor
struct TurnStress {
  struct Options {
    var rows = 200_000
    /// The rows that the view context edits at once.
    var edits = 20_000
    var shape: String?
  }

  /// The longest time that the main actor may be held.
  private static let most = Duration.milliseconds(4)

  private let options: Options
  private var report = Report(mode: "turns")

  init(_ options: Options) { self.options = options }

  mutating func run() async throws -> Report {
    let watchdog = Watchdog(mode: "turns", work: .seconds(600))
    for lists in [0, 10, 100] {
      watchdog.begin("edits under \(lists) lists")
      try await edits(under: lists)
      watchdog.begin("commits under \(lists) lists")
      try await commits(under: lists)
    }
    watchdog.begin("live values of groups")
    try await groups()
    watchdog.begin("a commit below unsaved edits")
    try await commitBelowEdits()
    return report
  }

  // MARK: Shapes

  /// Edits of many rows in the view context, their undo and their save.
  private mutating func edits(under lists: Int) async throws {
    guard isWanted("edits") else { return }
    let few = Account.where { [edits = options.edits] in $0.id < edits }
    try await withStack(lists: lists) { stack, _ in
      let view = stack.viewContext
      return [
        ("update", { _ = try await view.update(few) { $0.balance += 1 } }),
        ("undo", { _ = try await view.undoInBackground() }),
        ("redo", { _ = try await view.redoInBackground() }),
        ("save", { try await view.save() }),
        ("delete", { _ = try await view.delete(few) }),
        ("rollback", { try await view.rollbackInBackground() }),
      ]
    }
  }

  /// Commits of all rows by other contexts.
  private mutating func commits(under lists: Int) async throws {
    guard isWanted("commits") else { return }
    try await withStack(lists: lists) { stack, _ in
      [
        (
          "scratchUpdate",
          {
            try await stack.withScratch { _ = try await $0.update(Account.all) { $0.balance += 1 } }
          }
        ),
        (
          "stackUpdate",
          { _ = try await stack.update(Account.all, .set(\.balance) { $0.balance + 1 }) }
        ),
        (
          "scratchDelete",
          {
            try await stack.withScratch {
              _ = try await $0.delete(Account.where { $0.id % 2 == 0 })
            }
          }
        ),
        ("stackDelete", { _ = try await stack.delete(Account.all) }),
      ]
    }
  }

  /// A commit of all rows under live values of 2,000 groups.
  private mutating func groups() async throws {
    for name in ["count", "max", "distinct"] where isWanted("groups") {
      try await withStack(lists: 0, "\(name)Groups") { stack, held in
        let view = stack.viewContext
        let grouped = Account.all.grouped(by: \.branchID)
        switch name {
        case "count":
          let live = view.live(.count, of: grouped)
          try await live.waitUntilLoaded()
          held.append(live)
        case "max":
          let live = view.live(.max(\.balance), of: grouped)
          try await live.waitUntilLoaded()
          held.append(live)
        default:
          let live = view.live(.distinctCount(\.owner), of: grouped)
          try await live.waitUntilLoaded()
          held.append(live)
        }
        return [
          (
            "",
            {
              try await stack.withScratch {
                _ = try await $0.update(Account.all) { $0.balance += 1 }
              }
            }
          )
        ]
      }
    }
  }

  /// A commit of all rows, while the view context has edits of many.
  private mutating func commitBelowEdits() async throws {
    guard isWanted("below") else { return }
    let few = Account.where { [edits = options.edits / 2] in $0.id < edits }
    try await withStack(lists: 10, "belowEdits") { stack, _ in
      _ = try await stack.viewContext.update(few) { $0.transfer += 1 }
      return [
        (
          "Commit",
          {
            try await stack.withScratch { _ = try await $0.update(Account.all) { $0.balance += 1 } }
          }
        )
      ]
    }
  }

  // MARK: Measuring

  private func isWanted(_ shape: String) -> Bool { options.shape.map { $0 == shape } ?? true }

  /// Measures steps over a store of its own, one after the other.
  private mutating func withStack(
    lists: Int, _ prefix: String = "",
    _ steps: (Stack, inout [AnyObject]) async throws -> [(
      String, @Sendable () async throws -> Void
    )]
  ) async throws {
    let stack = try await Stack.temporary(Account.self, Branch.self)
    let rows = options.rows
    try await stack.withScratch { scratch in
      for id in 0..<2_000 { scratch.insert(Branch(id: id, name: "\(id)")) }
      for id in 0..<rows {
        scratch.insert(
          Account(
            id: id, owner: "Owner \(id % 97)", balance: id * 7_919 % rows, branchID: id % 2_000))
      }
    }
    var held: [AnyObject] = []
    for number in 0..<lists {
      let live = stack.viewContext.live(Self.list(number, rows))
      try await live.waitUntilLoaded()
      held.append(live)
    }
    for (name, step) in try await steps(stack, &held) {
      let beats = try await Heartbeat.beats {
        try await step()
        // What the step leaves to later turns belongs to it.
        for _ in 0..<20 { try await Task.sleep(for: .milliseconds(5)) }
      }
      // On Linux turns on two threads have no processor time in common.
      let longest = beats.waits.quantile(1)
      let name = prefix + name + (lists > 0 || prefix.isEmpty ? "\(lists)" : "")
      report.counts[name] = Int(longest / .microseconds(1))
      if longest > Self.most {
        report.violations.append("\(name) let a turn wait for \(longest)")
      }
    }
    _ = held.count
    await stack.close()
  }

  /// Returns one of the lists: pages, lists of a branch, whole ones in several orders.
  private static func list(_ number: Int, _ rows: Int) -> Query<Account> {
    switch number % 10 {
    case 0: Account.all
    case 1: Account.sorted(by: \.balance, order: .reverse).limit(50)
    case 2: Account.where { $0.balance < 10_000 }.sorted(by: \.owner)
    case 3, 4, 5: Account.where { $0.branchID == number }.sorted(by: \.id, order: .reverse).limit(1)
    case 6: Branch.accounts(of: number).sorted(by: \.balance)
    case 7: Account.where { $0.id == number }
    default: Account.where { $0.owner == "Owner \(number)" }.limit(20)
    }
  }
}

extension TurnStress {
  static let command = StressCommand(
    "turns",
    options: "[--rows N] [--edits N] [--shape edits|commits|groups|below]",
    help: """
      The longest wait for a turn of the main actor, in microseconds, during edits of N rows at once
      (20,000) and commits of N rows (200,000), under 0, 10 and 100 live lists, and under live values
      of groups. It is to run alone on the machine.
      """
  ) { given in
    var options = Options()
    options.rows = given.count("--rows") ?? options.rows
    options.edits = given.count("--edits") ?? options.edits
    options.shape = given.text("--shape")
    var stress = TurnStress(options)
    return try await stress.run()
  }
}
