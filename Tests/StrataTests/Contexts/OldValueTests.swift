import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Edits of a value that another context has changed since it was read.
///
/// The edit began with the newer value if any live query held the row, and with the value in hand if
/// none did. So a screen that appeared elsewhere changed the outcome of a save.
@MainActor @Suite(.inTurn, .stack(Boat.self, Harbour.self)) struct OldValueTests {
  private let stack = Stack.test
  private var view: ViewContext { stack.viewContext }

  /// Reads a boat, which another context then renames.
  private func oldBoat(isShown: Bool) async throws -> (Boat, LiveQuery<Boat>?) {
    try await stack.merge { $0.insert(Boat(id: 1, name: "Auk", length: 3)) }
    let boat = try #require(try await view.find(Boat.self, 1))
    let live = isShown ? try await view.loaded(Boat.all) : nil
    try await stack.merge { $0.update(boat) { $0.name = "Tern" } }
    #expect(live?.elements.map(\.name) ?? ["Tern"] == ["Tern"])
    return (boat, live)
  }

  @Test(arguments: [false, true])
  func `an edit of a changed attribute conflicts, whatever is shown`(_ isShown: Bool) async throws {
    let (old, live) = try await oldBoat(isShown: isShown)
    view.update(old) { $0.name += "!" }
    let error = await failure { try await view.save() }
    #expect(error?.code == .conflict)
    let sides = try #require(error?.conflicts.first?.sides(of: Boat.self))
    #expect(sides.before?.name == "Auk" && sides.mine?.name == "Auk!")
    #expect(sides.theirs?.name == "Tern")
    withExtendedLifetime(live) {}
  }

  @Test(arguments: [false, true])
  func `an edit of another attribute is saved, whatever is shown`(_ isShown: Bool) async throws {
    let (old, live) = try await oldBoat(isShown: isShown)
    view.update(old) { $0.length = 4 }
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == [Boat(id: 1, name: "Tern", length: 4)])
    withExtendedLifetime(live) {}
  }

  @Test(arguments: [false, true])
  func `own edits and saves lie over an old value, whatever is shown`(_ isShown: Bool) async throws
  {
    let (old, live) = try await oldBoat(isShown: isShown)
    view.update(old) { $0.length += 1 }
    view.update(old) { $0.length += 1 }
    try await view.save()
    view.update(old) { $0.length += 1 }
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == [Boat(id: 1, name: "Tern", length: 6)])
    withExtendedLifetime(live) {}
  }
}
