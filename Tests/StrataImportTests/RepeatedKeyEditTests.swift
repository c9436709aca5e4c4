import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Note: Entity, Equatable {
  var id = 0
  var title = ""
  var text = ""
  static let schema = Schema<Note>("notes", key: \.id) {
    Attribute(\.title)
    Attribute(\.text)
  }
  static let json = JSONMapping<Note> {
    Field(\.id, "id")
    Field(\.title, "title")
    Field(\.text, "text")
  }
}

/// A feed that has a key twice, and a row with this key whose edit waits to be pushed. The older record
/// moved the edit, so that it could end the edit, and each import of the feed wrote two commits.
@Suite(.inTurn) struct RepeatedKeyEditTests {
  private enum Edit: CaseIterable { case title, both, deletion }

  /// An edit of a row, and the two records that a feed has of it.
  private struct Case: CustomStringConvertible {
    let edit: Edit
    let older: Note
    let last: Note

    var description: String { "\(edit), \(older.title) and then \(last)" }

    static var all: [Case] {
      var cases: [Case] = []
      let values = ["base", "mine", "theirs"]
      for edit in Edit.allCases {
        for older in values {
          for title in values {
            for text in values {
              let id = cases.count
              cases.append(
                Case(
                  edit: edit, older: Note(id: id, title: older, text: older),
                  last: Note(id: id, title: title, text: text)))
            }
          }
        }
      }
      return cases
    }
  }

  /// A store in which a user has made the edits of all cases, and the options of its imports.
  private struct Edited {
    let stack: Stack
    let outbox: Outbox
    let options: ImportOptions

    init(_ cases: [Case], _ options: ImportOptions) async throws {
      self.options = options
      stack = try await Stack.temporary(Note.self)
      let bases = cases.map { Note(id: $0.last.id, title: "base", text: "base") }
      try await stack.importNotes(bases, options)
      outbox = try await stack.outbox()
      try await stack.withScratch { scratch in
        for (test, base) in zip(cases, bases) {
          switch test.edit {
          case .title: scratch.update(base) { $0.title = "mine" }
          case .both: scratch.update(base) { ($0.title, $0.text) = ("mine", "mine") }
          case .deletion: scratch.delete(base)
          }
        }
      }
    }

    /// The row of each case, its waiting request and its conflict, in words.
    func outcomes(_ cases: [Case]) async throws -> [String] {
      let notes = try await stack.fetch(Note.all)
      let requests = try await outbox.requests()
      let conflicts = try await outbox.conflicts()
      return cases.map { test in
        let row = notes.first { $0.id == test.last.id }
        let request = requests.first { $0.id(of: Note.self) == test.last.id }
        let sent = request.map { "\($0.kind) \($0.attributes.sorted())" }
        let server = request?.server(as: Note.self)
        let conflict = conflicts.first { $0.key.id(of: Note.self) == test.last.id }
        return "\(test): \(row as Any), \(sent as Any) over \(server as Any), \(conflict as Any)"
      }
    }
  }

  @Test(
    arguments: [ImportOptions.Conflicts.keepAndTell, .mergeMine, .mergeTheirs, .discard],
    [ImportOptions.Commits.batched, .atomic])
  func `the last record of a key is the one that meets the edit`(
    conflicts: ImportOptions.Conflicts, commits: ImportOptions.Commits
  ) async throws {
    var options = ImportOptions()
    (options.conflicts, options.commits) = (conflicts, commits)
    if commits == .batched { options.batchSize = 10 }
    // An atomic import reads portions of 2,000 staged rows.
    let between = (1_000..<(commits == .atomic ? 3_100 : 1_001)).map { Note(id: $0) }
    let cases = Case.all
    let (twice, once) = (try await Edited(cases, options), try await Edited(cases, options))
    var seen: [Int64] = []
    for _ in 0..<2 {
      try await twice.stack.importNotes(cases.map(\.older) + between + cases.map(\.last), options)
      seen.append(twice.stack.historyToken.commit)
    }
    try await once.stack.importNotes(between + cases.map(\.last), options)
    #expect(seen[0] == seen[1])
    let (found, right) = (try await twice.outcomes(cases), try await once.outcomes(cases))
    for (found, right) in zip(found, right) { #expect(found == right) }
    await twice.stack.close()
    await once.stack.close()
  }
}

extension Stack {
  fileprivate func importNotes(_ notes: [Note], _ options: ImportOptions) async throws {
    let records = notes.map { #"{"id":\#($0.id),"title":"\#($0.title)","text":"\#($0.text)"}"# }
    try await importJSON(
      Note.self, from: .data(Data("[\(records.joined(separator: ","))]".utf8)),
      mapping: Note.json, options: options)
  }
}
