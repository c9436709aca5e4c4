import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Label: Entity, Equatable {
  var id = 0
  static let schema = Schema<Label>("labels", key: \.id) {}
}

/// An entity that loses its reference when its label is deleted. A `Firm` denies the deletion, and
/// a `Part` is deleted with its label.
private struct Loose: Entity, Equatable {
  var id = 0
  var labelID: Int?
  var previousID: Int?
  static let schema = Schema<Loose>("looses", key: \.id) {
    toOne(\.labelID, Label.self, onDelete: .nullify)
    toOne(\.previousID, Loose.self, onDelete: .nullify)
  }
}

private struct Firm: Entity, Equatable {
  var id = 0
  var labelID: Int?
  var previousID: Int?
  static let schema = Schema<Firm>("firms", key: \.id) {
    toOne(\.labelID, Label.self, onDelete: .deny)
    toOne(\.previousID, Firm.self, onDelete: .deny)
  }
}

private struct Part: Entity, Equatable {
  var id = 0
  var name = ""
  var labelID: Int?
  static let schema = Schema<Part>("parts", key: \.id) {
    Attribute(\.name)
    toOne(\.labelID, Label.self, onDelete: .cascade)
  }
}

@Suite(.inTurn, .stack(Label.self, Loose.self, Firm.self, Part.self))
struct FullSyncRulesTests {
  let stack = Stack.test

  private static let everything = JSONDocument {
    JSONRecords(Label.self, at: "labels")
    JSONRecords(Loose.self, at: "looses")
    JSONRecords(Firm.self, at: "firms")
    JSONRecords(Part.self, at: "parts")
  }
  private static let nothing = #"{"labels": [], "looses": [], "firms": [], "parts": []}"#

  private func sync(
    _ document: JSONDocument, _ json: String, _ commits: ImportOptions.Commits,
    batchSize: Int = 3
  ) async throws -> ImportResult {
    try await stack.importJSON(
      document, from: .data(Data(json.utf8)), absent: .delete,
      options: .init(batchSize: batchSize) { $0.commits = commits })
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `the rows that are all absent are all deleted, though they refer to each other`(
    commits: ImportOptions.Commits
  ) async throws {
    try await stack.withScratch { scratch in
      for id in 1...10 {
        scratch.insert(Label(id: id))
        let previous = id == 1 ? nil : id - 1
        scratch.insert(Loose(id: id, labelID: id, previousID: previous))
        scratch.insert(Firm(id: id, labelID: id, previousID: previous))
        scratch.insert(Part(id: id, labelID: id))
      }
    }
    let result = try await sync(Self.everything, Self.nothing, commits)
    #expect(result.deleted == 40 && result.kept == 0)
    for count in [
      try await stack.viewContext.count(Label.all), try await stack.viewContext.count(Loose.all),
      try await stack.viewContext.count(Firm.all), try await stack.viewContext.count(Part.all),
    ] { #expect(count == 0) }
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `a row that a rule holds stays and is counted once`(
    commits: ImportOptions.Commits
  ) async throws {
    try await stack.withScratch { scratch in
      for id in 1...4 { scratch.insert(Label(id: id)) }
      scratch.insert(Firm(id: 1, labelID: 2))
    }
    let labels = JSONDocument { JSONRecords(Label.self, at: "labels") }
    let result = try await sync(labels, #"{"labels": []}"#, commits, batchSize: 2)
    #expect(result.deleted == 3 && result.kept == 1)
    #expect(try await stack.fetch(Label.all).map(\.id) == [2])
  }

  /// Parts that are made or edited during the import must not be deleted with an absent label. The
  /// server does not know of them.
  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `a row that is made or edited during an import outlives the absent row it refers to`(
    commits: ImportOptions.Commits
  ) async throws {
    try await stack.withScratch { scratch in
      for id in 1...5 { scratch.insert(Label(id: id)) }
      for id in 1...4 { scratch.insert(Part(id: id, labelID: id)) }
    }
    let gate = TestGate()
    let feed = HeldFeed([#"{"labels": [{"id": 1}"#, "]}"], gate)
    let labels = JSONDocument { JSONRecords(Label.self, at: "labels") }
    let importing = Task { [stack] in
      try await stack.importJSON(
        labels, from: .chunks(feed), absent: .delete, options: .init { $0.commits = commits })
    }
    await gate.waitForArrivals()
    try await stack.withScratch { scratch in
      scratch.insert(Part(id: 9, labelID: 5))
      let part = try #require(try await scratch.find(Part.self, 3))
      scratch.update(part) { $0.name = "mine" }
    }
    await gate.open()
    let result = try await importing.value
    #expect(result.deleted == 2 && result.kept == 2)
    #expect(try await stack.fetch(Label.all).map(\.id) == [1, 3, 5])
    #expect(try await stack.fetch(Part.all).map(\.id) == [1, 3, 9])
  }

  /// A later pass deletes the rows that a rule held. The first pass must not mark the feed.
  @Test func `a feed is marked when the last row that was held is gone`() async throws {
    try await stack.withScratch { scratch in
      for id in 1...4 { scratch.insert(Firm(id: id, previousID: id == 1 ? nil : id - 1)) }
    }
    func sync(_ monitor: ImportMonitor? = nil) async throws -> ImportResult {
      try await stack.importJSON(
        JSONDocument { JSONRecords(Firm.self, at: "firms") },
        from: .data(Data(#"{"firms": []}"#.utf8)), absent: .delete, marksFresh: [.feed("firms")],
        options: .init(batchSize: 1), monitor: monitor)
    }
    let cancelling = ImportMonitor { progress in
      if progress.result.deleted > 0 { withUnsafeCurrentTask { $0?.cancel() } }
    }
    let error = await #expect(throws: ImportError.self) {
      try await Task { try await sync(cancelling) }.value
    }
    #expect(error?.code == .cancelled && error?.result.deleted == 1)
    #expect(try await stack.lastImported(.feed("firms")) == nil)
    let result = try await sync()
    #expect(result.deleted == 3 && result.kept == 0)
    #expect(try await stack.lastImported(.feed("firms")) != nil)
  }

  @Test func `a row of the feed is not deleted with the absent row it refers to`() async throws {
    try await stack.withScratch { scratch in
      for id in 1...2 { scratch.insert(Label(id: id)) }
      scratch.insert(Part(id: 1, labelID: 1))
    }
    let feed = #"{"labels": [], "looses": [], "firms": [], "parts": [{"id": 1, "labelID": 1}]}"#
    let result = try await sync(Self.everything, feed, .batched)
    #expect(result.deleted == 1 && result.kept == 1)
    #expect(try await stack.fetch(Part.all).map(\.id) == [1])
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  @MainActor func `rows under unsaved edits of the view context stay`(
    commits: ImportOptions.Commits
  ) async throws {
    try await stack.withScratch { scratch in
      for id in 1...4 { scratch.insert(Label(id: id)) }
      for id in 1...3 { scratch.insert(Part(id: id, labelID: id)) }
    }
    // Part 1 is edited, and part 2 gets a reference to label 4. The deletion of label 1 or 2 would
    // delete an edited part.
    let parts = try await stack.viewContext.fetch(Part.all)
    stack.viewContext.update(parts[0]) { $0.name = "mine" }
    stack.viewContext.update(parts[1]) { $0.labelID = 4 }
    let result = try await sync(Self.everything, Self.nothing, commits)
    #expect(try await stack.fetch(Part.all).map(\.id) == [1, 2])
    #expect(try await stack.fetch(Label.all).map(\.id) == [1, 2, 4])
    #expect(result.deleted == 2)
    try await stack.viewContext.save()
    #expect(try await stack.fetch(Part.all).map(\.name) == ["mine", ""])
  }
}
