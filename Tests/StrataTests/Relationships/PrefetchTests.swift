import Foundation
import StrataSQLite
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Note.self, Tag.self, Colleague.self, Folder.self))
@MainActor
struct PrefetchTests {
  let stack = Stack.test
  let folders = (1...40).map { Folder(id: $0, name: "folder \($0)") }
  /// The notes of all folders.
  ///
  /// Every folder from the second on has as many notes as its key says, up to five.
  var notes: [Note] {
    folders.dropFirst().flatMap { folder in
      (1...min(folder.id, 5)).map {
        Note(id: folder.id * 10 + $0, folderID: folder.id, place: Double(-$0))
      }
    }
  }

  private func prepare() async throws {
    try await stack.withScratch { scratch in
      folders.forEach(scratch.insert)
      notes.forEach(scratch.insert)
      for name in ["a", "b", "c"] { scratch.insert(Tag(id: name, isLoud: name == "b")) }
      for note in notes where note.id % 2 == 0 {
        for name in ["c", "a", "b"] { scratch.link(note.id, to: name, in: Note.tags) }
      }
      scratch.insert(Note(id: 1))
      scratch.insert(Note(id: 2, folderID: 99))
    }
  }

  @Test func `entities come with what they are related to`() async throws {
    try await prepare()
    for (folder, notes) in try await stack.viewContext.fetch(Folder.all, with: Folder.notes) {
      let expected = self.notes.filter { $0.folderID == folder.id }.sorted { $0.place < $1.place }
      #expect(notes == expected)
    }
    for (note, tags) in try await stack.fetch(Note.all, with: Note.tags) {
      #expect(tags.map(\.id) == (note.id % 2 == 0 && note.id > 9 ? ["a", "b", "c"] : []))
    }
    for (tag, notes) in try await stack.makeScratch().fetch(Tag.all, with: Tag.notes) {
      #expect(notes == self.notes.filter { $0.id % 2 == 0 }, "\(tag)")
    }
    for (note, folder) in try await stack.viewContext.fetch(Note.all, with: Note.folder) {
      #expect(folder?.id == (note.id < 10 ? nil : note.folderID))
    }
    let both = try await stack.viewContext.fetch(
      Note.where { $0.id > 50 }.limit(4), with: Note.folder, Note.tags)
    #expect(both.map(\.0.id) == [51, 52, 53, 54])
    #expect(both.map { $0.1?.id } == [5, 5, 5, 5])
    #expect(both.map(\.2.count) == [0, 3, 0, 3])
    #expect(
      try await stack.viewContext.fetch(Folder.where { $0.id > 99 }, with: Folder.notes).isEmpty)
  }

  @Test func `a relationship can be narrowed, and its limit counts for each root`() async throws {
    try await prepare()
    let first = Folder.notes.narrowed { $0.where { $0.place < -1 }.limit(2) }
    for (folder, notes) in try await stack.viewContext.fetch(Folder.all, with: first) {
      let expected = self.notes.filter { $0.folderID == folder.id && $0.place < -1 }
        .sorted { $0.place < $1.place }
      #expect(notes == Array(expected.prefix(2)))
    }
    let loud = Note.tags.narrowed { $0.sorted(by: \.id, order: .reverse).offset(1) }
    for (note, tags) in try await stack.viewContext.fetch(Note.all, with: loud) {
      #expect(tags.map(\.id) == (note.id % 2 == 0 && note.id > 9 ? ["b", "a"] : []))
    }
    #expect(try await stack.viewContext.fetch(first(of: folders[9])).map(\.place) == [-5, -4])
  }

  @Test func `a relationship costs one statement, however many roots`() async throws {
    try await prepare()
    let view = stack.viewContext
    let snapshot = view.base.snapshot
    for limit in [1, 10, 40] {
      let query = Folder.all.limit(limit)
      let roots = try await snapshot.statements { _ = try await view.fetch(query) }
      #expect(roots == 1)
      let toMany = try await snapshot.statements {
        _ = try await view.fetch(query, with: Folder.notes)
      }
      #expect(toMany == 2)
      let manyToMany = try await snapshot.statements {
        _ = try await view.fetch(Note.all.limit(limit), with: Note.tags)
      }
      #expect(manyToMany == 2)
      let toOne = try await snapshot.statements {
        _ = try await view.fetch(Note.where { $0.id > 9 }.limit(limit), with: Note.folder)
      }
      #expect(toOne == 2)
      let two = try await snapshot.statements {
        _ = try await view.fetch(
          Note.where { $0.id > 9 }.limit(limit), with: Note.folder, Note.tags)
      }
      #expect(two == 3)
    }
  }

  @Test
  func `the number of statements does not grow with the rows of a prefetch over unsaved edits`()
    async throws
  {
    try await prepare()
    let view = stack.viewContext
    for note in notes.prefix(20) { view.update(note) { $0.place += 0.5 } }
    for note in notes.prefix(20) { view.link(note.id, to: "a", in: Note.tags) }
    view.delete(Tag(id: "b", isLoud: true))
    let snapshot = view.base.snapshot
    var counts: [Set<Int>] = [[], [], []]
    for limit in [5, 20, 40] {
      counts[0].insert(
        try await snapshot.statements {
          _ = try await view.fetch(Folder.all.limit(limit), with: Folder.notes)
        })
      counts[1].insert(
        try await snapshot.statements {
          _ = try await view.fetch(Note.all.limit(limit), with: Note.tags)
        })
      counts[2].insert(
        try await snapshot.statements {
          _ = try await view.fetch(Note.where { $0.id > 9 }.limit(limit), with: Note.folder)
        })
    }
    for count in counts { #expect(count.count == 1 && count.allSatisfy { $0 < 8 }, "\(counts)") }
  }

  @Test(arguments: ContextKind.allCases)
  func `a prefetch includes what is not saved yet`(_ kind: ContextKind) async throws {
    try await prepare()
    let context = kind.make(stack)
    let note = notes[0]
    context.edit(note) { $0.folderID = 1 }
    context.insert(Note(id: 500, folderID: 41))
    context.insert(Folder(id: 41))
    context.delete(folders[2])
    context.delete(notes[10])
    context.link(1, to: "b", in: Note.tags)
    context.unlink(note.id + 1, from: "c", in: Note.tags)
    context.delete(Tag(id: "a"))

    let folders = try await context.fetched(Folder.all, with: Folder.notes)
    #expect(folders.map(\.0.id) == [1, 2] + Array(4...41))
    #expect(folders[0].1.map(\.id) == [note.id])
    #expect(folders[1].1.map(\.id) == [22])
    #expect(folders.last?.1.map(\.id) == [500])
    #expect(!folders.flatMap(\.1).map(\.id).contains(notes[10].id))
    let parents = try await context.fetched(Note.all, with: Note.folder)
    for (note, folder) in parents {
      // A reference to a deleted folder reads nil.
      let isAbsent = note.folderID == 3 || note.folderID == 99
      #expect(folder?.id == (isAbsent ? nil : note.folderID))
    }
    let tagged = try await context.fetched(Note.where { $0.id < 30 }, with: Note.tags)
    let expected = [1: ["b"], 22: ["b"]]
    for (note, tags) in tagged { #expect(tags.map(\.id) == expected[note.id] ?? []) }
    for (tag, notes) in try await context.fetched(Tag.all, with: Tag.notes) {
      #expect(tag.id != "a")
      for note in notes {
        #expect(try await context.fetched(Note.tags(of: note)).contains(tag))
      }
    }
  }
}

extension EditingContext {
  fileprivate func link(_ note: Int, to tag: String, in relationship: ManyToMany<Note, Tag>) {
    link(Note(id: note), to: Tag(id: tag), in: relationship)
  }

  fileprivate func unlink(_ note: Int, from tag: String, in relationship: ManyToMany<Note, Tag>) {
    unlink(Note(id: note), from: Tag(id: tag), in: relationship)
  }
}
