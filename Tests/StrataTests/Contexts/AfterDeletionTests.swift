import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The way in which an entity is deleted that a caller still holds.
enum Deletion: CaseIterable {
  /// This context deletes it, and has not saved yet.
  case unsavedHere
  case savedHere
  case bySomebodyElse
  /// A delete rule deletes it, because the row that it refers to is deleted.
  case byCascade
}

/// Values, elements and keys of deleted entities, which every API accepts without a trap.
@Suite(.inTurn, .stack(Boat.self, Harbour.self, Pier.self)) @MainActor
struct AfterDeletionTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  let pier = Pier(id: 1, harbourID: 1)

  private func delete(_ deletion: Deletion) async throws {
    switch deletion {
    case .unsavedHere: view.delete(pier)
    case .savedHere:
      view.delete(pier)
      try await view.save()
    case .bySomebodyElse: try await stack.withScratch { [pier] in $0.delete(pier) }
    case .byCascade: try await stack.withScratch { $0.delete(Harbour(id: 1)) }
    }
  }

  private func fill() async throws {
    try await stack.withScratch { [pier] in
      $0.insert(Harbour(id: 1))
      $0.insert(Harbour(id: 2))
      $0.insert(pier)
    }
  }

  @Test(arguments: Deletion.allCases)
  func `a value and a version of the elements stay as they were`(_ deletion: Deletion) async throws
  {
    try await fill()
    let live = try await view.loaded(Pier.all)
    let elements = live.elements
    let held = elements[0]
    try await delete(deletion)
    #expect(held == pier && Array(elements) == [pier] && elements[0] == pier)
    #expect(live.elements.isEmpty)
  }

  @Test(arguments: Deletion.allCases)
  func `a key finds nothing, and its relationships lead nowhere`(_ deletion: Deletion) async throws
  {
    try await fill()
    try await delete(deletion)
    #expect(try await view.find(Pier.self, 1) == nil)
    #expect(try await view.find(Pier.self, [1, 1]) == [])
    #expect(try await view.count(Pier.where { $0.harbourID == 1 }) == 0)
    #expect(try await view.fetch(Pier.harbour, of: pier) == nil)
    #expect(try await view.fetch(Pier.all, with: Pier.harbour).isEmpty)
  }

  @Test(arguments: Deletion.allCases)
  func `deleting it again changes nothing`(_ deletion: Deletion) async throws {
    try await fill()
    let live = try await view.loaded(Pier.all)
    try await delete(deletion)
    view.delete(pier)
    try await view.save()
    #expect(live.elements.isEmpty && !view.hasChanges)
    #expect(try await stack.fetch(Pier.all) == [])
  }

  /// The context that deleted the row ignores the edit. Any other context keeps the edit as an
  /// orphan, and the save's policy decides about it.
  @Test(arguments: Deletion.allCases)
  func `editing it never brings it back silently`(_ deletion: Deletion) async throws {
    try await fill()
    try await delete(deletion)
    let edited = view.update(pier) { $0.harbourID = 2 }
    let isKnown = deletion == .unsavedHere || deletion == .savedHere
    #expect((edited == pier) == isKnown)
    if isKnown {
      try await view.save()
    } else {
      let error = await failure { try await view.save() }
      #expect(error?.code == .conflict && error?.conflicts.map(\.isOrphaned) == [true])
      #expect(view.conflicts.count == 1)
      try await view.save(.mergeMine)
    }
    #expect(try await stack.fetch(Pier.all) == [] && !view.hasChanges)
  }

  /// The context knows of the deletion, because it follows the rows that it once edited.
  @Test func `editing what somebody else deleted makes an orphan, also of a row that was edited`()
    async throws
  {
    try await fill()
    view.update(pier) { $0.nextID = 3 }
    view.rollback()
    try await delete(.bySomebodyElse)
    #expect(try await view.find(Pier.self, 1) == nil)
    #expect(view.update(pier) { $0.harbourID = 2 }.harbourID == 2)
    #expect(view.conflicts.map(\.isOrphaned) == [true])
    view.rollback()
    view.delete(pier)
    try await view.save()
    #expect(!view.hasChanges)
  }

  @Test(arguments: Deletion.allCases)
  func `a scratch context that still sees it says so when it saves`(_ deletion: Deletion)
    async throws
  {
    try await fill()
    let scratch = stack.makeScratch()
    #expect(try await scratch.fetch(Pier.all) == [pier])
    try await delete(deletion)
    // The snapshot is older than the deletion.
    #expect(try await scratch.find(Pier.self, 1) == pier)
    scratch.update(pier) { $0.harbourID = 2 }
    let error = await failure { try await scratch.save() }
    #expect(error?.code == (deletion == .unsavedHere ? nil : .conflict))
    if error != nil { try await scratch.save(.discard) }
    #expect(try await stack.fetch(Pier.all).count == (deletion == .unsavedHere ? 1 : 0))
    let child = view.makeScratch()
    #expect(child.update(pier) { $0.nextID = 1 } == pier || deletion != .unsavedHere)
  }

  @Test func `inserting its key again is another entity, not the old one`() async throws {
    try await fill()
    view.delete(pier)
    view.insert(Pier(id: 1, harbourID: 2))
    #expect(view.update(pier) { $0.nextID = 7 } == Pier(id: 1, harbourID: 2, nextID: 7))
    try await view.save()
    #expect(try await stack.fetch(Pier.all) == [Pier(id: 1, harbourID: 2, nextID: 7)])
  }

  @Test func `a live query and its elements outlive the stack`() async throws {
    try await fill()
    let live = try await view.loaded(Pier.all)
    await stack.close()
    #expect(Array(live.elements) == [pier])
    #expect(view.update(pier) { $0.harbourID = 2 }.harbourID == 2)
    #expect(await failure { try await view.save() }?.code == .closed)
  }
}
