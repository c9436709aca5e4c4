import Foundation
import Strata

/// Opens one store in 2 to 6 processes at the same moment, again and again.
///
/// The store is new, or of an earlier version, and each process inserts a row. Some processes are
/// killed. Each opening succeeds, or says that another process has migrated the store. Afterwards
/// the store has every acknowledged row.
///
/// In every fourth round a process keeps the store open while a backup is put over it, and is then
/// killed or asked to close. The next opening must find the rows of the backup.
@MainActor
struct OpeningStress {
  struct Options {
    var rounds = 1000
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))
  }

  private static let processes = 6
  private let options: Options
  private var random: SplitMix64
  private var children: [StartedProcess] = []
  private var report = Report(mode: "openings")

  init(_ options: Options) {
    self.options = options
    random = SplitMix64(seed: options.seed)
  }

  mutating func run() async throws -> Report {
    let watchdog = Watchdog(mode: "openings")
    let temporary = try TemporaryFolder()
    defer { temporary.remove() }
    for _ in 0..<Self.processes { children.append(try await start()) }
    for round in 0..<options.rounds where report.violations.count < 20 {
      watchdog.begin("round \(round)", done: round.share(of: options.rounds))
      let folder = temporary.url.appendingPathComponent("\(round)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      let store = folder.appendingPathComponent("store.sqlite")
      if round % 4 == 3 {
        try await restore(store, round)
      } else {
        try await openAtOnce(store, round)
      }
      try FileManager.default.removeItem(at: folder)
    }
    for child in children { child.kill() }
    report.require("opened", "created", "migrated", "restored")
    if options.rounds >= 100 { report.require("killed", "refused") }
    return report
  }

  private func start() async throws -> StartedProcess {
    let child = try StartedProcess(["opening-child"])
    _ = await child.output.next()
    return child
  }

  // MARK: - Openings at once

  private mutating func openAtOnce(_ store: URL, _ round: Int) async throws {
    let count = Int.random(in: 2...Self.processes, using: &random)
    // 0: a new store, 1: of version 1, 2: of version 1 for programs of both versions.
    let kind = Int.random(in: 0...2, using: &random)
    var expected: Set<Int> = []
    if kind > 0 {
      let stack = try await OpeningChild.open(store.path, version: 1)
      try await stack.withScratch { $0.insert(Guest(id: 1000)) }
      await stack.close()
      expected = [1000]
    }
    let versions = (0..<count).map { number in
      kind == 0 ? 1 : kind == 1 || number == 0 ? 2 : Int.random(in: 1...2, using: &random)
    }
    let doomed = Int.random(in: 0..<3, using: &random) == 0 ? count - 1 : nil
    for number in 0..<count {
      children[number].send("\(versions[number]) \(number) close \(store.path)")
    }
    if let doomed {
      usleep(UInt32.random(in: 0...20_000, using: &random))
      children[doomed].kill()
      children[doomed] = try await start()
      report.counts["killed", default: 0] += 1
    }
    for number in 0..<count where number != doomed {
      let answer = await children[number].output.next() ?? "ended"
      if answer == "done" {
        expected.insert(number)
        report.counts["opened", default: 0] += 1
      } else if versions[number] == 1 && kind == 2
        && (answer.hasPrefix("newerStore open") || answer.hasPrefix("schemaChanged save"))
      {
        report.counts["refused", default: 0] += 1
      } else {
        report.violations.append("round \(round), process \(number) of \(count): \(answer)")
      }
    }
    report.counts[kind == 0 ? "created" : "migrated", default: 0] += 1
    try await check(store, expected, optional: doomed, round)
  }

  private mutating func check(
    _ store: URL, _ expected: Set<Int>, optional: Int?, _ round: Int
  ) async throws {
    let stack = try await OpeningChild.open(store.path, version: 2)
    var found = Set(try await stack.fetch(NextGuest.all).map(\.id))
    await stack.close()
    if let optional, !expected.contains(optional) { found.remove(optional) }
    if found != expected {
      report.violations.append(
        "round \(round): the store has \(found.sorted()), not \(expected.sorted())")
    }
    let left = try FileManager.default.contentsOfDirectory(
      atPath: store.deletingLastPathComponent().path
    ).filter { !$0.hasPrefix("backup") && !$0.contains(".replaced-") }
    if left != ["store.sqlite"] { report.violations.append("round \(round): left \(left)") }
  }

  // MARK: - Backups

  private mutating func restore(_ store: URL, _ round: Int) async throws {
    let files = FileManager.default
    let backup = store.deletingLastPathComponent().appendingPathComponent("backup")
    await answer(children[0], "2 1 close \(store.path)", round)
    try files.copyItem(at: store, to: backup)
    // The processes write over the rows of the backup's pages, and keep the store open.
    let count = Int.random(in: 1...2, using: &random)
    for number in 0..<count {
      await answer(children[number], "2 \(number + 2) keep \(store.path)", round)
    }
    let isKilledBefore = Bool.random(using: &random)
    if isKilledBefore { try await kill(count) }
    if Bool.random(using: &random) {
      rename(backup.path, store.path)
    } else {
      try Data(contentsOf: backup).write(to: store, options: [])
    }
    if !isKilledBefore {
      if Bool.random(using: &random) {
        try await kill(count)
      } else {
        // A process closes its store before it opens another one.
        for number in 0..<count {
          let other = "\(store.path)-other\(number)"
          await answer(children[number], "2 1 close \(other)", round)
          try files.removeItem(atPath: other)
        }
      }
    }
    report.counts["restored", default: 0] += 1
    try await check(store, [1], optional: nil, round)
  }

  private mutating func kill(_ count: Int) async throws {
    for number in 0..<count {
      children[number].kill()
      children[number] = try await start()
    }
  }

  private mutating func answer(_ child: StartedProcess, _ command: String, _ round: Int) async {
    child.send(command)
    let answer = await child.output.next() ?? "ended"
    if answer != "done" { report.violations.append("round \(round): \(answer)") }
  }
}

extension OpeningStress {
  static let command = StressCommand(
    "openings",
    options: "[--rounds N] [--seed N]",
    help: """
      2 to 6 processes open one store at the same moment, N times (1,000): a new store or one
      of an earlier version, with kills; and backups that are put over a store that is open or
      was killed. Long form: as it is.
      """
  ) { given in
    var options = Options()
    options.rounds = given.count("--rounds") ?? options.rounds
    options.seed = given.seed(options.seed)
    var stress = OpeningStress(options)
    return try await stress.run()
  }
}
