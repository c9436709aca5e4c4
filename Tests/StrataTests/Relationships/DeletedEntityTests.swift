import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The relationships of an entity that is deleted here, in the store, or by a rule.
@Suite(.inTurn, .stack(Note.self, Tag.self, Colleague.self, Folder.self))
@MainActor struct DeletedEntityTests {
  let stack = Stack.test
  let folder = Folder(id: 1, name: "in")
  let note = Note(id: 1, text: "n", folderID: 1)
  let tag = Tag(id: "t")

  private func prepare() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(folder)
      scratch.insert(note)
      scratch.insert(tag)
      scratch.link(note, to: tag, in: Note.tags)
    }
  }

  /// Checks that no side of any relationship of the deleted note shows the other side.
  private func checkNoteIsGone(_ context: any EditingContext) async throws {
    #expect(try await context.fetched(Note.tags(of: note)) == [])
    #expect(try await context.counted(Note.tags(of: note)) == 0)
    #expect(try await context.fetched(Tag.notes(of: tag)) == [])
    #expect(try await context.target(Note.folder, of: note) == nil)
    #expect(try await context.fetched(Folder.notes(of: folder)) == [])
    #expect(try await context.fetched(Note.all, with: Note.tags).isEmpty)
    #expect(try await context.fetched(Tag.all, with: Tag.notes).map(\.1) == [[]])
    #expect(try await context.fetched(Folder.all, with: Folder.notes).map(\.1) == [[]])
  }

  @Test(arguments: ContextKind.allCases)
  func `an entity that is deleted here is nowhere, before and after the save`(
    _ kind: ContextKind
  ) async throws {
    try await prepare()
    let context = kind.make(stack)
    context.delete(note)
    try await checkNoteIsGone(context)
    try await context.saved()
    try await checkNoteIsGone(context)
    if kind == .scratchOfView { try await stack.viewContext.save() }
    #expect(try await stack.tagLinks() == [])
  }

  @Test(arguments: ContextKind.allCases)
  func `an entity that somebody else deleted is nowhere`(_ kind: ContextKind) async throws {
    try await prepare()
    try await stack.withScratch { $0.delete(note) }
    let context = kind.make(stack)
    try await checkNoteIsGone(context)
    // Edits of other rows lie on top.
    context.edit(tag) { $0.isLoud = true }
    context.edit(folder) { $0.name = "out" }
    context.link(note, to: tag, in: Note.tags)
    try await checkNoteIsGone(context)
    try await context.saved()
    try await checkNoteIsGone(context)
  }

  @Test(arguments: ContextKind.allCases)
  func `a reference to what is deleted reads nil on both sides`(
    _ kind: ContextKind
  ) async throws {
    try await prepare()
    var context = kind.make(stack)
    context.delete(folder)
    let byName = Note.where { $0.folder.name == "in" }
    for round in 1...2 {
      #expect(try await context.target(Note.folder, of: note) == nil)
      #expect(try await context.fetched(Folder.notes(of: folder)) == [])
      #expect(try await context.counted(Folder.notes(of: folder)) == 0)
      #expect(try await context.fetched(byName) == [])
      #expect(try await context.fetched(Note.all, with: Note.folder).map(\.1) == [nil])
      // The nullification itself appears at the save.
      let shown = try await context.fetched(Note.all)
      #expect(shown.map(\.folderID) == (round == 1 ? [1] : [nil]))
      if round == 1 { try await context.saved() }
      if kind == .scratchOfView {
        try await stack.viewContext.save()
        // The child still shows its parent as it was before that save.
        context = kind.make(stack)
      }
    }
  }

  @Test(arguments: ContextKind.allCases)
  func `a deletion that is taken back brings every relationship back`(
    _ kind: ContextKind
  ) async throws {
    try await prepare()
    let context = kind.make(stack)
    context.delete(note)
    try await checkNoteIsGone(context)
    context.insert(note)
    #expect(try await context.fetched(Note.tags(of: note)) == [tag])
    #expect(try await context.fetched(Folder.notes(of: folder)) == [note])
    #expect(try await context.target(Note.folder, of: note) == folder)
    try await context.saved()
    if kind == .scratchOfView { try await stack.viewContext.save() }
    #expect(try await stack.tagLinks() == ["1 t"])
  }

  @Test(arguments: ContextKind.allCases)
  func `a reference that leads nowhere reads nil on both sides`(_ kind: ContextKind) async throws {
    let stray = Note(id: 7, folderID: 99)
    try await stack.withScratch { $0.insert(stray) }
    let context = kind.make(stack)
    for _ in 1...2 {
      #expect(try await context.target(Note.folder, of: stray) == nil)
      #expect(try await context.fetched(Folder.notes(of: 99)) == [])
      #expect(try await context.fetched(Note.all, with: Note.folder).first?.1 == nil)
      context.edit(stray) { $0.text = "edited" }
    }
    #expect(try await context.target(Note.folder, of: Note(id: 8, folderID: 99)) == nil)
    // The target of the reference is inserted later.
    context.insert(Folder(id: 99))
    #expect(try await context.target(Note.folder, of: stray) == Folder(id: 99))
    #expect(try await context.fetched(Folder.notes(of: 99)).map(\.id) == [7])
  }

  @Test func `a live query of a deleted root is empty until the root is back`() async throws {
    try await prepare()
    let live = try await stack.viewContext.loaded(Folder.notes(of: folder))
    #expect(live.elements.map(\.id) == [1])
    stack.viewContext.delete(folder)
    #expect(live.elements.isEmpty)
    stack.viewContext.insert(Note(id: 2, folderID: 1))
    #expect(live.elements.isEmpty)
    stack.viewContext.rollback()
    #expect(live.elements.map(\.id) == [1])
    try await stack.withScratch { $0.delete(folder) }
    #expect(live.elements.isEmpty)
    // The note is inserted first, and its folder afterwards.
    try await stack.withScratch { $0.insert(Note(id: 3, folderID: 1)) }
    #expect(live.elements.isEmpty)
    try await stack.withScratch { $0.insert(folder) }
    #expect(live.elements.map(\.id) == [3])
    stack.viewContext.insert(Note(id: 4, folderID: 1, place: 1))
    #expect(live.elements.map(\.id) == [3, 4])
  }

  @Test func `a live query of a root that is not saved yet shows what refers to it`() async throws {
    let live = try await stack.viewContext.loaded(Folder.notes(of: 5))
    stack.viewContext.insert(Note(id: 1, folderID: 5))
    #expect(live.elements.isEmpty)
    stack.viewContext.insert(Folder(id: 5))
    #expect(live.elements.map(\.id) == [1])
    try await stack.viewContext.save()
    #expect(live.elements.map(\.id) == [1])
  }
}
