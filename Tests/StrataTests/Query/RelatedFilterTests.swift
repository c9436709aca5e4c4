import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Filters on related entities, over saved rows and over unsaved edits of every kind.
@Suite(.inTurn) @MainActor struct RelatedFilterTests {
  /// All rows as plain Swift values.
  private struct World {
    var notes: [Int: Note] = [:]
    var tags: [String: Tag] = [:]
    var folders: [Int: Folder] = [:]
    var tagLinks: Set<[String]> = []
    var mentions: Set<[Int]> = []
    /// The rows that unsaved edits delete.
    ///
    /// An insertion of such a row would be an update.
    var deleted: Set<String> = []

    func tags(of note: Note) -> [Tag] {
      tags.values.filter { tagLinks.contains(["\(note.id)", $0.id]) }
    }
    func notes(of tag: Tag) -> [Note] {
      notes.values.filter { tagLinks.contains(["\($0.id)", tag.id]) }
    }
    func mentions(of note: Note) -> [Note] {
      notes.values.filter { mentions.contains([note.id, $0.id]) }
    }
    func notes(of folder: Folder?) -> [Note] {
      notes.values.filter { folder != nil && $0.folderID == folder?.id }
    }
    func folder(of note: Note) -> Folder? { note.folderID.flatMap { folders[$0] } }
  }

  private typealias Case = (query: Query<Note>, holds: (Note, World) -> Bool)

  /// Queries that reach into every table, in every possible way.
  private let cases: [Case] = [
    (Note.where { $0.tags.isEmpty }, { $1.tags(of: $0).isEmpty }),
    (Note.where { $0.tags.any { $0.isLoud } }, { $1.tags(of: $0).contains { $0.isLoud } }),
    (Note.where { $0.tags.all { $0.isLoud } }, { $1.tags(of: $0).allSatisfy { $0.isLoud } }),
    (Note.where { $0.tags.none { !$0.isLoud } }, { !$1.tags(of: $0).contains { !$0.isLoud } }),
    (Note.where { $0.tags.contains("b") }, { $1.tags(of: $0).contains { $0.id == "b" } }),
    (Note.where { $0.tags.count > 1 }, { $1.tags(of: $0).count > 1 }),
    (
      Note.where { $0.mentions.count == $0.mentionedBy.count },
      { note, world in
        let by = world.notes.values.filter { world.mentions.contains([$0.id, note.id]) }
        return world.mentions(of: note).count == by.count
      }
    ),
    (
      Note.where { $0.mentions.any { $0.tags.any { $0.notes.count > 1 } } },
      { note, world in
        world.mentions(of: note).contains {
          world.tags(of: $0).contains { world.notes(of: $0).count > 1 }
        }
      }
    ),
    (
      Note.where { $0.folder.notes.count(where: { $0.text >= "b" }) > 1 },
      { note, world in
        world.notes(of: world.folder(of: note)).filter { $0.text >= "b" }.count > 1
      }
    ),
    (
      Note.where { !$0.folder.notes.any { $0.folder.name == "x" && $0.tags.isEmpty } },
      { note, world in
        !world.notes(of: world.folder(of: note)).contains {
          world.folder(of: $0)?.name == "x" && world.tags(of: $0).isEmpty
        }
      }
    ),
    (
      Note.where { $0.mentions.any { $0.folder.name == "x" } || $0.folder.id == 2 },
      { note, world in
        world.mentions(of: note).contains { world.folder(of: $0)?.name == "x" }
          || world.folder(of: note)?.id == 2
      }
    ),
  ]

  private func compare(
    _ world: World, _ context: any EditingContext, _ when: String
  ) async throws {
    for (number, (query, holds)) in cases.enumerated() {
      let found = try await context.fetched(query).map(\.id)
      let expected = world.notes.values.filter { holds($0, world) }.map(\.id).sorted()
      #expect(found == expected, "case \(number) \(when)")
      #expect(try await context.counted(query) == expected.count)
    }
  }

  @Test(arguments: ContextKind.allCases)
  func `related entities are found as a context shows them`(_ kind: ContextKind) async throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<3 {
      let stack = try await Stack.temporary(
        Note.self, Tag.self, Folder.self, Colleague.self)
      let context = kind.make(stack)
      var world = World()
      for _ in 0..<4 {
        for _ in 0..<30 { edit(&world, context, &random) }
        try await compare(world, context, "before saving")
        try await context.saved()
        // A child of the view context saves into unsaved edits.
        if kind != .scratchOfView { world.deleted = [] }
        try await compare(world, context, "after saving")
      }
      await stack.close()
    }
  }

  private func edit(
    _ world: inout World, _ context: any EditingContext, _ random: inout SeededRandom
  ) {
    let id = random.below(8)
    let tag = Tag(id: random.pick(["a", "b", "c", "d"]), isLoud: random.oneIn(2))
    switch random.below(10) {
    case 0, 1, 2:
      // A reference may lead nowhere, or to a folder that is inserted later.
      let note = Note(
        id: id, text: random.pick(["a", "b", "c"]),
        folderID: random.oneIn(3) ? nil : random.below(4))
      if world.deleted.contains("folder \(note.folderID ?? -1)") { return }
      if let old = world.notes[id] {
        context.edit(old) { $0 = note }
      } else {
        if world.deleted.contains("note \(id)") { return }
        context.insert(note)
      }
      world.notes[id] = note
    case 3:
      if let old = world.tags[tag.id] {
        context.edit(old) { $0.isLoud = tag.isLoud }
      } else {
        if world.deleted.contains("tag \(tag.id)") { return }
        context.insert(tag)
      }
      world.tags[tag.id] = tag
    case 4:
      let folder = Folder(id: random.below(4), name: random.pick(["x", "y"]))
      if let old = world.folders[folder.id] {
        context.edit(old) { $0.name = folder.name }
      } else {
        if world.deleted.contains("folder \(folder.id)") { return }
        context.insert(folder)
      }
      world.folders[folder.id] = folder
    case 5:
      delete(&world, context, &random)
    case 6, 7:
      guard let note = world.notes[id], let tag = world.tags[tag.id] else { return }
      if random.oneIn(3) {
        context.unlink(note, from: tag, in: Note.tags)
        world.tagLinks.remove(["\(id)", tag.id])
      } else {
        context.link(note, to: tag, in: Note.tags)
        world.tagLinks.insert(["\(id)", tag.id])
      }
    default:
      guard let note = world.notes[id], let other = world.notes[random.below(8)] else { return }
      context.link(note, to: other, in: Note.mentions)
      world.mentions.insert([id, other.id])
    }
  }

  /// Deletes a row that no reference leads to, and its links.
  private func delete(
    _ world: inout World, _ context: any EditingContext, _ random: inout SeededRandom
  ) {
    switch random.below(3) {
    case 0:
      guard let note = world.notes.removeValue(forKey: random.below(8)) else { return }
      context.delete(note)
      world.deleted.insert("note \(note.id)")
      world.tagLinks = world.tagLinks.filter { $0[0] != "\(note.id)" }
      world.mentions = world.mentions.filter { !$0.contains(note.id) }
    case 1:
      guard let tag = world.tags.removeValue(forKey: random.pick(["a", "b", "c", "d"])) else {
        return
      }
      context.delete(tag)
      world.deleted.insert("tag \(tag.id)")
      world.tagLinks = world.tagLinks.filter { $0[1] != tag.id }
    default:
      let id = random.below(4)
      guard let folder = world.folders[id],
        !world.notes.values.contains(where: { $0.folderID == id })
      else { return }
      world.folders[id] = nil
      context.delete(folder)
      world.deleted.insert("folder \(id)")
    }
  }

  // MARK: Plans

  private let model: Model

  init() throws { model = try Model([Note.self, Tag.self, Folder.self, Colleague.self]) }

  @Test func `a query depends on every table that it looks at`() throws {
    let plan = try QueryPlan(Note.where { $0.mentions.any { $0.folder.name == "x" } }, model)
    #expect(!plan.isRowLocal)
    let names = model.tables.filter { plan.depends(on: $0.id) }.map(\.name)
    #expect(Set(names) == ["notes", "folders", "strata_join_notes.mentions"])
  }

  @Test func `a narrowed relationship is asked as it is narrowed`() throws {
    let shelves = try Model([Shelf.self, Book.self])
    let plan = try QueryPlan(Shelf.where { $0.loud.isEmpty && $0.loud.count < 2 }, shelves)
    let sql = plan.select(limit: nil, offset: 0)
    #expect(sql.parameters == [.integer(1), .integer(1), .integer(2)])
    let error = #expect(throws: StoreError.self) {
      _ = try QueryPlan(Shelf.where { $0.few.isEmpty }, shelves)
    }
    #expect(error?.code == .invalidQuery)
  }

  private struct Shelf: Entity {
    var id = 0
    static let loud = toMany(\Book.shelfID).narrowed { $0.where { $0.isLoud } }
    static let few = toMany(\Book.shelfID).narrowed { $0.limit(3) }
    static let schema = Schema<Shelf>("shelves", key: \.id) {}
  }

  private struct Book: Entity {
    var id = 0
    var isLoud = false
    var shelfID: Shelf.ID?
    static let shelf = toOne(\.shelfID, Shelf.self)
    static let schema = Schema<Book>("books", key: \.id) {
      Attribute(\.isLoud)
      shelf
    }
  }
}
