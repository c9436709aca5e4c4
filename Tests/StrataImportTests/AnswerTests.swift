import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Folder: Entity, Equatable {
  var id = 0
  var name = ""
  static let schema = Schema<Folder>("folders", key: \.id) { Attribute(\.name) }
}

private struct Note: Entity, Equatable {
  var id = 0
  var localID: String?
  var title = ""
  var text = ""
  /// The app's own; no server has it.
  var mood = ""
  var number: Int?
  var plays = 0
  var folderID: Folder.ID?
  var version: Int?

  static let schema = Schema<Note>("notes", key: \.id) {
    Attribute(\.localID).unique()
    Attribute(\.title)
    Attribute(\.text)
    Attribute(\.mood)
    Attribute(\.number).unique()
    Attribute(\.plays).merged(by: .sum)
    toOne(\.folderID, Folder.self, onDelete: .cascade)
    Attribute(\.version)
  }
  static let json = JSONMapping<Note> {
    Field(\.id, "id")
    Field(\.localID, "local_id")
    Field(\.title, "title")
    Field(\.text, "text")
    Field(\.number, "number")
    Field(\.plays, "plays")
    Field(\.folderID, "folder")
    Field(\.version, "version").readOnly()
    Tombstone(ifTrue: "deleted")
  }
  static let folders = JSONMapping<Folder> {
    Field(\.id, "id")
    Field(\.name, "name")
  }
}

/// The server's words about the app's own requests: answers, rows after lost answers, and keys.
@Suite(.inTurn, .stack(Note.self, Folder.self)) @MainActor struct AnswerTests {
  private struct Lost: Error {}
  let stack = Stack.test

  @discardableResult
  private func pull(_ records: String) async throws -> ImportResult {
    try await stack.importJSON(
      Note.self, from: .data(Data("[\(records)]".utf8)), mapping: Note.json)
  }

  private func edit(_ id: Int, _ change: @Sendable (inout Note) -> Void) async throws {
    let row = try #require(try await stack.find(Note.self, id))
    try await stack.withScratch { $0.update(row, change) }
  }

  private func note(_ id: Int) async throws -> Note? { try await stack.find(Note.self, id) }

  /// The kinds and the attributes of the requests that wait.
  private func waiting(_ outbox: Outbox) async throws -> [String] {
    try await outbox.requests().map { "\($0.kind) \($0.attributes.sorted())" }
  }

  // MARK: - Answers

  /// Every part of a row that an answer may have, for every part that was edited, and edited meanwhile.
  @Test(arguments: [false, true])
  func `attributes that an answer does not name stay as they were sent`(isEditedMeanwhile: Bool)
    async throws
  {
    let outbox = try await stack.outbox()
    let parts: [[String]] = [[], ["title"], ["text"], ["title", "text"]]
    var id = 0
    for edited in parts.dropFirst() {
      for named in parts {
        id += 1
        let key = id
        try await pull(#"{"id":\#(key),"title":"old","text":"old","version":1}"#)
        try await edit(key) { note in
          if edited.contains("title") { note.title = "mine" }
          if edited.contains("text") { note.text = "mine" }
          note.mood = "mine"
        }
        let isFirst = Lock(true)
        try await outbox.push { [stack] request in
          guard
            isFirst.withLock({ first in
              defer { first = false }; return first
            })
          else {
            return .later
          }
          if isEditedMeanwhile {
            guard let row = try await stack.find(Note.self, key) else { return .refused("gone") }
            try await stack.withScratch { scratch in
              scratch.update(row) {
                if edited.contains("title") { $0.title = "later" } else { $0.text = "later" }
              }
            }
          }
          let members = named.map { #","\#($0)":"theirs""# }.joined()
          try await stack.importJSON(
            Note.self, from: .data(Data(#"[{"id":\#(key)\#(members),"version":2}]"#.utf8)),
            mapping: Note.json)
          return .done
        }
        let row = try #require(try await note(key))
        func value(_ name: String) -> String {
          let isLater = isEditedMeanwhile && name == (edited.contains("title") ? "title" : "text")
          if isLater { return "later" }
          return named.contains(name) ? "theirs" : edited.contains(name) ? "mine" : "old"
        }
        let name = "\(edited), answered with \(named)"
        #expect(row.title == value("title"), "\(name)")
        #expect(row.text == value("text"), "\(name)")
        #expect(row.mood == "mine" && row.version == 2, "\(name)")
        #expect(try await outbox.conflicts().isEmpty, "\(name)")
        try await outbox.acknowledgeEverything()
      }
    }
  }

  @Test func `a row that is deleted beside its request is deleted at the version of the answer`()
    async throws
  {
    let outbox = try await stack.outbox()
    try await pull(#"{"id":1,"title":"old","version":1}"#)
    try await edit(1) { $0.title = "mine" }
    let versions = Lock<[Int?]>([])
    try await outbox.push { [stack] request in
      versions.withLock { $0.append(request.before(as: Note.self)?.version) }
      if request.kind == .delete { return .done }
      try await stack.withScratch { $0.delete(Note.self, 1) }
      try await stack.importJSON(
        Note.self, from: .data(Data(#"[{"id":1,"title":"mine","version":2}]"#.utf8)),
        mapping: Note.json)
      return .done
    }
    #expect(versions.withLock { $0 } == [1, 2])
    #expect(try await waiting(outbox).isEmpty)
  }

  // MARK: - Lost answers

  @Test(arguments: [false, true])
  func `values that the server gave to an insertion stay, though its answer was lost`(
    isPulled: Bool
  ) async throws {
    let outbox = try await stack.outbox()
    try await stack.withScratch { $0.insert(Note(id: 1, title: "mine")) }
    await #expect(throws: Lost.self) { try await outbox.push { _ in throw Lost() } }
    try await edit(1) { $0.text = "later" }
    let row = #"{"id":1,"title":"mine","text":"","number":7,"version":1}"#
    if isPulled {
      try await pull(row)
    } else {
      try await outbox.push { [stack] request in
        guard request.kind == .insert else { return .later }
        try await stack.importJSON(
          Note.self, from: .data(Data("[\(row)]".utf8)), mapping: Note.json)
        return .later
      }
    }
    #expect(
      try await note(1) == Note(id: 1, title: "mine", text: "later", number: 7, version: 1))
    #expect(try await waiting(outbox) == [#"update ["text"]"#])
    #expect(try await outbox.requests()[0].before(as: Note.self)?.version == 1)
  }

  @Test(arguments: [false, true])
  func `an own request whose answer was lost conflicts with no later edit`(
    isPulled: Bool
  ) async throws {
    let outbox = try await stack.outbox()
    try await pull(#"{"id":1,"title":"a","plays":3,"version":1}"#)
    try await edit(1) { ($0.title, $0.plays) = ("b", 5) }
    await #expect(throws: Lost.self) { try await outbox.push { _ in throw Lost() } }
    try await edit(1) { ($0.title, $0.plays) = ("c", 6) }
    let row = #"{"id":1,"title":"b","plays":5,"version":2}"#
    if isPulled {
      try await pull(row)
    } else {
      try await outbox.push { [stack] _ in
        try await stack.importJSON(
          Note.self, from: .data(Data("[\(row)]".utf8)), mapping: Note.json)
        return .later
      }
    }
    #expect(try await outbox.conflicts().isEmpty)
    let edited = try await note(1)
    #expect(edited?.title == "c" && edited?.plays == 6)
    #expect(try await outbox.requests()[0].before(as: Note.self)?.version == 2)
  }

  @Test func `a sum that has arrived is not added again`() async throws {
    let outbox = try await stack.outbox()
    try await pull(#"{"id":1,"plays":3,"version":1}"#)
    try await edit(1) { $0.plays = 5 }
    await #expect(throws: Lost.self) { try await outbox.push { _ in throw Lost() } }
    try await pull(#"{"id":1,"plays":5,"version":2}"#)
    #expect(try await note(1)?.plays == 5)
    #expect(try await waiting(outbox).isEmpty)
  }

  @Test func `an insertion that was given up with its refused deletion waits again`() async throws {
    let outbox = try await stack.outbox()
    try await stack.withScratch { $0.insert(Note(id: 1, title: "mine")) }
    await #expect(throws: Lost.self) { try await outbox.push { _ in throw Lost() } }
    try await stack.withScratch { $0.delete(Note.self, 1) }
    try await outbox.push { _ in .refused("no") }
    let refusal = try #require(try await outbox.refusals().first)
    #expect(try await outbox.revert(refusal))
    #expect(try await note(1)?.title == "mine")
    #expect(try await waiting(outbox).map { $0.prefix(6) } == ["insert"])
  }

  // MARK: - Deletions

  @Test(arguments: [ImportOptions.Conflicts.keepAndTell, .mergeMine, .mergeTheirs, .discard])
  func `a tombstone is the server's deletion of an edited row`(
    conflicts: ImportOptions.Conflicts
  ) async throws {
    let outbox = try await stack.outbox()
    try await pull(#"{"id":1,"title":"a","version":1}"#)
    try await edit(1) { $0.title = "mine" }
    var options = ImportOptions()
    options.conflicts = conflicts
    try await stack.importJSON(
      Note.self, from: .data(Data(#"[{"id":1,"deleted":true}]"#.utf8)), mapping: Note.json,
      options: options)
    let isKept = conflicts == .keepAndTell
    #expect(try await (note(1) != nil) == isKept)
    #expect(try await outbox.conflicts().count == (isKept ? 1 : 0))
    #expect(try await outbox.conflicts().first?.isOrphaned == (isKept ? true : nil))
  }

  /// A tombstone of a folder would take an edited note along.
  @Test func `a tombstone takes no row with an edit along`() async throws {
    let outbox = try await stack.outbox()
    try await stack.importJSON(
      Folder.self, from: .data(Data(#"[{"id":9}]"#.utf8)), mapping: Note.folders)
    try await pull(#"{"id":1,"title":"a","folder":9}"#)
    try await edit(1) { $0.title = "mine" }
    let document = JSONDocument { JSONRecords.deleted(Folder.self, at: "gone") }
    let result = try await stack.importJSON(
      document, from: .data(Data(#"{"gone":[9]}"#.utf8)))
    #expect(result.kept == 1)
    #expect(try await note(1)?.title == "mine")
    #expect(try await waiting(outbox) == [#"update ["title"]"#])
  }

  @Test(arguments: [SavePolicy.discard, .mergeTheirs])
  func `a deletion that is given up brings back what it took along`(
    policy: SavePolicy
  ) async throws {
    let outbox = try await stack.outbox()
    try await stack.importJSON(
      Folder.self, from: .data(Data(#"[{"id":9}]"#.utf8)), mapping: Note.folders)
    try await pull(#"{"id":1,"title":"a","folder":9},{"id":2,"title":"b","folder":9}"#)
    try await stack.withScratch { $0.delete(Note.self, 2) }
    try await stack.withScratch { $0.delete(Folder.self, 9) }
    #expect(try await stack.fetch(Note.all).isEmpty)
    try await stack.importJSON(
      Folder.self, from: .data(Data(#"[{"id":9,"name":"theirs"}]"#.utf8)), mapping: Note.folders)
    let conflict = try #require(try await outbox.conflicts().first)
    #expect(try await outbox.resolve(conflict, policy))
    #expect(try await stack.fetch(Folder.all).map(\.id) == [9])
    #expect(try await stack.fetch(Note.all).map(\.id) == [1])
    #expect(try await waiting(outbox) == ["delete []"])
  }

  // MARK: - Keys

  @Test func `the later of two edits stays if a change of the key makes them edits of one row`()
    async throws
  {
    let outbox = try await stack.outbox()
    try await stack.withScratch { $0.insert(Note(id: -1, title: "mine", text: "first")) }
    try await pull(#"{"id":8,"title":"mine","text":"first","version":1}"#)
    try await edit(8) { $0.text = "later" }
    #expect(try await outbox.changeKey(of: Note.self, from: -1, to: 8))
    #expect(try await stack.fetch(Note.all).map(\.text) == ["later"])
    let request = try #require(try await outbox.requests().first)
    #expect(request.kind == .update && request.attributes.contains("text"))
  }

  @Test func `a row that was deleted under its new key stays deleted`() async throws {
    let outbox = try await stack.outbox()
    try await stack.withScratch { $0.insert(Note(id: -1, title: "mine")) }
    try await outbox.push { [stack] request in
      guard request.kind == .insert else { return .later }
      try await Task.detached {
        try await stack.importJSON(
          Note.self, from: .data(Data(#"[{"id":8,"title":"mine","version":1}]"#.utf8)),
          mapping: Note.json)
        try await stack.withScratch { $0.delete(Note.self, 8) }
      }.value
      return try request.done(as: Note.self, id: 8)
    }
    #expect(try await stack.fetch(Note.all).isEmpty)
    #expect(try await waiting(outbox).map { $0.prefix(6) } == ["delete"])
  }

  @Test func `an answer that sets its own request aside is the row`() async throws {
    let outbox = try await stack.outbox()
    try await stack.withScratch { $0.insert(Note(id: -1, title: "mine", number: 5)) }
    try await outbox.push { [stack] request in
      try await stack.importJSON(
        Note.self,
        from: .data(Data(#"[{"id":8,"title":"mine","number":5,"version":1}]"#.utf8)),
        mapping: Note.json)
      return try request.done(as: Note.self, id: 8)
    }
    #expect(
      try await stack.fetch(Note.all)
        == [Note(id: 8, title: "mine", number: 5, version: 1)])
    #expect(try await waiting(outbox).isEmpty)
    #expect(try await outbox.refusals().isEmpty)
  }
}
