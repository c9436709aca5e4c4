import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Relationships whose root is made or deleted only by unsaved edits.
@Suite(.inTurn, .stack(Note.self, Tag.self, Colleague.self, Folder.self)) @MainActor
struct UnsavedRootTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  private let notes = Folder.notes(of: 7)

  /// The live query must not wait until the root is saved, because a fetch does not wait either.
  @Test func `an unsaved root shows its rows, as a fetch does`() async throws {
    try await stack.withScratch { $0.insert(Note(id: 1, folderID: 7, place: 1)) }
    let live = try await view.loaded(notes)
    let count = view.live(.count, of: notes)
    #expect(try await count.waitUntilLoaded() == 0 && live.elements.isEmpty)
    view.insert(Folder(id: 7))
    #expect(try await view.fetch(notes).map(\.id) == [1])
    #expect(live.elements.map(\.id) == [1] && count.value == 1)
    // Rows that are committed meanwhile count, too.
    try await stack.withScratch { $0.insert(Note(id: 2, folderID: 7, place: 2)) }
    #expect(live.elements.map(\.id) == [1, 2] && count.value == 2)
    view.rollback()
    #expect(live.elements.isEmpty && count.value == 0)
    view.insert(Folder(id: 7))
    try await view.save()
    #expect(live.elements.map(\.id) == [1, 2] && count.value == 2)
  }

  @Test func `a root that goes takes its rows along, and one that comes brings them`() async throws
  {
    try await stack.withScratch { scratch in
      scratch.insert(Folder(id: 7))
      scratch.insert(Note(id: 1, folderID: 7))
    }
    let live = try await view.loaded(notes)
    view.delete(Folder(id: 7))
    #expect(live.elements.isEmpty)
    #expect(try await view.fetch(notes).isEmpty)
    view.rollback()
    #expect(live.elements.map(\.id) == [1])
    try await stack.withScratch { $0.delete(Folder(id: 7)) }
    #expect(live.elements.isEmpty)
    try await stack.withScratch { scratch in
      scratch.insert(Note(id: 3, folderID: 7))
      scratch.insert(Folder(id: 7))
    }
    #expect(live.elements.map(\.id) == [3])
    #expect(try await view.fetch(notes).map(\.id) == [3])
  }
}
