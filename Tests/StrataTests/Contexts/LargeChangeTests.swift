import Foundation
import StrataTestTurns
import StrataTesting
import Testing

@testable import Strata

/// Changes of the view context that are made elsewhere and handed over.
@MainActor @Suite(.inTurn) struct LargeChangeTests {
  /// A store whose view context makes changes of more than some rows elsewhere.
  private func stack(changedAtOnce: Int) async throws -> Stack {
    var options = Stack.Options()
    options.bounds.changedAtOnce = changedAtOnce
    let stack = try await Stack.temporary(Harbour.self, Boat.self, options: options)
    try await stack.withScratch { scratch in
      for id in 1...40 { scratch.insert(Boat(id: id, name: "\(id % 5)", length: id % 7)) }
    }
    return stack
  }

  private func lists(_ view: ViewContext) async throws -> [LiveQuery<Boat>] {
    var lists: [LiveQuery<Boat>] = []
    for query in [
      Boat.all, Boat.where { $0.length > 3 }, Boat.sorted(by: \.length, order: .reverse).limit(5),
      Boat.where { $0.name == "2" }.sorted(by: \.length),
      Boat.sorted(by: \.name).offset(3).limit(10),
    ] {
      lists.append(try await view.loaded(query))
    }
    return lists
  }

  private func expectAgreement(_ lists: [LiveQuery<Boat>], _ view: ViewContext) async throws {
    for list in lists {
      #expect(Array(list.elements) == (try await view.fetch(list.query)))
    }
  }

  @Test func `a large edit and its undo each reach a live query as one change`() async throws {
    let stack = try await stack(changedAtOnce: 0)
    let view = stack.viewContext
    let lists = try await lists(view)
    var seen: [[Int]] = []
    let observer = lists[0].observeKeys { [list = lists[0]] _ in
      seen.append(list.elements.map(\.length))
    }
    _ = try await view.update(Boat.all) { $0.length += 100 }
    #expect(seen.count == 1 && seen[0].allSatisfy { $0 >= 100 })
    try await expectAgreement(lists, view)
    #expect(try await view.undoInBackground()?.count == 40)
    #expect(seen.count == 2 && seen[1].allSatisfy { $0 < 100 } && !view.hasChanges)
    #expect(try await view.redoInBackground()?.count == 40)
    _ = try await view.delete(Boat.where { $0.id <= 10 })
    #expect(seen.count == 4 && lists[0].elements.count == 30)
    try await view.save()
    #expect(try await stack.count(Boat.all) == 30)
    _ = try await view.update(Boat.all) { $0.length = 0 }
    try await view.rollbackInBackground()
    #expect(lists[0].elements.allSatisfy { $0.length >= 100 } && !view.canUndo)
    try await expectAgreement(lists, view)
    _ = observer
    await stack.close()
  }

  /// A keystroke comes while the change is being made, more often than the change is attempted.
  @Test(arguments: 0..<20)
  func `edits during a large edit stay`(seed: UInt64) async throws {
    let stack = try await stack(changedAtOnce: 0)
    let view = stack.viewContext
    let lists = try await lists(view)
    var random = SplitMix64(seed: seed)
    let isOver = Lock(false)
    let large = Task {
      defer { isOver.withLock { $0 = true } }
      return try await view.update(Boat.all) { $0.length += 100 }
    }
    var names: [Int: String] = [:]
    var number = 0
    while !isOver.withLock(\.self) {
      if random.next() % 3 == 0, let boat = lists[0].elements.randomElement(using: &random) {
        number += 1
        names[boat.id] = "typed \(number)"
        view.update(boat) { $0.name = "typed \(number)" }
        // The screen has the keystroke at once, and the large edit as a whole or not at all.
        #expect(lists[0].elements[id: boat.id]?.name == "typed \(number)")
        #expect(Set(lists[0].elements.map { $0.length >= 100 }).count == 1)
      }
      await Task.yield()
    }
    #expect(try await large.value == 40)
    let expected = (1...40).map { id in
      Boat(id: id, name: names[id] ?? "\(id % 5)", length: id % 7 + 100)
    }
    #expect(Array(lists[0].elements) == expected)
    try await expectAgreement(lists, view)
    try await view.save()
    #expect(try await stack.makeScratch().fetch(Boat.all) == expected)
    try await expectAgreement(lists, view)
    await stack.close()
  }

  /// Two stores get the same calls. The first store makes its changes elsewhere, and the second store makes them in
  /// one turn each.
  @Test(arguments: 0..<25)
  func `a change made elsewhere has the outcome of one made in a turn`(seed: UInt64) async throws {
    let stacks = [try await stack(changedAtOnce: 0), try await stack(changedAtOnce: .max)]
    var outcomes: [[String]] = [[], []]
    for (number, stack) in stacks.enumerated() {
      var random = SplitMix64(seed: seed)
      let (view, isElsewhere) = (stack.viewContext, number == 0)
      let lists = try await lists(view)
      for _ in 0..<15 {
        outcomes[number].append(
          try await step(stack, isElsewhere: isElsewhere, &random))
        let shown = try await view.fetch(Boat.all).map { "\($0.id) \($0.name) \($0.length)" }
        outcomes[number].append("\(shown) \(view.canUndo) \(view.canRedo) \(view.hasChanges)")
        outcomes[number].append("\(view.conflicts)")
        try await expectAgreement(lists, view)
      }
      await stack.close()
    }
    #expect(outcomes[0] == outcomes[1])
  }

  /// Makes one random call, and returns its outcome.
  private func step(
    _ stack: Stack, isElsewhere: Bool, _ random: inout SplitMix64
  ) async throws -> String {
    let view = stack.viewContext
    let (low, name) = (Int(random.next() % 40), "\(random.next() % 6)")
    let some = Boat.where { $0.id >= low && $0.id < low + 20 }
    do {
      switch random.next() % 8 {
      case 0: return "update \(try await view.update(some) { $0.length += 1 })"
      case 1: return "rename \(try await view.update(some) { $0.name = name })"
      case 2:
        return "delete \(try await view.delete(Boat.where { $0.id >= low && $0.id < low + 3 }))"
      case 3:
        let report = isElsewhere ? try await view.undoInBackground() : view.undo()
        return "undo \(String(describing: report))"
      case 4:
        let report = isElsewhere ? try await view.redoInBackground() : view.redo()
        return "redo \(String(describing: report))"
      case 5:
        if isElsewhere { try await view.rollbackInBackground() } else { view.rollback() }
        return "rollback"
      case 6:
        let policy: SavePolicy = low % 2 == 0 ? .mergeMine : .error
        _ = try await view.save(policy)
        return "save"
      default:
        try await stack.withScratch { scratch in
          _ = try await scratch.update(some) { $0.name = name }
          scratch.upsert(Boat(id: low + 30, name: name, length: low))
        }
        try await view.waitUntilMerged(stack.store.newestCommit)
        return "commit"
      }
    } catch let error as StoreError {
      return "\(error.code)"
    }
  }
}
