import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Note.self, Tag.self, Colleague.self, Folder.self))
@MainActor
struct ManyToManyTests {
  let stack = Stack.test
  let notes = (1...3).map { Note(id: $0, text: "note \($0)") }
  let tags = ["blue", "green", "red"].map { Tag(id: $0, isLoud: $0 == "red") }

  private func prepare(_ more: (ScratchContext) -> Void = { _ in }) async throws {
    try await stack.withScratch { scratch in
      notes.forEach(scratch.insert)
      tags.forEach(scratch.insert)
      more(scratch)
    }
  }

  @Test(arguments: ContextKind.allCases)
  func `both sides agree, before and after a save`(_ kind: ContextKind) async throws {
    try await prepare { $0.link(notes[0], to: tags[0], in: Note.tags) }
    let context = kind.make(stack)
    context.link(notes[0], to: tags[2], in: Note.tags)
    context.link(tags[2], to: notes[1], in: Tag.notes)
    context.unlink(tags[0], from: notes[0], in: Tag.notes)
    for _ in 1...2 {
      #expect(try await context.fetched(Note.tags(of: notes[0])) == [tags[2]])
      #expect(try await context.fetched(Note.tags(of: notes[1])) == [tags[2]])
      #expect(try await context.fetched(Tag.notes(of: tags[2])) == [notes[0], notes[1]])
      #expect(try await context.fetched(Tag.notes(of: tags[0])) == [])
      #expect(try await context.counted(Tag.notes(of: tags[2])) == 2)
      try await context.saved()
    }
    if kind == .scratchOfView { try await stack.viewContext.save() }
    #expect(try await stack.tagLinks() == ["1 red", "2 red"])
    #expect(try await stack.fetch(Tag.notes(of: tags[2])) == [notes[0], notes[1]])
  }

  @Test(arguments: ContextKind.allCases)
  func `a query goes on from a relationship`(_ kind: ContextKind) async throws {
    try await prepare { scratch in
      for note in notes { scratch.link(note, to: tags[0], in: Note.tags) }
      for tag in tags { scratch.link(notes[0], to: tag, in: Note.tags) }
    }
    let context = kind.make(stack)
    // The second round has an edit that changes the answers.
    for round in 1...2 {
      let loud = Note.tags(of: notes[0]).where { $0.isLoud }
      #expect(
        try await context.fetched(loud).map(\.id) == (round == 1 ? ["red"] : ["blue", "red"]))
      let all = Note.tags(of: notes[0]).sorted(by: \.id, order: .reverse)
      #expect(try await context.fetched(all).map(\.id) == ["red", "green", "blue"])
      #expect(try await context.fetched(all.offset(1).limit(1)).map(\.id) == ["green"])
      #expect(try await context.counted(all.limit(2)) == 2)
      let notesOfBlue = Tag.notes(of: "blue").where { $0.id > 1 }
      #expect(try await context.fetched(notesOfBlue) == [notes[1], notes[2]])
      context.edit(tags[0]) { $0.isLoud = true }
    }
  }

  @Test func `linking twice is linking once, and unlinking nothing is nothing`() async throws {
    try await prepare()
    var changes = stack.changes.makeAsyncIterator()
    let commit = try await stack.commit { scratch in
      scratch.link(notes[0], to: tags[0], in: Note.tags)
      scratch.link(tags[0], to: notes[0], in: Tag.notes)
      scratch.link(notes[0].id, to: tags[0].id, in: Note.tags)
    }
    #expect(try await stack.tagLinks() == ["1 blue"])
    #expect(await changes.next()?.count == 1)
    // A link that exists already, or an unlinking without a link, makes no commit.
    let again = try await stack.commit { scratch in
      scratch.link(notes[0], to: tags[0], in: Note.tags)
      scratch.unlink(notes[1], from: tags[1], in: Note.tags)
      scratch.link(notes[2], to: tags[2], in: Note.tags)
      scratch.unlink(notes[2].id, from: tags[2].id, in: Note.tags)
    }
    #expect(again == commit)
    #expect(try await stack.tagLinks() == ["1 blue"])
  }

  @Test func `links of several contexts never conflict`() async throws {
    try await prepare { $0.link(notes[2], to: tags[2], in: Note.tags) }
    let contexts = (1...3).map { _ in stack.makeScratch() }
    for context in contexts {
      // Every context reads before the first save.
      #expect(try await context.fetch(Note.tags(of: notes[2])) == [tags[2]])
      context.link(notes[0], to: tags[0], in: Note.tags)
      context.unlink(notes[2], from: tags[2], in: Note.tags)
    }
    stack.viewContext.link(notes[0], to: tags[0], in: Note.tags)
    stack.viewContext.unlink(notes[2], from: tags[2], in: Note.tags)
    for context in contexts { try await context.save() }
    // The view context has merged the other commits meanwhile.
    try await stack.viewContext.waitUntilMerged(stack.store.newestCommit)
    #expect(stack.viewContext.conflicts.isEmpty)
    try await stack.viewContext.save()
    #expect(try await stack.tagLinks() == ["1 blue"])

    // The last save decides and no save fails, no matter when its context merges the other commits.
    stack.viewContext.link(notes[1], to: tags[1], in: Note.tags)
    try await stack.withScratch { $0.link(notes[1], to: tags[1], in: Note.tags) }
    try await stack.withScratch { $0.unlink(notes[1], from: tags[1], in: Note.tags) }
    #expect(stack.viewContext.conflicts.isEmpty)
    try await stack.viewContext.save()
    #expect(try await stack.tagLinks() == ["1 blue", "2 green"])
  }

  @Test func `a link goes with either of its ends, and the change says so`() async throws {
    try await prepare { scratch in
      for note in notes {
        for tag in tags { scratch.link(note, to: tag, in: Note.tags) }
      }
    }
    var changes = stack.changes.makeAsyncIterator()
    try await stack.commit { $0.delete(notes[0]) }
    #expect(await changes.next()?.count == 4)
    try await stack.commit { $0.delete(tags[0]) }
    #expect(await changes.next()?.count == 3)
    #expect(try await stack.tagLinks() == ["2 green", "2 red", "3 green", "3 red"])
  }

  @Test func `a link to what somebody else deleted is dropped, whoever comes first`() async throws {
    try await prepare()
    let scratch = stack.makeScratch()
    scratch.link(notes[0], to: tags[0], in: Note.tags)
    scratch.link(notes[1], to: tags[0], in: Note.tags)
    scratch.link(notes[1], to: tags[1], in: Note.tags)
    try await stack.commit {
      $0.delete(tags[0])
      $0.delete(notes[0])
    }
    try await scratch.save()
    #expect(try await stack.tagLinks() == ["2 green"])
    #expect(!scratch.hasChanges)
    // The same holds within one save.
    try await stack.commit {
      $0.link(notes[2], to: tags[2], in: Note.tags)
      $0.delete(tags[2])
    }
    #expect(try await stack.tagLinks() == ["2 green"])
  }

  @Test(arguments: ContextKind.allCases)
  func `an entity may be linked with others of its kind and with itself`(
    _ kind: ContextKind
  ) async throws {
    try await prepare { $0.link(notes[0], to: notes[1], in: Note.mentions) }
    let context = kind.make(stack)
    context.link(notes[1], to: notes[2], in: Note.mentions)
    context.link(notes[2], to: notes[2], in: Note.mentions)
    context.link(notes[0], to: notes[2], in: Note.mentionedBy)
    for _ in 1...2 {
      #expect(try await context.fetched(Note.mentions(of: notes[0])) == [notes[1]])
      #expect(try await context.fetched(Note.mentions(of: notes[2])) == [notes[0], notes[2]])
      #expect(try await context.fetched(Note.mentionedBy(of: notes[2])) == [notes[1], notes[2]])
      #expect(try await context.fetched(Note.mentionedBy(of: notes[0])) == [notes[2]])
      try await context.saved()
    }
    context.delete(notes[2])
    try await context.saved()
    #expect(try await context.fetched(Note.mentions(of: notes[1])) == [])
  }

  @Test func `a live query of a relationship follows links and targets`() async throws {
    try await prepare { $0.link(notes[0], to: tags[0], in: Note.tags) }
    let live = try await stack.viewContext.loaded(Note.tags(of: notes[0]))
    #expect(Array(live.elements) == [tags[0]])
    try await stack.withScratch { $0.link(tags[2], to: notes[0], in: Tag.notes) }
    #expect(Array(live.elements) == [tags[0], tags[2]])
    stack.viewContext.link(notes[0], to: tags[1], in: Note.tags)
    stack.viewContext.delete(tags[0])
    #expect(live.elements.map(\.id) == ["red"])
    try await stack.viewContext.save()
    #expect(live.elements.map(\.id) == ["green", "red"])
    stack.viewContext.delete(notes[0])
    #expect(live.elements.isEmpty)
    stack.viewContext.rollback()
    #expect(live.elements.map(\.id) == ["green", "red"])
  }

  @Test func `a link is discarded with everything else`() async throws {
    try await prepare()
    stack.viewContext.link(notes[0], to: tags[0], in: Note.tags)
    #expect(stack.viewContext.hasChanges)
    stack.viewContext.rollback()
    #expect(!stack.viewContext.hasChanges)
    #expect(try await stack.viewContext.fetch(Note.tags(of: notes[0])) == [])
  }

  // The sheet's link and its removal cancel each other, but another context has made the same link
  // meanwhile.
  @Test func `a sheet removes a link that another context has made, too`() async throws {
    try await prepare()
    let sheet = stack.viewContext.makeScratch()
    sheet.link(notes[0], to: tags[0], in: Note.tags)
    try await sheet.save()
    try await stack.withScratch { $0.link(notes[0], to: tags[0], in: Note.tags) }
    sheet.unlink(notes[0], from: tags[0], in: Note.tags)
    try await sheet.save()
    #expect(try await stack.viewContext.fetch(Note.tags(of: notes[0])) == [])
    try await stack.viewContext.save()
    #expect(try await stack.tagLinks() == [])
  }
}
