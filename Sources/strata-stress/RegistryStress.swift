import Foundation
import Strata
import StrataMap

/// Ends registries while changes are on their way to them.
///
/// A trial ends its registry by `detach`, by releasing it, or behind a closed gate. Registries have
/// clusters or single annotations. A cancelled task waits in `drain` meanwhile.
struct RegistryStress {
  struct Options {
    /// The numbers of the trials. A trial's random numbers depend on its number, not on other trials.
    var trials = Array(0..<10_000)
    var seed: UInt64 = 1
  }

  private let options: Options
  /// The numbers of steps of a simulated run's only part: a step for each trial.
  static let steps = HistorySteps([10])

  init(_ options: Options) { self.options = options }

  /// Runs the history of a seed, and returns its counts and violations.
  static func run(seed: UInt64, _ steps: HistorySteps, _ log: StepLog) async throws -> Report {
    try await RegistryStress(Options(trials: steps.numbers(of: 0), seed: seed)).run(log)
  }

  @MainActor
  func run(_ log: StepLog = StepLog()) async throws -> Report {
    let stack = try await Stack.temporary(Account.self, Branch.self)
    try await stack.withScratch { scratch in
      for id in 0..<50 { scratch.insert(Account(id: id, balance: id)) }
    }
    let live = stack.viewContext.live(Account.all)
    try await live.waitUntilLoaded()
    let writer = PinMover(stack)
    var report = Report(mode: "registry")
    report.counts["trials"] = options.trials.count
    let watchdog = Watchdog(mode: "registry")
    defer { watchdog.end() }
    for trial in options.trials {
      if trial % 100 == 0 {
        watchdog.begin("trial \(trial)", done: trial.share(of: options.trials.count))
      }
      var random = SplitMix64(seed: options.seed, part: UInt64(trial))
      log.begin("trial \(trial)", of: "the history")
      let moving = Task { try await writer.move(trial) }
      let left = await end(live, &random)
      try await moving.value
      report.counts[left.isClustered ? "clusterCalls" : "calls", default: 0] += left.calls
      if left.wasCalled { report.violations.append("trial \(trial): called after the end") }
      if !left.isFree { report.violations.append("trial \(trial): not freed") }
    }
    log.begin("closing", of: "the history")
    await stack.close()
    log.begin(nil, of: "the history")
    // A surface without any call cannot show that no call comes too late.
    report.require("trials", "calls")
    // Clusters are computed on another actor, and most trials end before they arrive.
    if options.trials.count >= 1000 { report.require("clusterCalls") }
    return report
  }

  /// The calls of a trial, and whether its surface and registry were freed.
  private struct Remains {
    var calls = 0
    var isClustered = false
    var wasCalled = false
    var isFree = false
  }

  @MainActor
  private func end(
    _ live: LiveQuery<Account>, _ random: inout SplitMix64
  ) async -> Remains {
    var remains = Remains()
    weak var weakMap: MortalMap?
    weak var weakRegistry: AnnotationRegistry<Account>?
    let calls = MapCalls()
    remains.isClustered = Bool.random(using: &random)
    do {
      let map = MortalMap(calls)
      weakMap = map
      var registry: AnnotationRegistry<Account>? = AnnotationRegistry(
        live, mapping: Self.pins, on: map,
        clusters: remains.isClustered ? ClusterOptions() : nil, sliceBudget: .zero)
      weakRegistry = registry
      for _ in 0..<Int.random(in: 0..<8, using: &random) { await Task.yield() }
      registry?.show(
        GeoRegion(south: -90, west: -180, north: 90, east: 180),
        zoom: Double.random(in: 0..<12, using: &random))
      let waiting = Task { [registry] in await registry?.drain() }
      for _ in 0..<Int.random(in: 0..<4, using: &random) { await Task.yield() }
      waiting.cancel()
      switch Int.random(in: 0..<3, using: &random) {
      case 0: registry?.detach()
      case 1: registry?.close(.hidden)
      default:
        // The waiting task holds the registry, too.
        await waiting.value
        registry = nil
      }
      map.isOver = true
      for _ in 0..<Int.random(in: 0..<4, using: &random) { await Task.yield() }
      await waiting.value
      registry?.detach()
      registry = nil
    }
    remains.calls = calls.count
    remains.wasCalled = calls.lateCount > 0
    remains.isFree = weakMap == nil && weakRegistry == nil
    return remains
  }

  static let pins = AnnotationMapping<Account>(
    latitude: \.latitude, longitude: \.longitude
  ).title(\.owner)
}

extension Account {
  /// A coordinate that depends on the row. Its value does not matter.
  var latitude: Double { Double(balance % 90) }
  var longitude: Double { Double(id * 7 % 180) }
}

@MainActor private final class MapCalls {
  var count = 0
  /// The number of calls after the end of the surface.
  var lateCount = 0
}

/// A surface that counts its calls, and separately the calls after its end.
@MainActor private final class MortalMap: AnnotationSurface {
  var isOver = false
  private let calls: MapCalls

  init(_ calls: MapCalls) { self.calls = calls }

  func apply(_ operation: AnnotationOperation) {
    calls.count += 1
    if isOver { calls.lateCount += 1 }
  }
}

/// Moves pins from an actor of its own.
private actor PinMover {
  private let stack: Stack

  init(_ stack: Stack) { self.stack = stack }

  func move(_ trial: Int) async throws {
    let scratch = stack.makeScratch()
    for id in 0..<3 {
      scratch.upsert(Account(id: (trial + id) % 50, owner: "\(trial)", balance: trial + id))
    }
    try await scratch.save()
  }
}

extension RegistryStress {
  static let command = StressCommand(
    "registry",
    options: "[--trials N] [--seed N]",
    help: """
      N registries (10,000) that end while changes are on their way to them. Long form: as it
      is.
      """
  ) { given in
    var options = Options()
    if let count = given.count("--trials") { options.trials = Array(0..<count) }
    options.seed = given.seed(options.seed)
    return try await RegistryStress(options).run()
  }
}
