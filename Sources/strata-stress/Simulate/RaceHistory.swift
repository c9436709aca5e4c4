import Foundation
import Strata
import StrataFaults

/// A history whose workers, view context and consumers run at once.
@MainActor
struct RaceHistory {
  private let folder: URL
  private let store: URL
  private let steps: RaceSteps
  private var random: SplitMix64

  /// Runs the history of a seed, and returns its counts.
  ///
  /// - Throws: ``Contradiction``.
  static func run(seed: UInt64, _ steps: RaceSteps, _ log: StepLog) async throws -> Report {
    var history = RaceHistory(seed: seed, steps)
    return try await history.run(log)
  }

  private init(seed: UInt64, _ steps: RaceSteps) {
    self.steps = steps
    random = SplitMix64(seed: seed)
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-races-\(UUID().uuidString)")
    store = folder.appendingPathComponent("store.sqlite")
  }

  private mutating func part() -> SplitMix64 { SplitMix64(seed: random.next()) }

  private func open(_ options: Stack.Options = Stack.Options()) async throws -> Stack {
    let entities: [any Entity.Type] = [Shelf.self, Book.self, Page.self, Loan.self, Topic.self]
    return try await Stack.open(entities, at: store, options: options)
  }

  private mutating func pickTrouble() -> RaceDisk.Trouble {
    switch random.below(10) {
    case 0..<5: .none
    case 5, 6: .faults
    case 7: .kill
    default: .powerLoss(random.oneIn(2) ? .full : .normal)
    }
  }

  private mutating func run(_ log: StepLog) async throws -> Report {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await open().close()
    let trouble = pickTrouble()
    log.add("trouble: \(trouble)")
    let disk = try RaceDisk(trouble, store, &random)
    defer { disk.endObserving() }
    var report = Report(mode: "races")
    report.counts["commits"] = try await run(SharedTranscript(disk, log))
    report.counts["kills"] = disk.isDead ? 1 : 0
    report.counts["losses"] = disk.images.count
    return report
  }

  /// Runs the parts, and checks their notes.
  ///
  /// - Returns: the number of commits.
  private mutating func run(_ transcript: SharedTranscript) async throws -> Int {
    let disk = transcript.disk
    var options = Stack.Options()
    if random.oneIn(2) { options.history = .keep(for: .seconds(3600)) }
    if random.oneIn(3) { options.logLimit = 64 * 1024 }
    if case .powerLoss(let synchronous) = disk.trouble { options.synchronous = synchronous }
    let stack = try await open(options)
    let first = stack.viewContext.commit
    transcript { $0.reported = [first, first] }
    let second = random.oneIn(3) ? try await open(options) : nil
    let user = try await RaceUser(stack, part(), transcript)
    let observer = user.makeObserver()
    var workers: [(RaceWorker, steps: Int)] = []
    for number in 0..<random.below(4) {
      let worker = RaceWorker(stack, 0, "worker \(number)", part(), transcript)
      workers.append((worker, steps.worker(number)))
    }
    if let second {
      let worker = RaceWorker(second, 1, "the other stack", part(), transcript)
      workers.append((worker, steps.worker(3)))
    }
    try await withThrowingTaskGroup(of: Void.self) { [steps] group in
      for (worker, steps) in workers { group.addTask { try await worker.run(steps: steps) } }
      group.addTask { try await user.run(steps: steps.user) }
      try await group.waitForAll()
    }
    disk.disarm()
    if !disk.isDead {
      // The number of the last commit is known, also after failed writes.
      let last = stack.makeScratch()
      var layer = PlainLayer()
      let row = random.row(of: .shelves)
      last.upsert(Shelf(key: 3, row))
      layer.upsert(.shelves, 3, row)
      _ = try await transcript.noting(.save(layer, .error), by: "the last write", 0) {
        try await last.save()
      }
      let newest = transcript.reported(by: 0)
      try await user.rest(at: newest)
      try await observer.rest(at: newest)
    }
    await second?.close()
    await stack.close()
    try await observer.end()
    disk.endObserving()
    let check = try TranscriptCheck.replay(
      transcript { $0 }, first: first, stored: StoredRows(store).rows, remains: remains(disk))
    return Int(check.newest - first)
  }

  /// Reads the files that losses of power left.
  private func remains(_ disk: RaceDisk) throws -> [TranscriptCheck.Remains] {
    guard case .powerLoss(let synchronous) = disk.trouble else { return [] }
    return try disk.images.enumerated().map { number, image in
      let copy = folder.appendingPathComponent("after-\(number).sqlite")
      for (path, bytes) in image.files {
        try Data(bytes).write(
          to: URL(fileURLWithPath: copy.path + path.dropFirst(store.path.count)))
      }
      return (try StoredRows(copy).rows, synchronous == .full ? image.acknowledged : 0)
    }
  }
}
