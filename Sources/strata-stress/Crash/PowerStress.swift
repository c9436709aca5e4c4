import Foundation
import Strata
import StrataFaults
import StrataImport

/// Simulates losses of power at random moments, also in the middle of checkpoints, imports and
/// closing.
///
/// After a loss the store opens, is whole, and has the state after one of its commits. With `full`
/// this is the last acknowledged commit or a later one. With `normal` it is any commit.
@MainActor
struct PowerStress {
  struct Options {
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))
    /// The number of losses with each setting of `synchronous`.
    var losses = 1000
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  func run() async throws -> Report {
    var report = Report(mode: "power")
    let watchdog = Watchdog(mode: "power", work: .seconds(600))
    for (name, synchronous) in [("full", Stack.Synchronous.full), ("normal", .normal)] {
      var left = options.losses
      var seed = options.seed
      while left > 0 && report.violations.count < 100 {
        let done = options.losses - left + (synchronous == .full ? 0 : options.losses)
        watchdog.begin("\(name), seed \(seed)", done: done.share(of: options.losses * 2))
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = temporary.url
        var run = PowerRun(synchronous, seed, limit: min(left, 60), in: folder)
        let losses = try await run.run()
        left -= losses
        if losses == 0 { run.violations.append("the power was never lost") }
        report.violations += run.violations.map { "\(name), seed \(seed): \($0)" }
        for (key, value) in run.counts { report.counts["\(name)\(key)", default: 0] += value }
        seed &+= 1
      }
    }
    report.require("fullCommits", "fullLosses", "normalCommits", "normalLosses")
    // Without an undone commit, no loss took anything from the disk.
    if options.losses >= 300 { report.require("normalUndone") }
    return report
  }
}

/// A run over one store, and the checks of its files after losses of power.
@MainActor
private struct PowerRun {
  private let synchronous: Stack.Synchronous
  private let limit: Int
  private let folder: URL
  private let store: URL
  private var random: SplitMix64
  private var notes = 0
  var violations: [String] = []
  private(set) var counts: [String: Int] = [:]

  init(_ synchronous: Stack.Synchronous, _ seed: UInt64, limit: Int, in folder: URL) {
    self.synchronous = synchronous
    self.limit = limit
    self.folder = folder
    store = folder.appendingPathComponent("store.sqlite")
    random = SplitMix64(seed: seed)
  }

  private var stackOptions: Stack.Options {
    var options = Stack.Options()
    options.synchronous = synchronous
    options.history = .keep(for: .seconds(86_400))
    options.logLimit = 64 * 1024
    return options
  }

  /// Runs the work and the checks, and returns the number of losses.
  mutating func run() async throws -> Int {
    let template = try await FaultTemplate(in: folder)
    let content = [UInt8](try Data(contentsOf: template.store))
    try FileManager.default.copyItem(at: template.store, to: store)
    let loss = PowerLoss(
      files: [store.path: content], seed: random.next(), odds: 40, limit: limit)
    ObservedFileSystem.observe(store.path, with: loss)
    loss.acknowledge(template.token.commit)
    let states = try await work(loss, template)
    ObservedFileSystem.endObserving(store.path, with: loss)
    for image in loss.images { try await check(image, states) }
    counts["Commits"] = states.count
    counts["Losses"] = loss.images.count
    return loss.images.count
  }

  /// Works until the power was lost often enough, and returns the state after every commit.
  ///
  /// The work ends after 12 rounds at the latest.
  private mutating func work(
    _ loss: PowerLoss, _ template: FaultTemplate
  ) async throws -> [Int64: StoreContents] {
    var rounds = 0
    while rounds < 12 && loss.images.count < limit {
      let stack = try await Stack.open(ChildProcess.entities, at: store, options: stackOptions)
      for _ in 0..<60 {
        try await step(stack)
        loss.acknowledge(stack.historyToken.commit)
      }
      await stack.close()
      rounds += 1
    }
    let stack = try await Stack.open(ChildProcess.entities, at: store, options: stackOptions)
    var contents = template.contents
    var states = [template.token.commit: contents]
    for try await entry in stack.history(since: template.token) {
      _ = contents.apply(entry.changes)
      states[entry.token.commit] = contents
    }
    let stored = try await StoreContents.stored(stack)
    await stack.close()
    if contents != stored { violations.append("the history does not make the state") }
    return states
  }

  private mutating func step(_ stack: Stack) async throws {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: try await importNotes(stack)
    case 1:
      await stack.suspend()
      try await stack.resume()
    case 2..<8:
      stack.viewContext.insert(Note(id: note(), text: "\(random.next())", deleter: 1))
      try await stack.viewContext.save()
    default:
      let scratch = stack.makeScratch()
      let from = Int.random(in: 0..<FaultTemplate.accounts, using: &random)
      let accounts = try await scratch.find(
        Account.self, [from, (from + 1) % FaultTemplate.accounts])
      let transfer = random.next()
      scratch.update(accounts[0]) { ($0.balance, $0.transfer) = ($0.balance - 3, transfer) }
      scratch.update(accounts[1]) { ($0.balance, $0.transfer) = ($0.balance + 3, transfer) }
      try await scratch.save()
    }
  }

  /// Returns a new key, anywhere among the other keys.
  private mutating func note() -> Int {
    notes += 1
    return notes &* 48_271 % 2_147_483_647
  }

  private mutating func importNotes(_ stack: Stack) async throws {
    let lines = (0..<200).map { _ in #"{"id":\#(note()),"text":"imported","deleter":1}"# }
    var options = ImportOptions()
    options.commits = Bool.random(using: &random) ? .atomic : .batched
    options.longestTransaction = .milliseconds(1)
    try await stack.importJSON(
      Note.self, from: .data(Data("[\(lines.joined(separator: ","))]".utf8)), options: options)
  }

  private mutating func check(_ image: PowerLoss.Image, _ states: [Int64: StoreContents])
    async throws
  {
    let after = folder.appendingPathComponent("after")
    try? FileManager.default.removeItem(at: after)
    try FileManager.default.createDirectory(at: after, withIntermediateDirectories: true)
    let copy = after.appendingPathComponent("store.sqlite")
    for (path, bytes) in image.files {
      try Data(bytes).write(to: URL(fileURLWithPath: copy.path + path.dropFirst(store.path.count)))
    }
    let found = await StoreInspection(copy)
    violations += found.violations
    guard let contents = found.contents, let commit = found.token?.commit else { return }
    if states[commit] != contents {
      violations.append("the state is not that of commit \(commit)")
    }
    if synchronous == .full && commit < image.acknowledged {
      violations.append("commit \(image.acknowledged) is lost: only \(commit) is there")
    }
    if commit < image.acknowledged { counts["Undone", default: 0] += 1 }
  }
}

extension PowerStress {
  static let command = StressCommand(
    "power",
    options: "[--losses N] [--seed N]",
    help: """
      N losses of power (1,000) with each of the two settings of `synchronous`. Long form: as
      it is.
      """
  ) { given in
    var options = Options()
    options.losses = given.count("--losses") ?? options.losses
    options.seed = given.seed(options.seed)
    return try await PowerStress(options).run()
  }
}
