import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Note.self, Tag.self, Colleague.self, Folder.self))
@MainActor struct LinkUndoTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  let notes = (1...2).map { Note(id: $0) }
  let tags = ["a", "b", "c"].map { Tag(id: $0) }

  private func prepare() async throws {
    try await stack.withScratch { scratch in
      notes.forEach(scratch.insert)
      tags.forEach(scratch.insert)
      scratch.link(notes[0], to: tags[0], in: Note.tags)
    }
  }

  private func names() async throws -> [String] {
    try await view.fetch(Note.tags(of: notes[0])).map(\.id)
  }

  @Test func `links are undone and redone, saved or not`() async throws {
    try await prepare()
    view.undoGroup("Tag") {
      view.link(notes[0], to: tags[1], in: Note.tags)
      view.unlink(notes[0], from: tags[0], in: Note.tags)
    }
    #expect(try await names() == ["b"])
    view.undo()
    #expect(try await names() == ["a"])
    view.redo()
    #expect(try await names() == ["b"])
    try await view.save()
    view.undo()
    #expect(try await names() == ["a"])
    try await view.save()
    #expect(try await stack.tagLinks() == ["1 a"])
    view.redo()
    try await view.save()
    #expect(try await stack.tagLinks() == ["1 b"])
  }

  @Test func `undoing a deletion brings the links back that went with it`() async throws {
    try await prepare()
    view.delete(notes[0])
    try await view.save()
    #expect(try await stack.tagLinks() == [])
    view.undo()
    #expect(try await names() == ["a"])
    try await view.save()
    #expect(try await stack.tagLinks() == ["1 a"])
  }

  @Test func `an insertion by index is one step of undo, with the neighbours that made room`()
    async throws
  {
    let folder = Folder(id: 1)
    try await stack.withScratch { scratch in
      scratch.insert(folder)
      for id in 1...4 { scratch.insert(Note(id: id, folderID: 1)) }
    }
    for make in [{ stack.viewContext.makeScratch() }, { stack.makeScratch() }] {
      let scratch = make()
      scratch.undoLimit = 10
      try await scratch.insert(Note(id: 9), at: 2, in: Folder.notes, of: folder)
      #expect(try await scratch.fetch(Folder.notes(of: folder)).map(\.id) == [1, 2, 9, 3, 4])
      scratch.undo()
      #expect(!scratch.hasChanges)
    }
  }

  /// The child must know the links that it has saved, although they are not among its own edits. If
  /// it took them for unseen links, it could not undo them.
  @Test func `a child of the view context undoes links that it saved`() async throws {
    try await prepare()
    let child = view.makeScratch()
    child.undoLimit = 10
    child.link(notes[0], to: tags[1], in: Note.tags)
    child.unlink(notes[0], from: tags[0], in: Note.tags)
    child.upsert(Tag(id: "b", isLoud: true))
    // The store has this tag.
    child.upsert(tags[2])
    try await child.save()
    #expect(try await names() == ["b"])
    for expected in [["b"], ["a", "b"], ["a"]] {
      #expect(child.undo()?.isComplete == true)
      try await child.save()
      #expect(try await names() == expected)
    }
    #expect(!child.canUndo)
    try await view.save()
    #expect(try await stack.tagLinks() == ["1 a"])
    #expect(try await stack.fetch(Tag.where { $0.isLoud }) == [])
  }

  @Test func `a child of a scratch context undoes links that its parent knew`() async throws {
    try await prepare()
    let parent = stack.makeScratch()
    parent.link(notes[0], to: tags[1], in: Note.tags)
    let child = parent.makeScratch()
    child.undoLimit = 10
    child.unlink(notes[0], from: tags[1], in: Note.tags)
    try await child.save()
    #expect(child.undo()?.isComplete == true)
    try await child.save()
    try await parent.save()
    #expect(try await stack.tagLinks() == ["1 a", "1 b"])
  }

  /// A move that meets two other moves has three values: before, mine and theirs. It is no conflict
  /// all the same.
  @Test(arguments: SavePolicy.allCases)
  func `a link is saved under every policy`(_ policy: SavePolicy) async throws {
    let colleagues = ["a", "b", "c", "d"].map { Colleague(name: $0) }
    try await stack.withScratch { scratch in
      scratch.insert(notes[0])
      for colleague in colleagues {
        scratch.insert(colleague)
        scratch.link(notes[0], to: colleague, in: Note.readers)
      }
    }
    try await view.link(notes[0], to: colleagues[3], at: 0, in: Note.readers)
    try await view.link(notes[0], to: colleagues[2], at: 0, in: Note.readers)
    view.unlink(notes[0], from: colleagues[1], in: Note.readers)
    for index in [1, 2] {
      let other = stack.makeScratch()
      for colleague in colleagues.dropFirst() {
        try await other.link(notes[0], to: colleague, at: index, in: Note.readers)
      }
      try await view.waitUntilMerged(try await other.save())
    }
    #expect(view.conflicts.isEmpty)
    let child = view.makeScratch()
    try await child.link(notes[0], to: colleagues[3], at: 0, in: Note.readers)
    try await view.link(notes[0], to: colleagues[3], at: 9, in: Note.readers)
    try await child.save(policy)
    try await view.save(policy)
    #expect(try await view.fetch(Note.readers(of: notes[0])).map(\.name) == ["d", "c", "a"])
    #expect(try await stack.fetch(Note.readers(of: notes[0])).map(\.name) == ["d", "c", "a"])
  }
}
