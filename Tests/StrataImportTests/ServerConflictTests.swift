import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Note: Entity, Equatable {
  var id = 0
  var title = ""
  var body = ""
  var plays = 0
  var version = 0
  var code: String?

  static let schema = Schema<Note>("notes", key: \.id) {
    Attribute(\.title)
    Attribute(\.body)
    Attribute(\.plays).merged(by: .sum)
    Attribute(\.version)
    Attribute(\.code).unique()
  }
  static let json = JSONMapping<Note> {
    Field(\.id, "id")
    Field(\.title, "title")
    Field(\.body, "body")
    Field(\.plays, "plays")
    Field(\.version, "version")
    Field(\.code, "code")
    Tombstone(ifTrue: "gone")
  }
}

/// Rows of a server that imports bring while edits of the same rows wait to be pushed.
@Suite(.inTurn, .stack(Note.self)) struct ServerConflictTests {
  let stack = Stack.test

  private func hear(_ json: String, absent: AbsentRows = .keep) async throws {
    try await stack.importJSON(
      Note.self, from: .data(Data(json.utf8)), mapping: Note.json, absent: absent)
  }

  private func edit(_ change: (inout Note) -> Void) async throws {
    try await stack.withScratch { scratch in
      scratch.update(try #require(try await scratch.find(Note.self, 1)), change)
    }
  }

  /// Makes a note of version 1, and edits its title to `mine`.
  private func begin() async throws -> Outbox {
    let outbox = try await stack.outbox()
    try await hear(#"[{"id": 1, "title": "a", "body": "b", "plays": 10, "version": 1}]"#)
    try await edit { $0.title = "mine" }
    return outbox
  }

  private func note() async throws -> Note? { try await stack.find(Note.self, 1) }

  @Test func `a third value is told, and the edit stays`() async throws {
    let outbox = try await begin()
    try await hear(#"[{"id": 1, "title": "theirs", "body": "c", "version": 2}]"#)
    #expect(try await note() == Note(id: 1, title: "mine", body: "c", plays: 10, version: 2))
    let conflict = try #require(try await outbox.conflicts().first)
    #expect(conflict.attributes == ["title"])
    let sides = try #require(conflict.sides(of: Note.self))
    #expect(
      [sides.before?.title, sides.mine?.title, sides.theirs?.title] == ["a", "mine", "theirs"])
    let request = try #require(try await outbox.requests().first)
    #expect(request.attributes == ["title"])
    #expect(request.before(as: Note.self)?.version == 1)
    #expect(request.server(as: Note.self)?.version == 2)
    #expect(request.value(as: Note.self)?.title == "mine")
  }

  @Test func `an edit that meets other attributes goes on from the newest version`() async throws {
    let outbox = try await begin()
    try await hear(#"[{"id": 1, "body": "c", "version": 2}]"#)
    #expect(try await outbox.conflicts().isEmpty)
    let request = try #require(try await outbox.requests().first)
    #expect(request.before(as: Note.self)?.version == 2)
  }

  @Test func `merge rules apply as in a save`() async throws {
    let outbox = try await begin()
    try await edit { $0.plays += 5 }
    for plays in [20, 21] { try await hear(#"[{"id": 1, "plays": \#(plays)}]"#) }
    #expect(try await note()?.plays == 26)
    #expect(try await outbox.conflicts().isEmpty)
  }

  @Test(arguments: [SavePolicy.mergeMine, .mergeTheirs, .overwrite, .discard])
  func `a conflict is resolved`(policy: SavePolicy) async throws {
    let outbox = try await begin()
    try await edit { $0.body = "also mine" }
    try await hear(#"[{"id": 1, "title": "theirs", "version": 2}]"#)
    let conflict = try #require(try await outbox.conflicts().first)
    #expect(try await outbox.resolve(conflict, policy))
    #expect(try await outbox.conflicts().isEmpty)
    #expect(try await outbox.resolve(conflict, policy) == false)
    let note = try #require(try await note())
    let request = try await outbox.requests().first
    switch policy {
    case .mergeTheirs:
      #expect(note.title == "theirs" && note.body == "also mine")
      #expect(request?.attributes == ["body"])
    case .discard: #expect(note.title == "theirs" && note.body == "b" && request == nil)
    default:
      #expect(note.title == "mine" && note.body == "also mine")
      #expect(request?.before(as: Note.self)?.title == "theirs")
    }
  }

  @Test(arguments: [SavePolicy.overwrite, .mergeMine])
  func `an edit of a row that the server has deleted stays`(policy: SavePolicy) async throws {
    for isAbsent in [false, true] {
      let outbox = try await begin()
      if isAbsent {
        try await hear("[]", absent: .delete)
      } else {
        try await hear(#"[{"id": 1, "gone": true}]"#)
      }
      #expect(try await note()?.title == "mine")
      let conflict = try #require(try await outbox.conflicts().first)
      #expect(conflict.isOrphaned)
      #expect(try await outbox.resolve(conflict, policy))
      let requests = try await outbox.requests()
      #expect(requests.map(\.kind) == (policy == .overwrite ? [.insert] : []))
      #expect((try await note() == nil) == (policy == .mergeMine))
      try await outbox.acknowledgeEverything()
    }
  }

  @Test func `a refused edit is given up for the newest values`() async throws {
    let outbox = try await begin()
    try await outbox.push { _ in .refused("412") }
    try await hear(#"[{"id": 1, "title": "theirs", "version": 2}]"#)
    let refusal = try #require(try await outbox.refusals().first)
    #expect(try await outbox.revert(refusal))
    #expect(try await note() == Note(id: 1, title: "theirs", body: "b", plays: 10, version: 2))
    // A row that is gone here and there stays away.
    let left = try #require(try await note())
    try await stack.withScratch { $0.delete(left) }
    try await outbox.push { _ in .refused("409") }
    try await hear(#"[{"id": 1, "gone": true}]"#)
    #expect(try await outbox.refusals().isEmpty)
    #expect(try await note() == nil)
  }

  @Test func `a row that is imported while its request is sent counts as the answer`() async throws
  {
    let outbox = try await begin()
    try await outbox.push { [self] request in
      if request.attributes == ["body"] { return .later }
      try await hear(#"[{"id": 1, "title": "Mine", "body": "c", "version": 2}]"#)
      try await edit { $0.body = "later" }
      return .done
    }
    let answered = try await note()
    #expect(answered == Note(id: 1, title: "Mine", body: "later", plays: 10, version: 2))
    let request = try #require(try await outbox.requests().first)
    #expect(request.attributes == ["body"])
    #expect(request.before(as: Note.self)?.body == "c")
    // The answer to a refused request tells what the server has.
    try await outbox.push { [self] _ in
      try await hear(#"[{"id": 1, "body": "theirs", "version": 3}]"#)
      return .refused("412")
    }
    #expect(try await note()?.body == "later")
    #expect(try await outbox.conflicts().first?.attributes == ["body"])
  }

  @Test func `a push within a push is an error`() async throws {
    let outbox = try await begin()
    let code = Lock<StoreError.Code?>(nil)
    try await outbox.push { _ in
      do { try await outbox.push { _ in .done } } catch let error as StoreError {
        code.withLock { $0 = error.code }
      }
      return .done
    }
    #expect(code.withLock { $0 } == .nestedPush)
  }

  @Test func `an answer that breaks a rule does not take back the verdict`() async throws {
    let outbox = try await begin()
    try await hear(#"[{"id": 2, "code": "x"}]"#)
    try await edit { $0.code = "y" }
    try await outbox.push { [self] _ in
      try await hear(#"[{"id": 1, "code": "x"}]"#)
      return .done
    }
    #expect(try await outbox.requests().isEmpty)
    #expect(try await note()?.code == "y")
  }

  // MARK: - The rule of an import

  private static let rules:
    [(rule: ImportOptions.Conflicts, title: String, waits: Bool, isTold: Bool)] =
      [
        (.keepAndTell, "mine", true, true), (.mergeMine, "mine", true, false),
        (.mergeTheirs, "theirs", true, false), (.discard, "theirs", false, false),
      ]

  private func hear(_ json: String, _ rule: ImportOptions.Conflicts) async throws {
    var options = ImportOptions()
    options.conflicts = rule
    try await stack.importJSON(
      Note.self, from: .data(Data(json.utf8)), mapping: Note.json, options: options)
  }

  @Test(arguments: rules)
  func `an import decides about a third value by its rule`(
    _ expected: (rule: ImportOptions.Conflicts, title: String, waits: Bool, isTold: Bool)
  ) async throws {
    let outbox = try await begin()
    try await edit { $0.body = "mine" }
    try await hear(#"[{"id": 1, "title": "theirs", "version": 2}]"#, expected.rule)
    #expect(try await note()?.title == expected.title)
    // The other edit stays, unless the whole edit is given up.
    #expect(try await note()?.body == (expected.rule == .discard ? "b" : "mine"))
    #expect(try await outbox.requests().isEmpty == !expected.waits)
    #expect(try await outbox.conflicts().isEmpty == !expected.isTold)
  }

  @Test(arguments: rules)
  func `an import decides about a row that the server has deleted by its rule`(
    _ expected: (rule: ImportOptions.Conflicts, title: String, waits: Bool, isTold: Bool)
  ) async throws {
    let outbox = try await begin()
    try await hear(#"[{"id": 1, "gone": true}]"#, expected.rule)
    #expect(try await note()?.title == (expected.isTold ? "mine" : nil))
    #expect(try await outbox.conflicts().isEmpty == !expected.isTold)
    #expect(try await outbox.requests().isEmpty == !expected.isTold)
  }
}
