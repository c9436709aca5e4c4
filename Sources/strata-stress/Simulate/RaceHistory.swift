import Foundation
import Strata
import StrataFaults
import StrataSimulation

/// A history whose workers, view context and consumers run at once.
@MainActor
struct RaceHistory {
  private let folder: URL
  private let store: URL
  private let steps: HistorySteps
  /// The numbers of steps of the parts: the user of the view context, three workers, and the worker
  /// of the other stack.
  nonisolated static let steps = HistorySteps([24, 18, 18, 18, 18])
  private var random: SplitMix64

  /// Runs the history of a seed, and returns its counts.
  ///
  /// - Throws: ``Contradiction``.
  static func run(seed: UInt64, _ steps: HistorySteps, _ log: StepLog) async throws -> Report {
    var history = RaceHistory(seed: seed, steps)
    let schema = PlainSchema(&history.random)
    log.add("the schema: \(schema)")
    return try await PlainSchema.$current.withValue(schema) { try await history.run(log) }
  }

  private init(seed: UInt64, _ steps: HistorySteps) {
    self.steps = steps
    random = SplitMix64(seed: seed)
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-races-\(UUID().uuidString)")
    store = folder.appendingPathComponent("store.sqlite")
  }

  /// Opens the store for a process.
  private func open(
    _ process: Int, _ options: Stack.Options = Stack.Options()
  ) async throws -> Stack {
    try await Simulation.$process.withValue(process) {
      try await Stack.open(PlainSchema.entities, at: store, options: options)
    }
  }

  private mutating func pickTrouble() -> (trouble: RaceDisk.Trouble, hasSecond: Bool) {
    let (kind, oneInThree) = (random.below(10), random.oneIn(3))
    let (trouble, hasSecond): (RaceDisk.Trouble, Bool) =
      switch kind {
      case 0..<4: (.none, oneInThree)
      // After a commit of another process, a stack reads its pages from the file again, and faults
      // meet these reads.
      case 4, 5: (.faults, !oneInThree)
      case 6, 7: (.kill(process: oneInThree ? random.below(2) : 0), oneInThree)
      default: (.powerLoss(random.oneIn(2) ? .full : .normal), oneInThree)
      }
    return (steps.hasTrouble ? trouble : .none, hasSecond)
  }

  private mutating func run(_ log: StepLog) async throws -> Report {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (trouble, hasSecond) = pickTrouble()
    log.add("trouble: \(trouble)")
    // A loss of power needs to know the bytes that are on the disk.
    if case .powerLoss = trouble { try await open(0).close() }
    let disk = try RaceDisk(trouble, store, &random)
    defer { disk.endObserving() }
    let transcript = SharedTranscript(disk, log)
    var report = Report(mode: "races")
    report.counts["commits"] = try await run(transcript, hasSecond: hasSecond)
    for process in 0..<2 where disk.isDead(process) { report.counts["kills", default: 0] += 1 }
    report.counts["losses"] = disk.images.count
    report.counts["failures"] = disk.failures
    for note in transcript({ $0.writes }) {
      guard case .refused(let code) = note.end else { continue }
      report.counts["\(code)", default: 0] += 1
    }
    report.counts["suspensions"] = transcript { $0.suspensions.reduce(0, +) }
    return report
  }

  /// Runs the parts, and checks their notes.
  ///
  /// - Returns: the number of commits.
  private mutating func run(
    _ transcript: SharedTranscript, hasSecond: Bool
  ) async throws -> Int {
    let disk = transcript.disk
    var options = Stack.Options()
    if random.oneIn(2) { options.history = .keep(for: .seconds(3600)) }
    if random.oneIn(3) { options.logLimit = 64 * 1024 }
    if case .powerLoss(let synchronous) = disk.trouble { options.synchronous = synchronous }
    let stack = try await open(0, options)
    let first = stack.viewContext.commit
    transcript { $0.reported = [first, first, first] }
    let second = hasSecond ? try await open(1, options) : nil
    let user = try await RaceUser(stack, seed: random.next(), transcript)
    let observer = user.makeObserver()
    var workers: [(RaceWorker, process: Int, steps: [Int])] = []
    for number in 0..<random.below(4) {
      let worker = RaceWorker(stack, 0, "worker \(number)", seed: random.next(), transcript)
      workers.append((worker, 0, steps.numbers(of: 1 + number)))
    }
    if let second {
      let worker = RaceWorker(second, 1, "the other process", seed: random.next(), transcript)
      workers.append((worker, 1, steps.numbers(of: 4)))
    }
    try await withThrowingTaskGroup(of: Void.self) { [steps] group in
      for (worker, process, steps) in workers {
        group.addTask {
          try await Simulation.$process.withValue(process) { try await worker.run(steps: steps) }
        }
      }
      group.addTask {
        let steps = steps.numbers(of: 0)
        try await Simulation.$process.withValue(0) { try await user.run(steps: steps) }
      }
      try await group.waitForAll()
    }
    disk.disarm()
    transcript.begin("the end", of: "the history")
    if disk.isDead(0) {
      await stack.close()
      try await goOn(transcript)
    } else {
      let newest = try await lastWrite(stack, 0, transcript)
      try await user.rest(at: newest)
      try await observer.rest(at: newest)
    }
    await second?.close()
    await stack.close()
    try await observer.end()
    transcript.begin(nil, of: "the history")
    disk.endObserving()
    let check = try TranscriptCheck.replay(
      transcript { $0 }, first: first, stored: StoredRows(store).rows,
      remains: try await remains(disk))
    return Int(check.newest - first)
  }

  /// Opens the store in a new process after a kill. The new process has each commit that was
  /// reported.
  private mutating func goOn(_ transcript: SharedTranscript) async throws {
    let reported = transcript { $0.reported.max() ?? 0 }
    let stack = try await open(2)
    let commit = stack.viewContext.commit
    try Contradiction.unless(commit >= reported, "a new process has \(commit) of \(reported)")
    let newest = try await lastWrite(stack, 2, transcript)
    try await stack.viewContext.waitUntilMerged(newest)
    let books = try await stack.bookRows()
    transcript { $0.copies.append(.init(commit: newest, books: books)) }
    await stack.close()
  }

  /// Makes the last write, which changes books. The number of its commit is known, also after writes
  /// that failed.
  private mutating func lastWrite(
    _ stack: Stack, _ process: Int, _ transcript: SharedTranscript
  ) async throws -> Int64 {
    let scratch = stack.makeScratch()
    var layer = PlainLayer()
    let row = random.row(of: .shelves)
    scratch.upsert(Shelf(key: 3, row))
    layer.upsert(.shelves, 3, row)
    scratch.upsert(Book(key: 5, PlainRow(repeating: nil, count: 4)))
    layer.upsert(.books, 5, [0, 0, nil, nil])
    let end = try await transcript.noting(.save(layer, .error), by: "the last write", process) {
      try await scratch.save()
    }
    guard case .commit(let commit) = end else {
      throw Contradiction(description: "the last write is \(end)")
    }
    return max(commit, transcript.reported(by: process))
  }

  /// Reads the files that losses of power left, and opens the last ones with a stack.
  private func remains(_ disk: RaceDisk) async throws -> [TranscriptCheck.Remains] {
    guard case .powerLoss(let synchronous) = disk.trouble else { return [] }
    var remains: [TranscriptCheck.Remains] = []
    for (number, image) in disk.images.enumerated() {
      let copy = folder.appendingPathComponent("after-\(number).sqlite")
      for (path, bytes) in image.files {
        try Data(bytes).write(
          to: URL(fileURLWithPath: copy.path + path.dropFirst(store.path.count)))
      }
      let isLast = number == disk.images.count - 1
      let books = isLast ? try await booksOfStack(at: copy) : nil
      let rows = try StoredRows(copy).rows
      try Contradiction.unless(
        books == nil || books == rows.rows(.books),
        "after a loss of power a stack has \(books ?? [:]), not \(rows)")
      remains.append((rows, synchronous == .full ? image.acknowledged : 0))
    }
    return remains
  }

  private func booksOfStack(at url: URL) async throws -> [Int: PlainRow] {
    let stack = try await Stack.open(PlainSchema.entities, at: url)
    let books = try await stack.bookRows()
    await stack.close()
    return books
  }
}

extension Stack {
  /// Returns the rows of all books by key.
  nonisolated(nonsending) func bookRows() async throws -> [Int: PlainRow] {
    Dictionary(uniqueKeysWithValues: try await fetch(Book.all).map { ($0.id, $0.row) })
  }
}
