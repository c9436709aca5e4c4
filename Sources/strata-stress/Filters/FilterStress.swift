import Foundation
import Strata

/// Runs generated filters in SQLite and in plain Swift.
///
/// Every third filter also runs over unsaved edits. All runs must find the same entities.
struct FilterStress {
  struct Options {
    var count = 200_000
    var seed: UInt64 = 1
  }

  private let options: Options
  /// The number of filters for one state of the entities.
  private let roundSize = 1_000

  init(_ options: Options) { self.options = options }

  func run() async throws -> Report {
    var report = Report(mode: "filters")
    let watchdog = Watchdog(mode: "filters", work: .seconds(600))
    var counts = ["filters": 0, "hits": 0, "inMemory": 0]
    let sizes = stride(from: 0, to: options.count, by: roundSize).map {
      min(roundSize, options.count - $0)
    }
    // Two rounds run at a time, because each of them waits for its reader most of the time.
    try await withThrowingTaskGroup(of: Report.self) { group in
      for (number, size) in sizes.enumerated() {
        if number >= 2, let done = try await group.next() { report.add(done, &counts) }
        let seed = options.seed &* 1_000_003 &+ UInt64(number)
        watchdog.begin("round \(number)", done: number.share(of: sizes.count))
        group.addTask { try await round(size, seed) }
      }
      for try await done in group { report.add(done, &counts) }
    }
    report.counts = counts
    report.require("filters", "inMemory")
    // Filters that find no rows, or all rows, would agree too easily.
    if counts["hits", default: 0] < counts["filters", default: 0] {
      report.violations.append("the filters find next to nothing")
    }
    return report
  }

  /// Runs `size` filters over unsaved edits on a saved state, then over the saved edits.
  private func round(_ size: Int, _ seed: UInt64) async throws -> Report {
    var report = Report(mode: "round")
    var random = SplitMix64(seed: seed)
    let values = FilterValues(&random)
    let before = values.world(&random)
    let after = values.world(&random)
    let stack = try await Stack.temporary(Piece.self, Composer.self, Label.self)
    let scratch = stack.makeScratch()
    scratch.change(FilterWorld(), to: before)
    try await scratch.save()
    scratch.change(before, to: after)
    var generator = FilterGenerator(random: random, values: values)
    var generated: [(query: Query<Piece>, expected: [Int])] = []
    for number in 0..<size {
      var expected: [Int] = []
      let query = Piece.where { fields in
        let made = generator.piece(fields, FilterGenerator.depth(number))
        expected = after.pieces.values.filter { made.holds($0, after) }.map(\.id).sorted()
        return made.filter
      }
      generated.append((query, expected))
    }
    // A condition on rows related to unsaved edits takes many reads, so only every third filter
    // runs here.
    for (number, (query, expected)) in generated.enumerated() where number % 3 == 0 {
      report.counts["inMemory", default: 0] += 1
      let found = try await scratch.fetch(query).map(\.id)
      if found != expected {
        report.violations.append(
          "seed \(seed), filter \(number), in memory: \(found), not \(expected)")
      }
    }
    try await scratch.save()
    for (number, (query, expected)) in generated.enumerated() {
      let found = try await stack.fetch(query).map(\.id)
      if found != expected {
        report.violations.append(
          "seed \(seed), filter \(number), by SQLite: \(found), not \(expected)")
      }
      report.counts["hits", default: 0] += found.count
    }
    report.counts["filters"] = size
    await stack.close()
    return report
  }
}

extension Report {
  fileprivate mutating func add(_ other: Report, _ counts: inout [String: Int]) {
    violations += other.violations
    counts.merge(other.counts) { $0 + $1 }
  }
}

extension ScratchContext {
  /// Edits the context from one state to another, without a save.
  fileprivate func change(_ old: FilterWorld, to new: FilterWorld) {
    change(old.composers, to: new.composers)
    change(old.labels, to: new.labels)
    change(old.pieces, to: new.pieces)
    for piece in new.pieces.values {
      let (before, after) = (old.links[piece.id] ?? [], new.links[piece.id] ?? [])
      for key in after.subtracting(before) {
        if let label = new.labels[key] { link(piece, to: label, in: Piece.labels) }
      }
      for key in before.subtracting(after) {
        unlink(piece, from: Label(id: key), in: Piece.labels)
      }
    }
  }

  private func change<K, E: Entity & Equatable>(_ old: [K: E], to new: [K: E]) {
    for (key, entity) in old where new[key] == nil { delete(entity) }
    for (key, entity) in new {
      if let before = old[key] {
        if before != entity { update(before) { $0 = entity } }
      } else {
        insert(entity)
      }
    }
  }
}

extension FilterStress {
  static let command = StressCommand(
    "filters",
    options: "[--count N] [--seed N]",
    help: """
      N generated filters (200,000), each run by SQLite and in plain Swift, one in three over
      unsaved edits, too. Long form: --count 5000000.
      """
  ) { given in
    var options = Options()
    options.count = given.count("--count") ?? options.count
    options.seed = given.seed(options.seed)
    return try await FilterStress(options).run()
  }
}
