import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Tag: Entity, Equatable {
  var id = 0
  var name = ""
  static let notes = manyToMany(inverseOf: \Note.Type.tags)
  static let schema = Schema<Tag>("tags", key: \.id) { Attribute(\.name) }
  static let json = JSONMapping<Tag> {
    Field(\.id, "id")
    NestedKeys(Tag.notes, "note_ids")
  }
}

private struct Note: Entity, Equatable {
  var id = 0
  var text = ""
  var folderID: Int?
  static let tags = manyToMany(Tag.self, ordered: true)
  static let schema = Schema<Note>("notes", key: \.id) {
    Attribute(\.text)
    toOne(\.folderID, Folder.self, onDelete: .nullify)
    tags
  }
  static let json = JSONMapping<Note> {
    Field(\.id, "id")
    Field(\.text, "text")
    NestedKeys(Note.tags, "tags.data", at: "key.id", allowingNumberInString: true)
  }
}

private struct Folder: Entity, Equatable {
  var id = 0
  static let notes = toMany(\Note.folderID)
  static let schema = Schema<Folder>("folders", key: \.id) { notes }
  static let json = JSONMapping<Folder> {
    Field(\.id, "id")
    NestedKeys(Folder.notes, "notes")
  }
}

@Suite(.inTurn, .stack(Tag.self, Note.self, Folder.self))
struct LinkImportTests {
  let stack = Stack.test

  private static let document = JSONDocument {
    JSONRecords(Folder.self, at: "folders", Folder.json)
    JSONRecords(Note.self, at: "notes", Note.json)
    JSONRecords(Tag.self, at: "tags", Tag.json)
  }

  private func importing(
    _ json: String, _ commits: ImportOptions.Commits = .batched, absent: AbsentRows = .keep
  ) async throws -> ImportResult {
    try await stack.importJSON(
      Self.document, from: .data(Data(json.utf8)), absent: absent,
      options: .init(batchSize: 2) { $0.commits = commits })
  }

  private func tags(of note: Int) async throws -> [Int] {
    try await stack.fetch(Note.tags(of: note)).map(\.id)
  }

  private static func note(_ id: Int, _ tags: Int...) -> String {
    let data = tags.map { #"{"type": "tag", "key": {"id": "\#($0)"}}"# }.joined(separator: ",")
    return #"{"id": \#(id), "text": "n", "tags": {"data": [\#(data)]}}"#
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `links become those of the feed, whatever comes first`(
    commits: ImportOptions.Commits
  ) async throws {
    let first =
      #"{"notes": [\#(Self.note(1, 3, 1, 2)), \#(Self.note(2, 1, 99)), {"id": 3}], "tags": [{"id": 1}, {"id": 2}, {"id": 3}]}"#
    let result = try await importing(first, commits)
    #expect(result.inserted == 6 && result.records == 6)
    #expect(try await tags(of: 1) == [3, 1, 2])
    #expect(try await tags(of: 2) == [1])
    let token = stack.historyToken
    #expect(try await importing(first, commits).unchanged == 6)
    #expect(stack.historyToken == token)
    // Note 1 has fewer tags in another order, the array of note 2 is null, and note 3 has no array.
    _ = try await importing(
      #"{"notes": [\#(Self.note(1, 2, 3)), {"id": 2, "tags": {"data": null}}, {"id": 3}]}"#,
      commits)
    #expect(try await tags(of: 1) == [2, 3])
    #expect(try await tags(of: 2) == [])
    _ = try await importing(#"{"notes": [{"id": 1, "text": "m"}]}"#, commits)
    #expect(try await tags(of: 1) == [2, 3])
  }

  @Test func `the other end links the same, and leaves the order alone`() async throws {
    let tags = #""tags": [{"id": 1}, {"id": 2, "note_ids": [1, 2]}]"#
    _ = try await importing(#"{"notes": [\#(Self.note(1, 2, 1)), {"id": 2}], \#(tags)}"#)
    #expect(try await self.tags(of: 1) == [2, 1])
    #expect(try await self.tags(of: 2) == [2])
    _ = try await importing(#"{"tags": [{"id": 2, "note_ids": [2]}]}"#)
    #expect(try await self.tags(of: 1) == [1])
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `the references to a record become those of the feed`(
    commits: ImportOptions.Commits
  ) async throws {
    _ = try await importing(
      #"{"folders": [{"id": 1, "notes": [2, 1, 77]}, {"id": 2, "notes": []}], "notes": [{"id": 1}, {"id": 2}, {"id": 3}]}"#,
      commits)
    #expect(try await stack.fetch(Note.all).map(\.folderID) == [1, 1, nil])
    let result = try await importing(
      #"{"folders": [{"id": 1, "notes": [3]}], "notes": [{"id": 1}, {"id": 3}], "tags": []}"#,
      commits, absent: .delete)
    #expect(try await stack.fetch(Note.all).map(\.folderID) == [nil, 1])
    // The import itself nullified the reference, so the row does not count as changed by others.
    #expect(result.deleted == 2 && result.kept == 0)
  }

  /// The import may write the old owner's array after the new owner's array. The old owner must not
  /// take the reference away.
  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `a row that moves between owners has its new one`(
    commits: ImportOptions.Commits
  ) async throws {
    let folders = { (first: String, second: String) in
      #"{"folders": [{"id": 1, "notes": [\#(first)]}, {"id": 2, "notes": [\#(second)]}]}"#
    }
    _ = try await importing(#"{"notes": [{"id": 7}, {"id": 8}]}"#, commits)
    for (first, second, owners) in [("", "7,8", [2, 2]), ("7", "8", [1, 2]), ("8", "7", [2, 1])] {
      _ = try await importing(folders(first, second), commits)
      #expect(try await stack.fetch(Note.all).map(\.folderID) == owners)
    }
  }

  /// The import makes no links for the records before a checkpoint.
  @Test func `an import that makes links at its end has no checkpoint`() async throws {
    let lines = (1...6).map { #"{"id": \#($0), "notes": []}"# }.joined(separator: "\n")
    let monitor = ImportMonitor()
    func importing(from checkpoint: ImportCheckpoint?) async throws {
      try await stack.importJSON(
        Folder.self, from: .data(Data(lines.utf8)), as: .lines, mapping: Folder.json,
        options: .init(batchSize: 1) { $0.checkpoint = checkpoint }, monitor: monitor)
    }
    try await importing(from: nil)
    #expect(monitor.progress.checkpoint == nil)
    let error = await #expect(throws: ImportError.self) {
      try await importing(from: ImportCheckpoint(offset: 0, records: 0, lines: 0))
    }
    #expect(error?.code == .invalidMapping)
  }

  @Test func `a value that is no array of keys is refused by its path`() async throws {
    for (value, path) in [
      ("5", "tags.data"), ("[5]", "tags.data[0]"),
      (#"[{"key": {"id": 1}}, {}]"#, "tags.data[1].key.id"),
      (#"[{"key": {"id": null}}]"#, "tags.data[0].key.id"),
      (#"[{"key": {"id": "x"}}]"#, "tags.data[0].key.id"),
    ] {
      let error = await #expect(throws: ImportError.self) {
        try await importing(#"{"notes": [{"id": 1, "tags": {"data": \#(value)}}]}"#)
      }
      #expect(error?.code == .invalidValue && error?.path == path, "\(value) \(error?.path ?? "")")
    }
    #expect(try await stack.fetch(Note.all).isEmpty)
  }

  @Test @MainActor func `a child of the view context makes no links`() async throws {
    let sheet = stack.viewContext.makeScratch()
    let error = await #expect(throws: ImportError.self) {
      try await sheet.importJSON(Self.document, from: .data(Data("{}".utf8)))
    }
    #expect(error?.code == .invalidMapping)
  }
}
