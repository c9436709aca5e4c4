import Foundation
import Strata
import StrataMap

/// Opens and closes stacks with everything that hangs on them: all of it must be gone afterwards,
/// and neither memory nor file descriptors may grow.
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
    // What is made once and kept, such as threads, is there after a while.
    let warmUp = max(20, min(500, options.cycles / 4))
    var before = (memory: ProcessState.memory, descriptors: Descriptors.count)
    for cycle in 0..<(warmUp + options.cycles) where report.violations.count < 10 {
      if cycle % 100 == 0 { watchdog.begin("cycle \(cycle)") }
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
    // Allocators keep tens of megabytes to themselves; 10,000 stacks that are not freed take more.
    if grown > 64 << 20 {
      report.violations.append("\(grown) bytes more than after \(warmUp) cycles")
    }
    return report
  }

  /// What is left of a stack that was used and closed.
  private func remains(_ cycle: Int, _ random: inout SplitMix64) async throws -> [String] {
    weak var stack: Stack?
    weak var view: ViewContext?
    weak var live: LiveQuery<Account>?
    weak var scratch: ScratchContext?
    weak var registry: AnnotationRegistry<Account>?
    let map = SilentMap()
    let closes = Bool.random(using: &random)
    do {
      let open = try await Stack.temporary(Account.self, Branch.self)
      (stack, view) = (open, open.view)
      let accounts = open.view.live(Account.sorted(by: \.balance))
      try await accounts.load()
      live = accounts
      let pins = AnnotationRegistry(accounts, mapping: RegistryStress.pins, on: map)
      registry = pins
      let following = Task { [changes = open.changes] in for await _ in changes {} }
      let listening = Task { [updates = accounts.updates] in for await _ in updates {} }
      let context = open.scratch()
      scratch = context
      context.insert(Account(id: cycle, owner: "somebody", balance: 1))
      let commit = try await context.save()
      open.view.insert(Branch(id: cycle, name: "a branch"))
      if Bool.random(using: &random) { try await open.view.save() }
      try await open.view.merged(commit)
      _ = try await open.view.fetch(Account.all)
      if Bool.random(using: &random) {
        await open.suspend()
        try await open.resume()
      }
      if Bool.random(using: &random) { pins.detach() }
      if closes { await open.close() }
      // Whoever follows is let go by closing, or goes by itself.
      if !closes {
        following.cancel()
        listening.cancel()
      }
      await following.value
      await listening.value
    }
    // Without a call of `close`, a stack closes in the background.
    let deadline = ContinuousClock.now + Watchdog.patience / 4
    while stack != nil || view != nil || live != nil || scratch != nil || registry != nil {
      if deadline < .now { break }
      await Task.yield()
    }
    var names: [String] = []
    if stack != nil { names.append("the stack") }
    if view != nil { names.append("the view context") }
    if live != nil { names.append("the live query") }
    if scratch != nil { names.append("the scratch context") }
    if registry != nil { names.append("the registry") }
    return names
  }
}

@MainActor
private final class SilentMap: AnnotationSurface {
  func apply(_ operation: AnnotationOperation) {}
}
