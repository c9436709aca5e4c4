import Foundation
import Strata
import StrataImport

/// Imports under ten live queries, with a heartbeat on the main actor.
///
/// Strata must not hold the main actor, whatever the import brings.
struct LiveStress {
  struct Options {
    var rows = 1_000_000
    var seed: UInt64 = 1
  }

  /// The longest time that the main actor may be held.
  private static let most = Duration.milliseconds(8)

  private static let mapping = JSONMapping<Account> {
    Field(\.id, "id")
    Field(\.owner, "owner")
    Field(\.balance, "balance")
    Field(\.transfer, "transfer")
    Field(\.branchID, "branchID")
  }
  private let options: Options

  init(_ options: Options) { self.options = options }

  @MainActor
  func run() async throws -> Report {
    var report = Report(mode: "live")
    let watchdog = Watchdog(mode: "live", work: .seconds(min(options.rows, 100_000_000) / 1000))
    let temporary = try TemporaryFolder()
    defer { temporary.remove() }
    let folder = temporary.url
    let stack = try await Stack.open(
      Account.self, Branch.self, at: folder.appendingPathComponent("store.sqlite"))
    try await stack.withScratch { scratch in
      for id in 0..<100 { scratch.insert(Branch(id: id, name: "\(id)")) }
    }
    let followers = try await followers(of: stack.viewContext)
    let idle = try await Heartbeat.beats { try await Task.sleep(for: .seconds(1)) }
    let rows = AccountFeed(rows: options.rows, seed: options.seed)
    watchdog.begin("the import")
    let beats = try await Heartbeat.beats {
      try await stack.importJSON(
        Account.self, from: .chunks(rows), as: .lines, mapping: Self.mapping)
    }
    watchdog.begin("checking")
    report.add("idle", idle)
    report.add("import", beats)
    let longest = beats.held.quantile(1)
    if longest > Self.most {
      report.violations.append("the main actor was held for \(longest)")
    }
    for follower in followers {
      if let problem = try await follower.problem(stack.viewContext) {
        report.violations.append(problem)
      }
      report.counts["updates", default: 0] += follower.updates
      report.counts["loads", default: 0] += follower.loads
    }
    report.counts["rows"] = try await stack.count(Account.all)
    report.counts["beats"] = beats.waits.count
    report.require("rows", atLeast: max(1, options.rows))
    report.require("updates", "beats")
    report.counts["megabytes"] = Memory.peak / 1_048_576
    await stack.close()
    return report
  }

  /// Returns followers of lists, windows, sections and a query through a reference.
  @MainActor
  private func followers(of view: ViewContext) async throws -> [Follower] {
    var followers: [Follower] = []
    for query in [
      Account.all, Account.sorted(by: \.balance, order: .reverse).limit(50),
      Account.sorted(by: \.owner).offset(1_000).limit(100),
      Account.where { $0.balance < 1_000 }, Account.where { $0.balance > 900_000 },
      Account.where { $0.owner.hasPrefix("Owner 7") }.sorted(by: \.balance),
      Account.where { $0.branch.name == "7" }, Account.where { $0.branchID == 9 },
      Account.where { $0.id >= 500_000 }.sorted(by: \.owner, order: .reverse).limit(500),
    ] {
      followers.append(try await Follower(query, view.live(query)))
    }
    let small = Account.where { $0.balance < 20_000 }
    let sectioned = view.live(small, sectionedBy: \.owner)
    followers.append(
      try await Follower(small.sorted(by: \.owner), sectioned.live, sections: sectioned))
    return followers
  }
}

/// A live query with a subscriber on the main actor.
@MainActor
private final class Follower {
  private let query: Query<Account>
  private let live: LiveQuery<Account>
  private let sections: SectionedLiveQuery<Account, String>?
  private(set) var updates = 0
  private var count = 0
  private var task: Task<Void, Never>?

  init(
    _ query: Query<Account>, _ live: LiveQuery<Account>,
    sections: SectionedLiveQuery<Account, String>? = nil
  ) async throws {
    self.query = query
    self.live = live
    self.sections = sections
    try await live.waitUntilLoaded()
    count = live.elements.count
    task = Task { [weak self, updates = live.updates] in
      for await update in updates { self?.take(update) }
    }
  }

  private func take(_ update: LiveUpdate<Account>) {
    updates += 1
    count += update.insertions.count - update.deletions.count
    if update.isReset { count = update.elements.count }
  }

  var loads: Int { live.statistics.loads }

  /// Returns the fault of the shown elements, or nil.
  func problem(_ view: ViewContext) async throws -> String? {
    let fetched = try await view.fetch(query)
    let elements = live.elements
    let isRight = await Task.detached { Array(elements) == fetched }.value
    while count != fetched.count && updates < 1_000_000 {
      let before = updates
      await Task.yield()
      if updates == before && count == live.elements.count { break }
    }
    if !isRight { return "a live query of \(elements.count) is not what a fetch returns" }
    if count != fetched.count { return "updates make \(count) of \(fetched.count)" }
    if let sections {
      let shown = sections.sections.map { (name: $0.name, accounts: Array($0.elements)) }
      if shown.flatMap(\.accounts) != fetched { return "the sections are not what a fetch returns" }
      for section in shown where section.accounts.contains(where: { $0.owner != section.name }) {
        return "section \(section.name) has an account of another name"
      }
    }
    return nil
  }
}

/// Accounts as lines of JSON, generated while they are read.
private struct AccountFeed: AsyncSequence, Sendable {
  let rows: Int
  let seed: UInt64

  struct AsyncIterator: AsyncIteratorProtocol {
    var random: SplitMix64
    var next = 0
    let rows: Int

    mutating func next() async -> Data? {
      if next >= rows { return nil }
      var text = ""
      for id in next..<Swift.min(next + 1_000, rows) {
        let balance = Int.random(in: 0..<1_000_000, using: &random)
        text += "{\"id\":\(id),\"owner\":\"Owner \(id % 97)\",\"balance\":\(balance),"
        text += "\"transfer\":\(random.next() >> 1),\"branchID\":\(id % 120)}\n"
      }
      next += 1_000
      return Data(text.utf8)
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(random: SplitMix64(seed: seed), rows: rows)
  }
}

extension Report {
  /// Adds the waits for turns of the main actor, and the times that it was held, in microseconds.
  fileprivate mutating func add(_ name: String, _ beats: Heartbeat.Beats) {
    for (kind, times) in [("Wait", beats.waits), ("Held", beats.held)] {
      for (part, value) in [("P50", 0.5), ("P99", 0.99), ("Max", 1)] {
        counts["\(name)\(kind)\(part)"] = Int(times.quantile(value) / .microseconds(1))
      }
    }
  }
}

/// The memory of the process.
private enum Memory {
  /// The largest resident size in bytes.
  static var peak: Int {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(.init(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss * 1024
    #else
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #endif
  }
}

extension LiveStress {
  static let command = StressCommand(
    "live",
    options: "[--rows N] [--seed N]",
    help: """
      An import of N rows (1,000,000) under ten live queries: how long turns of the main actor
      take to come, and how long it is held, in microseconds. Long form: as it is.
      """
  ) { given in
    var options = Options()
    options.rows = given.count("--rows") ?? options.rows
    options.seed = given.seed(options.seed)
    return try await LiveStress(options).run()
  }
}
