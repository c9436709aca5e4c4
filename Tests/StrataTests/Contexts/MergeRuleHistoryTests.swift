import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Tally: Entity {
  var id = 0
  var count = 0
  static let schema = Schema<Tally>("tallies", key: \.id) {
    Attribute(\.count).merged(by: .sum)
  }
}

/// Random programs of several contexts that add to one counter.
///
/// Sums commute. So whatever the order of edits, saves and undo, the store has the sum of what was
/// saved, and nothing conflicts.
@MainActor @Suite(.inTurn) struct MergeRuleHistoryTests {
  /// A context with the sum of its unsaved edits.
  @MainActor private final class Scratch {
    let context: ScratchContext
    var pending = 0
    /// A value that the context fetched at some time.
    var inHand = Tally(id: 1)

    init(_ context: ScratchContext) { self.context = context }

    func add(_ amount: Int) {
      context.update(inHand) { $0.count += amount }
      pending += amount
    }

    func fetch() async throws {
      if let found = try await context.find(Tally.self, 1) { inHand = found }
    }
  }

  @MainActor private final class World {
    let stack: Stack
    let live: LiveQuery<Tally>
    var random: SeededRandom
    var stored = 0
    var pending = 0
    var undo: [Int] = []
    var redo: [Int] = []
    var scratches: [Scratch] = []
    /// A sheet over the view context.
    var sheet: Scratch
    var log: [String] = []

    init(_ seed: UInt64) async throws {
      stack = try await Stack.temporary(Tally.self)
      try await stack.withScratch { $0.insert(Tally(id: 1)) }
      live = try await stack.viewContext.loaded(Tally.all)
      random = SeededRandom(seed: seed)
      scratches = (0..<2).map { [stack] _ in Scratch(stack.makeScratch()) }
      sheet = Scratch(stack.viewContext.makeScratch())
    }

    private func amount() -> Int { [-3, -1, 1, 1, 1, 2].randomElement(using: &random) ?? 1 }

    func step() async throws {
      let number = Int.random(in: 0..<2, using: &random)
      let amount = amount()
      switch Int.random(in: 0..<15, using: &random) {
      case 0, 1, 2:
        log.append("view +\(amount)")
        stack.viewContext.undoGroup {
          stack.viewContext.update(live.elements[0]) { $0.count += amount }
        }
        pending += amount
        undo.append(amount)
        redo = []
      case 3:
        log.append("view saves")
        try await stack.viewContext.save()
        (stored, pending) = (stored + pending, 0)
      case 4:
        log.append("view undoes")
        let report = stack.viewContext.undo()
        #expect(report == nil || report?.skipped.isEmpty == true, "\(log)")
        if let last = undo.popLast() {
          pending -= last
          redo.append(last)
        }
      case 5:
        log.append("view redoes")
        stack.viewContext.redo()
        if let last = redo.popLast() {
          pending += last
          undo.append(last)
        }
      case 6, 7:
        log.append("scratch \(number) +\(amount)")
        scratches[number].add(amount)
      case 8:
        log.append("scratch \(number) fetches")
        try await scratches[number].fetch()
      case 14:
        // A group without an effect is not kept, and would need a rule of its own here.
        let amount = abs(amount)
        log.append("view +\(amount), saves, +1 in one group")
        stack.viewContext.beginUndoGroup()
        stack.viewContext.update(live.elements[0]) { $0.count += amount }
        pending += amount
        try await scratches[number].context.save()
        stored += scratches[number].pending
        scratches[number].pending = 0
        try await stack.viewContext.save()
        stored += pending
        stack.viewContext.update(live.elements[0]) { $0.count += 1 }
        stack.viewContext.endUndoGroup()
        pending = 1
        undo.append(amount + 1)
        redo = []
      case 9:
        log.append("scratch \(number) saves")
        try await scratches[number].context.save()
        stored += scratches[number].pending
        scratches[number].pending = 0
        try await stack.viewContext.waitUntilMerged(stack.store.newestCommit)
      case 10:
        log.append("scratch \(number) refreshes")
        await scratches[number].context.refresh()
      case 11:
        log.append("sheet +\(amount)")
        try await sheet.fetch()
        sheet.add(amount)
      case 12:
        log.append("sheet saves")
        try await sheet.context.save()
        if sheet.pending != 0 {
          pending += sheet.pending
          undo.append(sheet.pending)
          redo = []
        }
        sheet = Scratch(stack.viewContext.makeScratch())
      default:
        log.append("child of scratch \(number) +\(amount)")
        let child = scratches[number].context.makeScratch()
        guard let found = try await child.find(Tally.self, 1) else { return }
        child.update(found) { $0.count += amount }
        try await child.save()
        scratches[number].pending += amount
      }
    }

    func check() async throws {
      #expect(stack.viewContext.conflicts.isEmpty, "\(log)")
      let count = try await stack.fetch(Tally.all).first?.count
      try #require(count == stored, "\(log)")
      if pending == 0 { #expect(live.elements.first?.count == stored, "\(log)") }
    }
  }

  @Test func `the store has the sum of what was saved`() async throws {
    for seed in 0..<30 {
      let world = try await World(UInt64(seed))
      for _ in 0..<40 {
        do {
          try await world.step()
          try await world.check()
        } catch {
          Issue.record("seed \(seed): \(error) after \(world.log)")
          break
        }
      }
      await world.stack.close()
    }
  }
}
