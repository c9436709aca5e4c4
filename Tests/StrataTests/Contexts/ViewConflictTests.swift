import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// An edit of the view context, an edit of another context, and the expected results.
struct Disagreement: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The row that is stored at first.
  var stored: Boat? = Boat(id: 1, name: "Gull", length: 9)
  let mine: @Sendable @MainActor (ViewContext) -> Void
  let theirs: @Sendable (inout Edits) -> Void
  /// The attributes in conflict; nil if there is no conflict.
  let conflict: [String]?
  /// The row after a save that overwrites, or that meets no conflict.
  let result: Boat?
  /// The row after a save that merges and lets this side win, if that differs.
  var mergedMine: Boat?? = nil
  /// The row after a save that merges and lets the other side win, if that differs.
  var mergedTheirs: Boat?? = nil
  /// The row after a save that discards conflicting edits, if that differs.
  var discarded: Boat?? = nil

  func result(of policy: SavePolicy) -> Boat? {
    switch policy {
    case .error, .overwrite: result
    case .mergeMine: mergedMine ?? result
    case .mergeTheirs: mergedTheirs ?? result
    case .discard: discarded ?? result
    }
  }

  static let every = ["id", "name", "length", "speed", "harbourID"]
  static let gull = Boat(id: 1, name: "Gull", length: 9)

  static let all = [
    Disagreement(
      testDescription: "the same attribute", mine: { $0.update(gull) { $0.name = "Mine" } },
      theirs: { $0.change { $0.name = "Theirs" } }, conflict: ["name"],
      result: Boat(id: 1, name: "Mine", length: 9),
      mergedTheirs: Boat(id: 1, name: "Theirs", length: 9),
      discarded: Boat(id: 1, name: "Theirs", length: 9)),
    Disagreement(
      testDescription: "two attributes, one of them the same",
      mine: {
        $0.update(gull) {
          $0.name = "Mine"
          $0.length = 1
        }
      },
      theirs: {
        $0.change {
          $0.name = "Theirs"
          $0.speed = 4
        }
      }, conflict: ["name"], result: Boat(id: 1, name: "Mine", length: 1, speed: 4),
      mergedTheirs: Boat(id: 1, name: "Theirs", length: 1, speed: 4),
      discarded: Boat(id: 1, name: "Theirs", length: 9, speed: 4)),
    Disagreement(
      testDescription: "different attributes", mine: { $0.update(gull) { $0.name = "Mine" } },
      theirs: { $0.change { $0.length = 3 } }, conflict: nil,
      result: Boat(id: 1, name: "Mine", length: 3)),
    Disagreement(
      testDescription: "the same value", mine: { $0.update(gull) { $0.name = "Both" } },
      theirs: { $0.change { $0.name = "Both" } }, conflict: nil,
      result: Boat(id: 1, name: "Both", length: 9)),
    Disagreement(
      testDescription: "an update and a deletion", mine: { $0.update(gull) { $0.name = "Mine" } },
      theirs: { $0.remove() }, conflict: every, result: Boat(id: 1, name: "Mine", length: 9),
      mergedMine: .some(nil), mergedTheirs: .some(nil), discarded: .some(nil)),
    Disagreement(
      testDescription: "a deletion and an update", mine: { $0.delete(gull) },
      theirs: { $0.change { $0.name = "Theirs" } }, conflict: every, result: nil,
      mergedTheirs: Boat(id: 1, name: "Theirs", length: 9),
      discarded: Boat(id: 1, name: "Theirs", length: 9)),
    Disagreement(
      testDescription: "two deletions", mine: { $0.delete(gull) }, theirs: { $0.remove() },
      conflict: nil, result: nil),
    Disagreement(
      testDescription: "two insertions", stored: nil,
      mine: { $0.insert(Boat(id: 1, name: "Mine")) },
      theirs: { _ = $0.insert(Boat(id: 1, name: "Theirs", length: 3)) }, conflict: every,
      result: Boat(id: 1, name: "Mine"),
      mergedTheirs: Boat(id: 1, name: "Theirs", length: 3),
      discarded: Boat(id: 1, name: "Theirs", length: 3)),
    Disagreement(
      testDescription: "two insertions of the same", stored: nil,
      mine: { $0.insert(Boat(id: 1, name: "Both")) },
      theirs: { _ = $0.insert(Boat(id: 1, name: "Both")) }, conflict: nil,
      result: Boat(id: 1, name: "Both")),
  ]
}

/// The time at which the other commit comes.
enum Arrival: CaseIterable {
  /// The commit comes after the edit, and the view context has merged it.
  case afterTheEdit
  /// The commit comes while the edit is on its way to the writer.
  case duringTheSave
  /// The commit comes before the edit, which uses an older value in hand.
  case beforeTheEdit
}

/// A policy that settles a conflict, and the time at which the other commit comes.
struct Settlement: Sendable {
  let policy: SavePolicy
  let order: Arrival

  static let all = SavePolicy.allCases.filter { $0 != .error }.flatMap { policy in
    Arrival.allCases.map { Settlement(policy: policy, order: $0) }
  }
}

@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor
struct ViewConflictTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  @Test(arguments: Disagreement.all, Arrival.allCases)
  func `a conflict does not depend on the order of edit and commit`(
    _ case: Disagreement, _ order: Arrival
  ) async throws {
    if let stored = `case`.stored { try await stack.withScratch { $0.insert(stored) } }
    let error = try await save(`case`, order, .error)
    #expect(error?.code == `case`.conflict.map { _ in .conflict })
    #expect(error?.conflicts.first?.attributes == `case`.conflict)
    if error == nil {
      #expect(!view.hasChanges && view.conflicts.isEmpty)
      #expect(try await stack.fetch(Boat.all) == (`case`.result.map { [$0] } ?? []))
      return
    }
    // The failed save has written nothing and has kept every edit. Overwriting settles the
    // conflict.
    #expect(view.hasChanges && error?.conflicts.first?.key == RecordKey(.integer(1)))
    #expect(try await stack.rows("SELECT number FROM strata_commit") != ["3"])
    #expect(view.conflicts.map(\.attributes) == [`case`.conflict])
    #expect(view.conflicts.first?.theirs == error?.conflicts.first?.theirs)
    try await view.save(.overwrite)
    #expect(!view.hasChanges && view.conflicts.isEmpty)
    #expect(try await stack.fetch(Boat.all) == (`case`.result.map { [$0] } ?? []))
  }

  @Test(arguments: Disagreement.all, Settlement.all)
  func `the result of a policy does not depend on the order of edit and commit`(
    _ case: Disagreement, _ settlement: Settlement
  ) async throws {
    if let stored = `case`.stored { try await stack.withScratch { $0.insert(stored) } }
    // With a live query, an edit after the other commit starts from the committed row.
    let live = settlement.order == .beforeTheEdit ? nil : try await view.loaded(Boat.all)
    #expect(try await save(`case`, settlement.order, settlement.policy) == nil)
    let expected = `case`.result(of: settlement.policy).map { [$0] } ?? []
    #expect(try await stack.fetch(Boat.all) == expected)
    if let live { #expect(Array(live.elements) == expected) }
    #expect(try await view.fetch(Boat.all) == expected)
    #expect(!view.hasChanges && view.conflicts.isEmpty)
  }

  @Test(arguments: Disagreement.all, SavePolicy.allCases)
  func `resolving a conflict does what saving with the policy would`(
    _ case: Disagreement, _ policy: SavePolicy
  ) async throws {
    if let stored = `case`.stored { try await stack.withScratch { $0.insert(stored) } }
    let live = try await view.loaded(Boat.all)
    let theirs = stack.layer(`case`.theirs)
    `case`.mine(view)
    try await view.waitUntilMerged(try await stack.commitUrgently(theirs).value)
    let conflict = view.conflicts.first
    #expect((conflict == nil) == (`case`.conflict == nil))
    guard let conflict else { return }
    #expect(conflict.isOrphaned == (`case`.testDescription == "an update and a deletion"))
    #expect(conflict.sides(of: Boat.self)?.before?.name == `case`.stored?.name)
    #expect(conflict.sides(of: Harbour.self) == nil)
    #expect(view.resolve(conflict, policy) == (policy != .error))
    if policy == .error {
      #expect(view.conflicts.count == 1)
      return
    }
    let expected = `case`.result(of: policy).map { [$0] } ?? []
    #expect(view.conflicts.isEmpty && Array(live.elements) == expected)
    #expect(!view.resolve(conflict, policy))
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == expected)
  }

  @Test func `a conflict of a save that failed can be resolved`() async throws {
    try await stack.withScratch { $0.insert(Disagreement.gull) }
    try await stack.withScratch { $0.update(Disagreement.gull) { $0.name = "Theirs" } }
    view.update(Disagreement.gull) {
      $0.name = "Mine"
      $0.length = 1
    }
    #expect(view.conflicts.isEmpty)
    let error = await failure { try await view.save() }
    let conflict = try #require(error?.conflicts.first)
    #expect(view.resolve(conflict, .mergeTheirs))
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == [Boat(id: 1, name: "Theirs", length: 1)])
  }

  @Test func `a conflict is not settled for a value that nobody was shown`() async throws {
    try await stack.withScratch { $0.insert(Disagreement.gull) }
    view.update(Disagreement.gull) { $0.name = "Mine" }
    try await stack.withScratch { $0.update(Disagreement.gull) { $0.name = "Theirs" } }
    let shown = try #require(view.conflicts.first)
    try await stack.withScratch { scratch in
      for boat in try await scratch.fetch(Boat.all) { scratch.update(boat) { $0.name = "Newest" } }
    }
    #expect(!view.resolve(shown, .mergeMine))
    #expect(view.resolve(try #require(view.conflicts.first), .mergeMine))
  }

  @Test func `an edit that a policy drops takes no edit of another row with it`() async throws {
    let boats = (1...3).map { Boat(id: $0, name: "Gull", length: 9) }
    try await stack.withScratch { scratch in boats.forEach(scratch.insert) }
    for boat in boats { view.update(boat) { $0.name = "Mine" } }
    try await stack.withScratch { $0.update(boats[1]) { $0.name = "Theirs" } }
    try await view.save(.discard)
    #expect(try await stack.rows("SELECT name FROM boats") == ["Mine", "Theirs", "Mine"])
    // An edit that is made while the save drops an older edit starts from the stored row.
    view.update(boats[2]) { $0.name = "Again" }
    try await stack.withScratch { scratch in
      for boat in try await scratch.fetch(Boat.all) { scratch.update(boat) { $0.name = "New" } }
    }
    let stop = await WriterStop(stack)
    let saving = Task { try await view.save(.discard) }
    #expect(await eventually { !view.hasChanges })
    view.update(boats[2]) { $0.length = 1 }
    stop.release()
    _ = try await saving.value
    #expect(view.conflicts.isEmpty)
    try await view.save()
    #expect(try await view.find(Boat.self, 3) == Boat(id: 3, name: "New", length: 1))
  }

  /// Makes both edits in an order, saves, merges every commit, and returns the save's error.
  private func save(
    _ case: Disagreement, _ order: Arrival, _ policy: SavePolicy
  ) async throws -> StoreError? {
    let theirs = stack.layer(`case`.theirs)
    if order == .beforeTheEdit {
      try await view.waitUntilMerged(try await stack.commitUrgently(theirs).value)
    }
    `case`.mine(view)
    if order == .afterTheEdit {
      try await view.waitUntilMerged(try await stack.commitUrgently(theirs).value)
      #expect(view.conflicts.map(\.attributes) == (`case`.conflict.map { [$0] } ?? []))
    }
    let stop = order == .duringTheSave ? await WriterStop(stack) : nil
    if stop != nil { _ = stack.commitUrgently(theirs) }
    let saving = Task { await failure { try await view.save(policy) } }
    if stop != nil { #expect(await eventually { !view.hasChanges }) }
    stop?.release()
    let error = await saving.value
    try await view.waitUntilMerged(stack.store.newestCommit)
    return error
  }

  @Test func `an edit that was rolled back is no conflict of a later edit`() async throws {
    try await stack.withScratch { $0.insert(Disagreement.gull) }
    view.update(Disagreement.gull) { $0.name = "Mine" }
    try await stack.withScratch { $0.update(Disagreement.gull) { $0.name = "Theirs" } }
    #expect(view.conflicts.count == 1)
    view.rollback()
    #expect(view.conflicts.isEmpty)
    try await stack.withScratch { $0.upsert(Boat(id: 1, name: "Newest", length: 9)) }
    view.update(Boat(id: 1, name: "Newest", length: 9)) { $0.name = "Mine" }
    #expect(view.conflicts.isEmpty)
    try await view.save()
  }

  @Test func `an edit that is taken back is no conflict`() async throws {
    try await stack.withScratch { $0.insert(Disagreement.gull) }
    view.update(Disagreement.gull) { $0.name = "Mine" }
    try await stack.withScratch { $0.update(Disagreement.gull) { $0.length = 1 } }
    view.update(Disagreement.gull) { $0.name = "Gull" }
    #expect(!view.hasChanges && view.conflicts.isEmpty)
    try await stack.withScratch { $0.upsert(Boat(id: 1, name: "Newest", length: 2)) }
    view.update(Boat(id: 1, name: "Newest", length: 2)) { $0.length = 5 }
    #expect(view.conflicts.isEmpty)
    try await view.save()
    #expect(try await stack.rows("SELECT name, length FROM boats") == ["Newest 5"])
  }
}

extension Edits {
  /// Updates the boat of every disagreement.
  fileprivate mutating func change(_ change: (inout Boat) -> Void) {
    guard let (table, key) = identify(Disagreement.gull) else { return }
    update(Disagreement.gull, table, key, change)
  }

  fileprivate mutating func remove() {
    guard let (table, key) = identify(Disagreement.gull) else { return }
    delete(Disagreement.gull, table, key)
  }
}
