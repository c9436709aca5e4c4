import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// Placements in ordered relationships, against plain arrays.
///
/// Each placement read and sorted the whole list: 2,000 appends in an unsaved context took 18 s.
@Suite(.inTurn, .stack(Note.self, Tag.self, Colleague.self, Folder.self))
@MainActor struct OrderHistoryTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  // MARK: Against arrays

  /// A context with its two folders, as arrays of the keys of their notes.
  private struct Folders {
    var notes: [Int: [Int]] = [1: [], 2: []]

    mutating func place(_ note: Int, at index: Int, in folder: Int) {
      for other in notes.keys { notes[other]?.removeAll { $0 == note } }
      let count = notes[folder]?.count ?? 0
      notes[folder]?.insert(note, at: max(0, min(index, count)))
    }
  }

  private func check(
    _ context: some OrderedSource, _ folders: Folders, _ note: Comment
  ) async throws {
    for (folder, notes) in folders.notes {
      #expect(try await context.fetch(Folder.notes(of: folder)).map(\.id) == notes, note)
    }
  }

  /// Makes random placements, deletions, edits and undos.
  private func edit(
    _ context: some OrderedSource, _ folders: inout Folders, _ nextNote: inout Int,
    _ random: inout SeededRandom
  ) async throws {
    let folder = Folder(id: 1 + random.below(2))
    let all = folders.notes.values.flatMap { $0 }.sorted()
    let index = random.below(12) - 1
    func shown(_ id: Int) async throws -> Note {
      try #require(try await context.find(Note.self, id))
    }
    switch random.below(10) {
    case 0 where !all.isEmpty:
      let id = random.pick(all)
      context.delete(try await shown(id))
      for folder in folders.notes.keys { folders.notes[folder]?.removeAll { $0 == id } }
    case 1 where !all.isEmpty:
      let id = random.pick(all)
      context.update(try await shown(id)) { $0.folderID = nil }
      for folder in folders.notes.keys { folders.notes[folder]?.removeAll { $0 == id } }
    case 2 where !all.isEmpty:
      context.update(try await shown(random.pick(all))) { $0.text += "!" }
    case 3...5 where !all.isEmpty:
      let id = random.pick(all)
      let note = try await shown(id)
      let before = folders.notes
      try await context.move(note, to: index, in: Folder.notes, of: folder)
      folders.place(id, at: index, in: folder.id)
      // A note that stays where it is makes no group to undo.
      if folders.notes != before, context.canUndo, random.oneIn(3) {
        context.undo()
        folders.notes = before
      }
    default:
      try await context.insert(Note(id: nextNote), at: index, in: Folder.notes, of: folder)
      folders.place(nextNote, at: index, in: folder.id)
      nextNote += 1
    }
  }

  @Test func `placements in any contexts are those of an array`() async throws {
    var random = SeededRandom.printingSeed()
    for round in 0..<6 {
      let note = Comment("round \(round)")
      var nextNote = round * 1_000
      var folders = Folders()
      try await stack.commit { scratch in
        scratch.upsert(Folder(id: 1))
        scratch.upsert(Folder(id: 2))
        for id in 0..<10 where random.oneIn(2) {
          // Equal positions have to be told apart.
          let place = Double(random.below(4))
          scratch.upsert(Note(id: nextNote + id, folderID: 1 + id % 2, place: place))
        }
      }
      nextNote += 10
      for folder in 1...2 {
        folders.notes[folder] = try await stack.fetch(Folder.notes(of: folder)).map(\.id)
      }
      for step in 0..<30 {
        try await edit(view, &folders, &nextNote, &random)
        if step % 7 == 6 { try await check(view, folders, note) }
        if random.oneIn(12) { try await view.save() }
        if random.oneIn(12) { try await stack.commit { $0.upsert(Folder(id: 3)) } }
      }
      try await check(view, folders, note)
      let child = view.makeScratch()
      child.undoLimit = 5
      for _ in 0..<15 { try await edit(child, &folders, &nextNote, &random) }
      try await check(child, folders, note)
      let nested = child.makeScratch()
      nested.undoLimit = 5
      for _ in 0..<15 { try await edit(nested, &folders, &nextNote, &random) }
      try await check(nested, folders, note)
      try await nested.save()
      for _ in 0..<5 { try await edit(child, &folders, &nextNote, &random) }
      try await check(child, folders, note)
      try await child.save()
      for _ in 0..<5 { try await edit(view, &folders, &nextNote, &random) }
      try await check(view, folders, note)
      try await view.save()
      let scratch = stack.makeScratch()
      scratch.undoLimit = 5
      for step in 0..<30 {
        try await edit(scratch, &folders, &nextNote, &random)
        if step == 10 { try await stack.commit { $0.upsert(Folder(id: 3)) } }
        if step == 15 { await scratch.refresh() }
        if step == 20 { try await scratch.save() }
      }
      try await check(scratch, folders, note)
      try await scratch.save()
      try await stack.commit { scratch in
        for id in folders.notes.values.flatMap({ $0 }) { scratch.delete(Note.self, id) }
      }
    }
  }

  @Test func `links in any contexts are in the order of an array`() async throws {
    var random = SeededRandom.printingSeed()
    let colleagues = (0..<14).map { Colleague(name: "\($0)") }
    for round in 0..<6 {
      let root = Note(id: round)
      try await stack.commit { scratch in
        scratch.insert(root)
        for colleague in colleagues.prefix(10) { scratch.upsert(colleague) }
      }
      var linked: [String] = []
      func step(_ context: some OrderedSource) async throws {
        let colleague = random.pick(colleagues)
        let index = random.below(9) - 1
        let shown = try await context.find(Colleague.self, colleague.id)
        switch random.below(8) {
        case 0:
          context.unlink(root, from: colleague, in: Note.readers)
          linked.removeAll { $0 == colleague.name }
        case 1 where shown != nil:
          context.delete(colleague)
          linked.removeAll { $0 == colleague.name }
          context.unlink(root, from: colleague, in: Note.readers)
        case 2 where shown == nil: context.insert(colleague)
        default:
          if shown == nil { return }
          let before = linked
          try await context.link(root, to: colleague, at: index, in: Note.readers)
          linked.removeAll { $0 == colleague.name }
          linked.insert(colleague.name, at: max(0, min(index, linked.count)))
          if linked != before, context.canUndo, random.oneIn(4) {
            context.undo()
            linked = before
          }
        }
      }
      func check(_ context: some OrderedSource) async throws {
        #expect(
          try await context.fetch(Note.readers(of: root)).map(\.name) == linked, "round \(round)")
      }
      for _ in 0..<25 {
        try await step(view)
        if random.oneIn(10) { try await view.save() }
      }
      try await check(view)
      let child = view.makeScratch()
      for _ in 0..<15 { try await step(child) }
      try await check(child)
      try await child.save()
      for _ in 0..<5 { try await step(view) }
      try await check(view)
      try await view.save()
      let scratch = stack.makeScratch()
      for _ in 0..<20 { try await step(scratch) }
      try await check(scratch)
      try await scratch.save()
    }
  }

  @Test func `a root that is deleted has no list`() async throws {
    try await stack.commit { scratch in
      scratch.insert(Folder(id: 1))
      for id in 1...3 { scratch.insert(Note(id: id, folderID: 1, place: Double(id))) }
    }
    let folder = Folder(id: 1)
    try await view.insert(Note(id: 4), at: 1, in: Folder.notes, of: folder)
    // Edits of one turn would be one group to undo.
    await Task.yield()
    view.delete(folder)
    try await view.insert(Note(id: 5), at: 2, in: Folder.notes, of: folder)
    #expect(try await view.find(Note.self, 5)?.place == 0)
    view.undo()
    view.undo()
    try await view.insert(Note(id: 6), at: 2, in: Folder.notes, of: folder)
    #expect(try await view.fetch(Folder.notes(of: folder)).map(\.id) == [1, 4, 6, 2, 3])
  }

  @Test func `two tasks that place entities at a time both find their neighbours`() async throws {
    try await stack.commit { scratch in
      scratch.insert(Folder(id: 1))
      for id in 1...20 { scratch.insert(Note(id: id, folderID: 1, place: Double(id))) }
    }
    let folder = Folder(id: 1)
    let tasks = (1...4).map { task in
      Task {
        for number in 0..<5 {
          let note = Note(id: 100 * task + number)
          try await view.insert(note, at: 0, in: Folder.notes, of: folder)
        }
      }
    }
    for task in tasks { try await task.value }
    let notes = try await view.fetch(Folder.notes(of: folder)).map(\.id)
    #expect(notes.count == 40 && notes.suffix(20) == Array(1...20)[...])
    for task in 1...4 {
      let own = notes.filter { $0 / 100 == task }
      #expect(own == own.sorted(by: >))
    }
  }

  @Test func `a cancelled placement edits nothing, and neither does that of a closed stack`()
    async throws
  {
    let stack = try await Stack.temporary(Note.self, Tag.self, Colleague.self, Folder.self)
    let folder = Folder(id: 1)
    try await stack.commit { $0.insert(folder) }
    let (scratch, view) = (stack.makeScratch(), stack.viewContext)
    try await scratch.insert(Note(id: 1), at: 0, in: Folder.notes, of: folder)
    try await view.insert(Note(id: 1), at: 0, in: Folder.notes, of: folder)
    let cancelled = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure {
        try await view.insert(Note(id: 2), at: 0, in: Folder.notes, of: folder)
      }
    }.value
    #expect(cancelled?.code == .cancelled)
    #expect(try await view.count(Note.all) == 1)
    await stack.close()
    let closed = await failure {
      try await scratch.insert(Note(id: 2), at: 0, in: Folder.notes, of: folder)
    }
    #expect(closed?.code == .closed)
  }

  // MARK: Work

  /// The number of rows that statements return for placements, after the list was read once.
  private func rows(
    of context: ScratchContext, _ body: nonisolated(nonsending) () async throws -> Void
  ) async throws -> Int {
    let rows = Lock(0)
    let snapshot = try await context.pinned()
    try await snapshot.read { _, connection in
      connection.trace(countsRows: true) { ended in rows.withLock { $0 += ended.rows } }
    }
    try await body()
    try await snapshot.read { _, connection in connection.endTrace() }
    return rows.withLock(\.self)
  }

  @Test func `a placement reads no list but the first one`() async throws {
    try await stack.commit { scratch in
      for folder in 1...2 { scratch.insert(Folder(id: folder)) }
      for id in 0..<600 {
        scratch.insert(Note(id: id, folderID: 1 + id % 2, place: Double(id)))
      }
      for number in 0..<50 { scratch.insert(Colleague(name: "\(number)")) }
      scratch.insert(Note(id: 9_999))
    }
    let scratch = stack.makeScratch()
    let folders = [Folder(id: 1), Folder(id: 2)]
    for folder in folders {
      try await scratch.insert(Note(id: 1_000 + folder.id), at: 0, in: Folder.notes, of: folder)
    }
    let colleagues = try await scratch.fetch(Colleague.all)
    let note = Note(id: 9_999)
    try await scratch.link(note, to: colleagues[0], at: 0, in: Note.readers)
    let read = try await rows(of: scratch) {
      for number in 0..<100 {
        let folder = folders[number % 2]
        try await scratch.insert(
          Note(id: 2_000 + number), at: number, in: Folder.notes, of: folder)
        try await scratch.move(
          Note(id: number * 2, folderID: 1, place: Double(number * 2)), to: 50, in: Folder.notes,
          of: folder)
      }
      for colleague in colleagues {
        try await scratch.link(note, to: colleague, at: 1, in: Note.readers)
      }
    }
    // A link asks whether the store has its entity.
    #expect(read <= colleagues.count)
    #expect(try await scratch.count(Folder.notes(of: folders[0])) == 351 - 50)
    #expect(try await scratch.count(Note.readers(of: note)) == 50)
  }

  @Test func `a context forgets its lists with its edits, and follows no more than some keys`() {
    var notes = LayerNotes()
    let table = TableID(index: 0)
    notes.begin(1, [table])
    notes.begin(2, [TableID(index: 1)])
    notes.note(table, RecordKey(5))
    #expect(notes.take(1) == [table: [RecordKey(5)]])
    #expect(notes.take(1) == [:] && notes.take(2) == [:] && notes.take(3) == nil)
    for key in 0...Int64(LayerNotes.limit) { notes.note(table, RecordKey(key)) }
    #expect(!notes.has(1) && notes.has(2) && notes.take(1) == nil)
    notes.end(2)
    #expect(!notes.has(2))
  }
}

/// A context in which a test places entities.
@MainActor
private protocol OrderedSource: FetchSource {
  var canUndo: Bool { get }
  func insert<E: Entity>(_ entity: E)
  func delete<E: Entity>(_ entity: E)
  @discardableResult
  func update<E: Entity>(_ entity: E, _ change: (inout E) throws -> Void) rethrows -> E
  @discardableResult
  func undo() -> UndoReport?
  func insert<Root: Entity, Target: Entity>(
    _ entity: Target, at index: Int, in relationship: ToMany<Root, Target>, of root: Root
  ) async throws
  func move<Root: Entity, Target: Entity>(
    _ entity: Target, to index: Int, in relationship: ToMany<Root, Target>, of root: Root
  ) async throws
  func link<Root: Entity, Target: Entity>(
    _ root: Root, to target: Target, at index: Int, in relationship: ManyToMany<Root, Target>
  ) async throws
  func unlink<Root: Entity, Target: Entity>(
    _ root: Root, from target: Target, in relationship: ManyToMany<Root, Target>)
}

extension ScratchContext: OrderedSource {}
extension ViewContext: OrderedSource {}
