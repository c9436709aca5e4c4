import Foundation
import Strata
import StrataSQLite

/// Opens stores with flipped bits in every kind of page and in the log.
///
/// A damaged store works or fails with a typed error. It never traps. A child process reads the
/// stores, so that a trap is a violation like any other.
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
    let watchdog = Watchdog(mode: "corruption")
    var done = 0
    /// The trees and the kinds of pages that the trials damage in turn.
    var wanted: [String: Set<String>] = [:]
    var damaged: [String: Set<String>] = [:]
    while done < options.trials && report.violations.count < 20 {
      let first = options.seed &+ UInt64(done)
      let child = try StartedProcess(["corruption-child", "\(first)", "\(options.trials - done)"])
      var seed = first
      var isAtEnd = false
      while let line = await child.output.next() {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        switch words.first {
        case "tree", "kind": wanted[words[0], default: []].insert(words[1])
        case "trial":
          seed = UInt64(words[1]) ?? seed
          let target = words.dropFirst(2).first?.split(separator: " ").map(String.init) ?? []
          if target.count == 2 { damaged[target[0], default: []].insert(target[1]) }
          watchdog.begin(line, done: done.share(of: options.trials))
        case "opened", "refused":
          report.counts[words[0], default: 0] += 1
          done += 1
        case "end": isAtEnd = true
        default: report.violations.append("seed \(seed): \(line)")
        }
      }
      child.end()
      if !isAtEnd {
        report.violations.append("seed \(seed): the process ended")
        done += 1
      }
    }
    report.counts["trials"] = options.trials
    report.counts["trees"] = damaged["tree", default: []].count
    report.counts["kinds"] = damaged["kind", default: []].count
    report.require("trials")
    if wanted["kind", default: []].count != PageKind.allCases.count {
      report.violations.append("the template has not every kind of page: \(wanted)")
    }
    // Every third trial damages the next tree, and every third trial the next kind of page.
    if options.trials >= 100 {
      report.require("opened", "refused")
      let trees = wanted["tree", default: []].count
      report.require("trees", atLeast: min(max(1, trees), options.trials / 3))
      report.require("kinds", atLeast: PageKind.allCases.count)
    }
    return report
  }

  private static let entities: [any Entity.Type] =
    ChildProcess.entities + [Place.self, Tag.self, Photo.self]

  /// Damages and reads one store after the other, in the child process.
  static func runChild(seed: UInt64, trials: Int) async throws {
    let temporary = try TemporaryFolder()
    defer { temporary.remove() }
    let folder = temporary.url
    let template = try await Template(in: folder)
    for tree in template.trees { say("tree \(tree.name)") }
    for kind in template.kinds { say("kind \(kind.name)") }
    let store = folder.appendingPathComponent("damaged.sqlite")
    for number in 0..<trials {
      let seed = seed &+ UInt64(number)
      var random = SplitMix64(seed: seed)
      let turn = Int(seed / 3 % 1_000_000)
      let page: Int?
      switch seed % 3 {
      case 0:
        let tree = template.trees[turn % template.trees.count]
        page = tree.page
        say("trial \(seed) tree \(tree.name)")
      case 1:
        let kind = template.kinds[turn % template.kinds.count]
        page = kind.pages.randomElement(using: &random)
        say("trial \(seed) kind \(kind.name)")
      default:
        page = nil
        say("trial \(seed)")
      }
      StoreFiles.remove(store)
      if let page {
        var bytes = [UInt8](try Data(contentsOf: template.whole))
        damage(&bytes, page: page, &random)
        try Data(bytes).write(to: store)
      } else {
        for suffix in ["", "-wal"] {
          let path = template.logged.path + suffix
          var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
          let page = Int.random(in: 0..<max(1, bytes.count / PageKind.size), using: &random)
          if suffix.isEmpty || Bool.random(using: &random) {
            damage(&bytes, page: page, &random)
          }
          try Data(bytes).write(to: URL(fileURLWithPath: store.path + suffix))
        }
      }
      do {
        try await use(store)
        say("opened")
      } catch let error as StoreError {
        say("refused \(error.code)")
      }
    }
    say("end")
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Flips a few bits, overwrites a stretch of bytes, or cuts the file short.
  private static func damage(_ bytes: inout [UInt8], page: Int, _ random: inout SplitMix64) {
    let page = page * PageKind.size
    // A page begins with its header, which gives all other bytes their meaning.
    let span = Bool.random(using: &random) ? 16 : PageKind.size
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

  /// A store with rows, indexes, full text, places, links and a history, in two forms.
  @MainActor
  private struct Template {
    /// The store with half of its rows in the log.
    let logged: URL
    /// The store in one file, without a log.
    let whole: URL
    /// The tables and indexes of `whole` with their first pages, including the tables behind full
    /// text and places.
    let trees: [(name: String, page: Int)]
    /// The pages of `whole` by their kinds.
    let kinds: [(name: String, pages: [Int])]

    init(in folder: URL) async throws {
      whole = folder.appendingPathComponent("store.sqlite")
      var copy = whole
      for part in 0..<2 {
        let stack = try await Stack.open(entities, at: whole, options: stackOptions)
        if part == 0 { try await Place.fill(stack) }
        try await stack.withScratch { scratch in
          for id in 0..<300 {
            let id = part * 1000 + id
            scratch.insert(Account(id: id, owner: "Owner \(id)", balance: id, transfer: .max))
            scratch.insert(Note(id: id, text: String(repeating: "note \(id) ", count: id % 700)))
          }
          scratch.insert(Branch(id: part, name: "Branch \(part)"))
          scratch.insert(Counter(id: part))
          let place = Place(id: 100 + part, text: "an odd one", latitude: 1, longitude: 1)
          scratch.insert(place)
          scratch.link(place, to: Tag(id: part), in: Place.tags)
        }
        // The deleted rows leave free pages, which are kinds of pages, too.
        if part == 1 {
          try await stack.withScratch { scratch in
            for note in try await scratch.fetch(Note.where { $0.id < 300 }) { scratch.delete(note) }
          }
          copy = try StoreInspection.copyFiles(
            of: whole, to: folder.appendingPathComponent("template"))
        }
        await stack.close()
      }
      logged = copy
      kinds = PageKind.pages(of: [UInt8](try Data(contentsOf: whole)))
        .map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
      let connection = try Connection(path: whole.path, access: .existing, busyTimeout: .zero)
      let text = try connection.text(
        "SELECT group_concat(name || ' ' || rootpage) FROM sqlite_schema WHERE rootpage > 0")
      trees = (text ?? "").split(separator: ",").compactMap { line in
        let words = line.split(separator: " ")
        guard words.count == 2, let page = Int(words[1]) else { return nil }
        return (String(words[0]), page - 1)
      }
    }
  }

  /// Reads the whole store and writes to it.
  private static func use(_ store: URL) async throws {
    let stack = try await Stack.open(entities, at: store, options: stackOptions)
    do {
      _ = try await stack.fetch(Account.sorted(by: \.owner))
      let notes = stack.viewContext.live(Note.sorted(by: \.text))
      try await notes.waitUntilLoaded()
      _ = try await stack.fetch(Account.where { $0.balance > 100 })
      _ = try await stack.viewContext.fetch(Branch.all)
      try await usePlaces(stack)
      let scratch = stack.makeScratch()
      scratch.upsert(Account(id: 5, owner: "Somebody", balance: 1))
      scratch.upsert(Note(id: 100_000, text: "new"))
      for account in try await scratch.find(Account.self, [7, 8, 1007]) { scratch.delete(account) }
      let commit = try await scratch.save()
      try await stack.viewContext.waitUntilMerged(commit)
      for try await entry in stack.history(since: nil) { _ = entry.changes.count }
      await stack.close()
    } catch {
      await stack.close()
      throw error
    }
  }

  private static func usePlaces(_ stack: Stack) async throws {
    let middle = Coordinate(latitude: 7.1, longitude: 10)
    _ = try await stack.fetch(Place.all.matching("even").sortedByRelevance())
    _ = try await stack.fetch(Place.nearest(to: middle, by: Place.location).limit(3))
    _ = try await stack.fetch(
      Place.where { $0.location.isWithin(meters: 200_000, of: middle) && $0.tags.count > 1 })
    _ = try await stack.fetch(Tag.all)
    let live = stack.viewContext.live(Place.tags(of: Place(id: 3)))
    try await live.waitUntilLoaded()
    let scratch = stack.makeScratch()
    let place = Place(id: 200, text: "an even newer one", latitude: 7, longitude: 9)
    scratch.insert(place)
    scratch.link(place, to: Tag(id: 1), in: Place.tags)
    try await scratch.link(Place(id: 3), to: Tag(id: 4), at: 0, in: Place.tags)
    for old in try await scratch.find(Place.self, [4, 5]) { scratch.delete(old) }
    for old in try await scratch.find(Place.self, [6, 7]) {
      scratch.update(old) { ($0.text, $0.latitude) = ("odd by now", 50) }
    }
    try await scratch.save()
    _ = try await scratch.fetch(Place.all.matching("odd"))
  }
}

extension CorruptionStress {
  static let command = StressCommand(
    "corruption",
    options: "[--trials N] [--seed N]",
    help: """
      N stores (3,000) with flipped bits, by turns in the root of each table and index, in a
      page of each kind, and anywhere, the log included. Long form: as it is.
      """
  ) { given in
    var options = Options()
    options.trials = given.count("--trials") ?? options.trials
    options.seed = given.seed(options.seed)
    return try await CorruptionStress(options).run()
  }
}
