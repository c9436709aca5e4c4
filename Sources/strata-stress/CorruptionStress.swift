import Foundation
import Strata

/// Stores in which bits were flipped, at every kind of page and in the log: they open with a typed
/// error or work, and never trap.
///
/// A child process reads them, so that a trap is a violation like any other.
@MainActor
struct CorruptionStress {
  struct Options {
    var trials = 3000
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  func run() async throws -> Report {
    var report = Report(mode: "corruption")
    let watchdog = Watchdog(mode: "corruption", patience: .seconds(120))
    var next = options.seed
    let end = options.seed + UInt64(options.trials)
    while next < end && report.violations.count < 20 {
      let child = try StartedProcess(["corruption-child", "\(next)", "\(end - next)"])
      while let line = await child.output.next() {
        let words = line.split(separator: " ", maxSplits: 1)
        switch words.first {
        case "trial":
          next = UInt64(words[1]) ?? next
          watchdog.begin(line)
        case "opened", "refused": report.counts[String(words[0]), default: 0] += 1
        case "end": next = end
        default: report.violations.append("seed \(next): \(line)")
        }
      }
      child.process.waitUntilExit()
      if next < end {
        report.violations.append("seed \(next): the process ended")
        next += 1
      }
    }
    report.counts["trials"] = options.trials
    return report
  }

  /// What the child does: damages and reads one store after the other.
  static func runChild(seed: UInt64, trials: UInt64) async throws {
    let temporary = try TemporaryFolder()
    defer { temporary.remove() }
    let folder = temporary.url
    let template = try await makeStore(in: folder)
    let store = folder.appendingPathComponent("damaged.sqlite")
    for seed in seed..<(seed + trials) {
      say("trial \(seed)")
      var random = SplitMix64(seed: seed)
      for suffix in ["", "-wal", "-shm", "-notify"] {
        try? FileManager.default.removeItem(atPath: store.path + suffix)
      }
      for suffix in ["", "-wal"] {
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: template.path + suffix)))
        if suffix.isEmpty || Bool.random(using: &random) { damage(&bytes, &random) }
        try Data(bytes).write(to: URL(fileURLWithPath: store.path + suffix))
      }
      do throws(StoreError) {
        try await use(store)
        say("opened")
      } catch {
        say("refused \(error.code)")
      }
    }
    say("end")
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// A few flipped bits, a stretch of other bytes, or an early end.
  private static func damage(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    // The first bytes of a page say what the others mean.
    let page = Int.random(in: 0..<max(1, bytes.count / 4096), using: &random) * 4096
    let span = Bool.random(using: &random) ? 16 : 4096
    switch Int.random(in: 0..<8, using: &random) {
    case 0: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
    case 1:
      for place in page..<min(bytes.count, page + span) {
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
    default:
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let place = page + Int.random(in: 0..<span, using: &random)
        if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
      }
    }
  }

  private static var stackOptions: Stack.Options {
    var options = Stack.Options()
    options.history = .keep(for: .seconds(86_400))
    options.watchesOtherProcesses = false
    options.busyTimeout = .milliseconds(200)
    return options
  }

  /// A store with rows, indexes and a history, half of it in the log.
  private static func makeStore(in folder: URL) async throws -> URL {
    let store = folder.appendingPathComponent("store.sqlite")
    for part in 0..<2 {
      let stack = try await Stack.open(ChildProcess.entities, at: store, options: stackOptions)
      try await stack.withScratch { scratch in
        for id in 0..<300 {
          let id = part * 1000 + id
          scratch.insert(Account(id: id, owner: "Owner \(id)", balance: id, transfer: .max))
          scratch.insert(Note(id: id, text: String(repeating: "note \(id) ", count: id % 700)))
        }
        scratch.insert(Branch(id: part, name: "Branch \(part)"))
      }
      if part == 1 {
        let copy = try StoreInspection.copyFiles(
          of: store, to: folder.appendingPathComponent("template"))
        await stack.close()
        return copy
      }
      await stack.close()
    }
    return store
  }

  /// Reads everything, and writes.
  private static func use(_ store: URL) async throws(StoreError) {
    let stack = try await Stack.open(ChildProcess.entities, at: store, options: stackOptions)
    do throws(StoreError) {
      _ = try await stack.fetch(Account.sorted(by: \.owner))
      let notes = stack.view.live(Note.sorted(by: \.text))
      try await notes.load()
      _ = try await stack.fetch(Account.where { $0.balance > 100 })
      _ = try await stack.view.fetch(Branch.all)
      let scratch = stack.scratch()
      scratch.upsert(Account(id: 5, owner: "Somebody", balance: 1))
      scratch.upsert(Note(id: 100_000, text: "new"))
      for account in try await scratch.find(Account.self, [7, 8, 1007]) { scratch.delete(account) }
      let commit = try await scratch.save()
      try await stack.view.merged(commit)
      for try await entry in stack.history(since: nil) { _ = entry.changes.count }
      await stack.close()
    } catch {
      await stack.close()
      throw error
    }
  }
}
