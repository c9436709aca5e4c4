import Foundation
import Strata
import StrataImport
import StrataMap

/// Opens and closes stacks with contexts, live queries, registries and an outbox.
///
/// Afterwards every object must be freed. Memory and the number of file descriptors must not grow.
@MainActor
struct LeakStress {
  struct Options {
    var cycles = 10_000
    var seed: UInt64 = 1
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  func run() async throws -> Report {
    var report = Report(mode: "leaks")
    let watchdog = Watchdog(mode: "leaks", work: Watchdog.patience)
    var random = SplitMix64(seed: options.seed)
    // The warm-up makes everything that the process makes once and keeps, such as threads.
    let warmUp = max(20, min(500, options.cycles / 4))
    var before = (memory: ProcessState.memory, descriptors: Descriptors.count)
    for cycle in 0..<(warmUp + options.cycles) where report.violations.count < 10 {
      if cycle % 100 == 0 {
        watchdog.begin("cycle \(cycle)", done: cycle.share(of: warmUp + options.cycles))
      }
      if cycle == warmUp { before = (ProcessState.memory, Descriptors.count) }
      for name in try await remains(cycle, &random) {
        report.violations.append("cycle \(cycle): \(name) is still there")
      }
      if cycle >= warmUp { report.counts["cycles", default: 0] += 1 }
    }
    report.require("cycles")
    let grown = ProcessState.memory - before.memory
    let opened = Descriptors.count - before.descriptors
    report.counts["grownBytes"] = grown
    report.counts["openedDescriptors"] = opened
    if opened > 4 { report.violations.append("\(opened) file descriptors were left open") }
    #if !TSAN
      // Allocators keep some megabytes, whatever the number of cycles. ThreadSanitizer keeps memory
      // for every thread.
      if grown > 16 << 20 {
        report.violations.append("\(grown) bytes more than after \(warmUp) cycles")
      }
    #endif
    return report
  }

  /// Uses a stack, lets it end, and returns the names of the objects that are still alive.
  private func remains(_ cycle: Int, _ random: inout SplitMix64) async throws -> [String] {
    weak var stack: Stack?
    weak var view: ViewContext?
    weak var live: LiveQuery<Account>?
    weak var scratch: ScratchContext?
    weak var registry: AnnotationRegistry<Account>?
    weak var sheet: ScratchContext?
    weak var sections: SectionedLiveQuery<Account, String>?
    weak var value: LiveValue<Int>?
    weak var outbox: Outbox?
    weak var monitor: ImportMonitor?
    let map = SilentMap()
    let closes = Bool.random(using: &random)
    do {
      let open = try await Stack.temporary(Account.self, Branch.self)
      (stack, view) = (open, open.viewContext)
      let accounts = open.viewContext.live(Account.sorted(by: \.balance))
      try await accounts.waitUntilLoaded()
      live = accounts
      let pins = AnnotationRegistry(accounts, mapping: RegistryStress.pins, on: map)
      registry = pins
      let following = Task { [changes = open.changes] in for await _ in changes {} }
      let listening = Task { [updates = accounts.updates] in for await _ in updates {} }
      let context = open.makeScratch()
      scratch = context
      context.insert(Account(id: cycle, owner: "somebody", balance: 1))
      let commit = try await context.save()
      open.viewContext.insert(Branch(id: cycle, name: "a branch"))
      if Bool.random(using: &random) { try await open.viewContext.save() }
      try await open.viewContext.waitUntilMerged(commit)
      _ = try await open.viewContext.fetch(Account.all)
      if Bool.random(using: &random) {
        await open.suspend()
        try await open.resume()
      }
      let (byOwner, sum, child, progress) = (
        open.viewContext.live(Account.all, sectionedBy: \.owner),
        open.viewContext.live(.sum(\.balance), of: Account.all), open.viewContext.makeScratch(),
        ImportMonitor()
      )
      (sections, value, sheet, monitor) = (byOwner, sum, child, progress)
      child.insert(Branch(id: cycle + 1_000_000, name: "another branch"))
      if Bool.random(using: &random) {
        try await byOwner.waitUntilLoaded()
        try await sum.waitUntilLoaded()
        try await child.save()
        open.viewContext.undo()
        let json = Data(#"[{"id":\#(cycle + 1),"owner":"imported","balance":1}]"#.utf8)
        try await open.importJSON(Account.self, from: .data(json), monitor: progress)
      }
      let pushing = try await open.outbox()
      outbox = pushing
      _ = try await pushing.requests()
      if Bool.random(using: &random) { pins.detach() }
      // A second process that closes the store removes the file of signals, and its watch with it.
      if Bool.random(using: &random) {
        let path = try await open.diagnostics().file.path
        try FileManager.default.removeItem(atPath: path + "-notify")
      }
      if closes { await open.close() }
      // Closing ends the consumers. Without it they have to be cancelled.
      if !closes {
        following.cancel()
        listening.cancel()
      }
      await following.value
      await listening.value
    }
    let left: () -> [String] = {
      [
        ("the stack", stack), ("the view context", view), ("the live query", live),
        ("the scratch context", scratch), ("the view's child", sheet), ("the registry", registry),
        ("the sections", sections), ("the live value", value), ("the outbox", outbox),
        ("the monitor", monitor),
      ].compactMap { (name: String, object: AnyObject?) in object == nil ? nil : name }
    }
    // Without a call of `close`, a stack closes in the background.
    let deadline = ContinuousClock.now + Watchdog.patience / 4
    while !left().isEmpty && deadline > .now { await Task.yield() }
    return left()
  }
}

@MainActor
private final class SilentMap: AnnotationSurface {
  func apply(_ operation: AnnotationOperation) {}
}

extension LeakStress {
  static let command = StressCommand(
    "leaks",
    options: "[--cycles N] [--seed N]",
    help: """
      Opens, uses and closes N stacks (10,000). Long form: as it is.
      """
  ) { given in
    var options = Options()
    options.cycles = given.count("--cycles") ?? options.cycles
    options.seed = given.seed(options.seed)
    return try await LeakStress(options).run()
  }
}
