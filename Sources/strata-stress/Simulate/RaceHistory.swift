import Foundation
import Strata

/// A history whose workers, view context and consumers run at once.
@MainActor
struct RaceHistory {
  private let transcript = SharedTranscript()
  private let url: URL
  private var random: SplitMix64

  /// The counts and violations of one history.
  static func run(seed: UInt64) async throws -> Report {
    var history = RaceHistory(seed: seed)
    var report = Report(mode: "races")
    do { try await history.run(&report) } catch let error as Contradiction {
      let steps = history.transcript { $0.steps }
      report.violations.append("\(error)\n    " + steps.joined(separator: "\n    "))
    }
    return report
  }

  private init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-races-\(UUID().uuidString)/store.sqlite")
  }

  private mutating func part() -> SplitMix64 { SplitMix64(seed: random.next()) }

  private func open() async throws -> Stack {
    var options = Stack.Options()
    var random = random
    if random.oneIn(2) { options.history = .keep(for: .seconds(3600)) }
    let entities: [any Entity.Type] = [Shelf.self, Book.self, Page.self, Loan.self, Topic.self]
    return try await Stack.open(entities, at: url, options: options)
  }

  private mutating func run(_ report: inout Report) async throws {
    let folder = url.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let stack = try await open()
    let first = stack.view.commit
    transcript { $0.reported = [first, first] }
    let second = random.oneIn(3) ? try await open() : nil
    let user = try await RaceUser(stack, part(), transcript)
    let observer = user.makeObserver()
    var workers: [RaceWorker] = []
    for number in 0..<random.below(4) {
      workers.append(RaceWorker(stack, 0, "worker \(number)", part(), transcript))
    }
    if let second { workers.append(RaceWorker(second, 1, "the other stack", part(), transcript)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in workers { group.addTask { try await worker.run(steps: 25) } }
      group.addTask { try await user.run(steps: 30) }
      try await group.waitForAll()
    }
    let check = try TranscriptCheck(transcript { $0 }, first: first)
    try await user.rest(at: check.newest)
    try await observer.rest(at: check.newest)
    await second?.close()
    await stack.close()
    try await observer.end()
    try TranscriptCheck(transcript { $0 }, first: first).run(stored: StoredRows(url).rows)
    report.counts = ["commits": Int(check.newest - first)]
  }
}
