import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Label: Entity, Equatable {
  var id = 0
  var name = ""
  static let schema = Schema<Label>("labels", key: \.id) { Attribute(\.name) }
  static let json = JSONMapping<Label> {
    Field(\.id, "id")
    Field(\.name, "name").required()
    Tombstone(ifTrue: "deleted")
  }
}

private struct Song: Entity, Equatable {
  var id = 0
  var title = ""
  var labelID: Int?
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    toOne(\.labelID, Label.self, onDelete: .nullify)
  }
}

private struct Contract: Entity, Equatable {
  var id = 0
  var labelID: Int?
  static let schema = Schema<Contract>("contracts", key: \.id) {
    toOne(\.labelID, Label.self, onDelete: .deny)
  }
  static let json = JSONMapping<Contract> {
    Field(\.id, "id")
    Field(\.labelID, "label")
    Tombstone(ifThere: "ended")
  }
}

@Suite(.inTurn, .stack(Label.self, Song.self, Contract.self))
struct TombstoneTests {
  let stack = Stack.test

  init() async throws {
    try await stack.withScratch { scratch in
      for id in 1...4 { scratch.insert(Label(id: id, name: "L")) }
    }
  }

  private func importing(
    _ document: JSONDocument, _ json: String, absent: AbsentRows = .keep,
    options: ImportOptions = ImportOptions()
  ) async throws -> ImportResult {
    try await stack.importJSON(
      document, from: .data(Data(json.utf8)), absent: absent, options: options)
  }

  private func labels(
    _ json: String, _ mapping: JSONMapping<Label> = Label.json
  ) async throws -> ImportResult {
    try await stack.importJSON(Label.self, from: .data(Data(json.utf8)), mapping: mapping)
  }

  private func ids() async throws -> [Int] { try await stack.fetch(Label.all).map(\.id) }

  @Test func `a record that says that it is gone deletes its row`() async throws {
    let feed =
      #"[{"id": 1, "deleted": true}, {"id": 2, "name": "M", "deleted": false}, {"id": 9, "deleted": true}]"#
    let result = try await labels(feed)
    #expect(result.deleted == 1 && result.updated == 1 && result.inserted == 0)
    #expect(try await ids() == [2, 3, 4])
    let again = try await labels(feed)
    #expect(again.unchanged == 3 && again.commit == result.commit)
  }

  @Test @MainActor func `an unsaved edit of a row that is gone is a conflict`() async throws {
    let label = try #require(try await stack.viewContext.find(Label.self, 1))
    stack.viewContext.update(label) { $0.name = "mine" }
    #expect(try await labels(#"[{"id": 1, "deleted": true}]"#).deleted == 1)
    #expect(try await ids() == [2, 3, 4])
    let error = await #expect(throws: StoreError.self) { try await stack.viewContext.save() }
    #expect(error?.code == .conflict && error?.conflicts.map(\.isOrphaned) == [true])
    #expect(stack.viewContext.hasChanges)
  }

  @Test func `a member that is there, or a text, can say it`() async throws {
    let dated = JSONMapping<Label> {
      Field(\.id, "id")
      Tombstone(ifThere: "meta.deleted_at")
    }
    let named = JSONMapping<Label> {
      Field(\.id, "id")
      Field(\.name, "status")
      Tombstone(if: "status", is: "gone")
    }
    _ = try await labels(
      #"[{"id": 1, "meta": {"deleted_at": 5}}, {"id": 2, "meta": {"deleted_at": null}}]"#, dated)
    _ = try await labels(#"[{"id": 3, "status": "gone"}, {"id": 4, "status": "here"}]"#, named)
    #expect(try await ids() == [2, 4])
    #expect(try await stack.fetch(Label.all).map(\.name) == ["L", "here"])
  }

  @Test
  func `a tombstone needs its key alone, and every other record all required members`()
    async throws
  {
    for (record, path) in [
      (#"{"id": 1}"#, "name"), (#"{"id": 1, "deleted": false}"#, "name"),
      (#"{"deleted": true}"#, "id"), (#"{"id": 1, "deleted": 2}"#, "deleted"),
      (#"{"id": 1, "deleted": "yes"}"#, "deleted"),
    ] {
      let error = await #expect(throws: ImportError.self) { try await labels("[\(record)]") }
      #expect(error?.code == .invalidValue && error?.path == path, "\(record)")
    }
    #expect(try await ids() == [1, 2, 3, 4])
  }

  @Test func `a later record of a key wins`() async throws {
    _ = try await labels(
      #"[{"id": 1, "deleted": true}, {"id": 1, "name": "A"}, {"id": 2, "name": "B"}, {"id": 2, "deleted": true}]"#
    )
    #expect(try await ids() == [1, 3, 4])
    #expect(try await stack.fetch(Label.all).map(\.name) == ["A", "L", "L"])
  }

  @Test func `keys of what is gone may be in an array of their own`() async throws {
    let document = JSONDocument {
      JSONRecords(Label.self, at: "labels")
      JSONRecords.deleted(Label.self, at: "gone.labels", allowingNumberInString: true)
    }
    let feed = #"{"gone": {"labels": [1, "2", 77]}, "labels": [{"id": 3, "name": "C"}]}"#
    let result = try await importing(document, feed, absent: .delete)
    #expect(result.deleted == 3 && result.records == 4)
    #expect(try await ids() == [3])
    for broken in ["null", "\"x\"", "{}", "1.5"] {
      let error = await #expect(throws: ImportError.self) {
        try await importing(document, #"{"gone": {"labels": [\#(broken)]}}"#)
      }
      #expect(error?.code == .invalidValue, "\(broken)")
    }
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `a deletion that a rule forbids is tried again at the end`(
    commits: ImportOptions.Commits
  ) async throws {
    try await stack.withScratch { scratch in
      for id in 1...3 { scratch.insert(Contract(id: id, labelID: id)) }
    }
    let document = JSONDocument {
      JSONRecords(Label.self, at: "labels", Label.json)
      JSONRecords(Contract.self, at: "contracts", Contract.json)
    }
    let gone = (1...3).map { #"{"id": \#($0), "deleted": true}"# }.joined(separator: ",")
    let feed = { (ended: [Int]) in
      let contracts = ended.map { #"{"id": \#($0), "ended": 1}"# }.joined(separator: ",")
      return #"{"labels": [\#(gone)], "contracts": [\#(contracts)]}"#
    }
    var options = ImportOptions(batchSize: 2) { $0.commits = commits }
    let first = await #expect(throws: ImportError.self) {
      try await importing(document, feed([1]), options: options)
    }
    #expect(first?.storeError?.code == .deleteDenied)
    options.refusedRecords = .skip()
    let second = try await importing(document, feed([1, 2]), options: options)
    #expect(second.skipped == 1 && second.refused.count == 1)
    #expect(try await ids() == [3, 4])
    let third = try await importing(document, feed([3]), options: options)
    #expect(third.deleted == 2 && third.skipped == 0)
    #expect(try await ids() == [4])
  }

  /// Label 1 may go with contract 1. The import kept it, because contract 2 denies the deletion of
  /// label 2 in the same batch.
  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `a forbidden deletion does not keep another one that may go`(
    commits: ImportOptions.Commits
  ) async throws {
    try await stack.withScratch { scratch in
      for id in 1...2 { scratch.insert(Contract(id: id, labelID: id)) }
    }
    let document = JSONDocument {
      JSONRecords(Label.self, at: "labels", Label.json)
      JSONRecords(Contract.self, at: "contracts", Contract.json)
    }
    let feed =
      #"{"labels": [{"id": 1, "deleted": true}, {"id": 2, "deleted": true}], "contracts": [{"id": 1, "ended": 1}]}"#
    let result = try await importing(
      document, feed,
      options: ImportOptions {
        $0.commits = commits
        $0.refusedRecords = .skip()
      })
    #expect(result.deleted == 2 && result.skipped == 1)
    #expect(try await ids() == [2, 3, 4])
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `the changes that a deletion makes to an absent row are no edits of others`(
    commits: ImportOptions.Commits
  ) async throws {
    try await stack.withScratch { $0.insert(Song(id: 1, title: "S", labelID: 1)) }
    let document = JSONDocument {
      JSONRecords(Label.self, at: "labels", Label.json)
      JSONRecords(Song.self, at: "songs")
    }
    let result = try await importing(
      document, #"{"labels": [{"id": 1, "deleted": true}], "songs": []}"#, absent: .delete,
      options: .init(batchSize: 1) { $0.commits = commits })
    #expect(result.deleted == 5 && result.kept == 0)
  }

  @Test func `two signs are refused, and a sign may be a member that a field reads`() async throws {
    let two = JSONMapping<Label> {
      Field(\.id, "id")
      Tombstone(ifTrue: "a")
      Tombstone(ifTrue: "b")
    }
    let error = await #expect(throws: ImportError.self) { try await labels("not read", two) }
    #expect(error?.code == .invalidMapping)
    let shared = JSONMapping<Label> {
      Field(\.id, "id")
      Tombstone(if: "id", is: "2")
    }
    #expect(try await labels(#"[{"id": 1}, {"id": 2}]"#, shared).deleted == 1)
    #expect(try await ids() == [1, 3, 4])
  }
}
