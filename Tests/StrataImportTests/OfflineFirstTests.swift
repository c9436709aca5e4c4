import Foundation
import Strata
import StrataTestTurns
import StrataTesting
import Testing

@testable import StrataImport

private struct Note: Entity, Equatable {
  var id = 0
  var number: Int?
  var title = ""
  var body = ""
  var plays = 0
  var version = 0

  static let schema = Schema<Note>("notes", key: \.id) {
    Attribute(\.number).unique()
    Attribute(\.title)
    Attribute(\.body)
    Attribute(\.plays).merged(by: .sum)
    Attribute(\.version)
  }
  static let json = JSONMapping<Note> {
    Field(\.id, "id")
    Field(\.number, "number")
    Field(\.title, "title")
    Field(\.body, "body")
    Field(\.plays, "plays")
    Field(\.version, "version").readOnly()
    Tombstone(ifTrue: "gone")
  }
}

private struct Lost: Error {}

/// The sentences of the article *Offline first*.
@Suite(.inTurn, .stack(Note.self)) struct OfflineFirstTests {
  let stack = Stack.test

  private func hear(_ json: String, as format: JSONFormat = .array, absent: AbsentRows = .keep)
    async throws
  {
    try await stack.importJSON(
      Note.self, from: .data(Data(json.utf8)), as: format, mapping: Note.json, absent: absent)
  }

  private func edit(_ change: (inout Note) -> Void) async throws {
    try await stack.withScratch { scratch in
      scratch.update(try #require(try await scratch.find(Note.self, 1)), change)
    }
  }

  private func note() async throws -> Note? { try await stack.find(Note.self, 1) }

  /// Makes a note of version 1 with an edited title.
  private func begin() async throws -> Outbox {
    let outbox = try await stack.outbox()
    try await hear(#"[{"id": 1, "title": "a", "body": "b", "version": 1}]"#)
    try await edit { $0.title = "mine" }
    return outbox
  }

  // MARK: - The first sync

  @Test(arguments: [true, false])
  func `a row from before the outbox meets the server's row of its key`(
    _ isAddedFirst: Bool
  ) async throws {
    try await stack.withScratch { $0.insert(Note(id: 1, title: "mine", body: "b")) }
    let outbox = try await stack.outbox()
    if isAddedFirst { try await outbox.addEverything() }
    try await hear(#"[{"id": 1, "title": "theirs", "body": "b", "version": 7}]"#)
    if !isAddedFirst { #expect(try await outbox.addEverything() == 0) }
    #expect(try await note()?.title == (isAddedFirst ? "mine" : "theirs"))
    let requests = try await outbox.requests()
    #expect(requests.map(\.kind) == (isAddedFirst ? [.update] : []))
    if isAddedFirst {
      #expect(requests.first?.attributes.contains("title") == true)
      #expect(requests.first?.attributes.contains("body") == false)
      #expect(requests.first?.before(as: Note.self)?.version == 7)
    }
  }

  @Test func `an eviction deletes rows that were not added, and keeps those that wait`()
    async throws
  {
    try await stack.withScratch { scratch in
      for id in 1...2 { scratch.insert(Note(id: id)) }
    }
    let outbox = try await stack.outbox()
    try await outbox.add(Note.where { $0.id == 1 })
    let report = try await stack.evict(.beyond(newest: 0, by: \Note.id))
    #expect(report.evicted == 1 && report.keptUnpushed == 1)
    #expect(try await stack.fetch(Note.all).map(\.id) == [1])
  }

  // MARK: - Versions

  /// Sends requests to a server that has version 2 of the note.
  private func push(to row: String, in outbox: Outbox) async throws -> PushResult {
    try await outbox.push { [self] request in
      if request.before(as: Note.self)?.version == 2 { return .done }
      try await hear(row, as: .lines)
      return .later
    }
  }

  @Test func `a refused version is sent again once the edit starts from the server's row`()
    async throws
  {
    let outbox = try await begin()
    let row = #"{"id": 1, "title": "a", "body": "theirs", "version": 2}"#
    #expect(try await push(to: row, in: outbox).left == 1)
    #expect(try await outbox.conflicts().isEmpty)
    #expect(try await note()?.body == "theirs")
    #expect(try await push(to: row, in: outbox).sent == 1)
    #expect(try await note()?.title == "mine")
  }

  @Test(arguments: [SavePolicy.mergeMine, .overwrite, .mergeTheirs, .discard])
  func `a refused version waits for the conflict`(_ policy: SavePolicy) async throws {
    let outbox = try await begin()
    let row = #"{"id": 1, "title": "theirs", "version": 2}"#
    for _ in 1...2 { #expect(try await push(to: row, in: outbox).left == 1) }
    let conflict = try #require(try await outbox.conflicts().first)
    #expect(try await outbox.resolve(conflict, policy))
    let isMine = policy == .mergeMine || policy == .overwrite
    #expect(try await push(to: row, in: outbox).sent == (isMine ? 1 : 0))
    #expect(try await note()?.title == (isMine ? "mine" : "theirs"))
    #expect(await outbox.currentCounts.waiting == 0)
  }

  @Test(arguments: [SavePolicy.mergeMine, .overwrite, .mergeTheirs, .discard])
  func `a deletion meets a row that the server has changed`(_ policy: SavePolicy) async throws {
    let outbox = try await begin()
    try await outbox.acknowledgeEverything()
    try await stack.withScratch { $0.delete(Note.self, 1) }
    try await hear(#"[{"id": 1, "title": "theirs", "version": 2}]"#)
    let conflict = try #require(try await outbox.conflicts().first)
    #expect(try await outbox.resolve(conflict, policy))
    let staysDeleted = policy == .mergeMine || policy == .overwrite
    #expect((try await note() == nil) == staysDeleted)
    #expect(try await outbox.requests().map(\.kind) == (staysDeleted ? [.delete] : []))
  }

  @Test func `a refusal that conflicts is listed twice and ends when the conflict is resolved`()
    async throws
  {
    let outbox = try await begin()
    try await outbox.push { _ in .refused("412") }
    try await hear(#"[{"id": 1, "title": "theirs", "version": 2}]"#)
    #expect(try await outbox.refusals().count == 1)
    let conflict = try #require(try await outbox.conflicts().first)
    #expect(try await outbox.resolve(conflict, .mergeMine))
    #expect(try await outbox.refusals().isEmpty)
    #expect(try await outbox.requests().first?.before(as: Note.self)?.version == 2)
  }

  @Test func `a version that is refused after a lost answer`() async throws {
    let outbox = try await begin()
    await #expect(throws: Lost.self) { try await outbox.push { _ in throw Lost() } }
    // The first request had not arrived, and another client has changed the note.
    let row = #"{"id": 1, "title": "theirs", "version": 2}"#
    #expect(try await push(to: row, in: outbox).left == 1)
    let conflict = try #require(try await outbox.conflicts().first)
    #expect(try await outbox.resolve(conflict, .mergeMine))
    #expect(try await push(to: row, in: outbox).sent == 1)
    #expect(try await note()?.title == "mine")
  }

  @Test func `a version that is refused because the lost request had arrived`() async throws {
    let outbox = try await begin()
    await #expect(throws: Lost.self) { try await outbox.push { _ in throw Lost() } }
    let row = #"{"id": 1, "title": "mine", "version": 2}"#
    #expect(try await push(to: row, in: outbox).left == 0)
    #expect(try await outbox.requests().isEmpty)
    #expect(try await note()?.version == 2)
  }

  @Test func `a deletion that is refused after a lost insertion waits for the user`() async throws {
    let outbox = try await stack.outbox()
    try await stack.withScratch { $0.insert(Note(id: 1, title: "mine")) }
    await #expect(throws: Lost.self) { try await outbox.push { _ in throw Lost() } }
    try await stack.withScratch { $0.delete(Note.self, 1) }
    try await outbox.push { [self] _ in
      try await hear(#"{"id": 1, "title": "mine", "version": 1}"#, as: .lines)
      return .refused("403")
    }
    #expect(try await note() == nil)
    let refusal = try #require(try await outbox.refusals().first)
    #expect(refusal.request.kind == .delete)
    #expect(try await outbox.revert(refusal))
    #expect(try await note()?.version == 1)
  }

  // MARK: - Numbers

  @Test(arguments: ["an insertion that a pull finds", "an edit that a pull finds", "a push"])
  func `one loop repairs a number that was taken offline`(_ moment: String) async throws {
    let outbox = try await stack.outbox()
    if moment == "an edit that a pull finds" {
      try await hear(#"[{"id": 1, "number": 1, "title": "a", "body": "b", "version": 1}]"#)
      try await edit { ($0.number, $0.title) = (8, "mine") }
    } else {
      try await stack.withScratch { $0.insert(Note(id: 1, number: 8, title: "mine")) }
    }
    if moment == "a push" {
      try await outbox.push { _ in .refused(Self.numberIsTaken) }
    } else {
      try await hear(#"[{"id": 2, "number": 8, "title": "theirs"}]"#)
    }
    try await repair(outbox)
    #expect(try await note()?.number == 9)
    #expect(try await note()?.title == "mine")
    let request = try #require(try await outbox.requests().first)
    #expect(request.kind == (moment == "an edit that a pull finds" ? .update : .insert))
    #expect(request.attributes.isSuperset(of: ["number", "title"]))
  }

  /// The loop of the article.
  private func repair(_ outbox: Outbox) async throws {
    for refusal in try await outbox.refusals() where refusal.request.kind != .delete {
      guard var note = refusal.request.value(as: Note.self), let number = note.number else {
        continue
      }
      try await stack.withScratch { scratch in
        let owner = try await scratch.fetch(Note.where { $0.number == number }).first
        let isAside = refusal.isSetAside && owner != nil && owner?.id != note.id
        guard isAside || refusal.reason == Self.numberIsTaken else { return }
        let last = try await scratch.fetch(
          Note.sorted(by: \.number, order: .reverse).limit(1)
        ).first
        note.number = (last?.number ?? 0) + 1
        scratch.upsert(note)
      }
    }
  }

  private static let numberIsTaken = "the number is taken"

  // The loop made a deleted row anew, and gave a row that was refused for its title another number.
  @Test func `the loop leaves other refusals alone`() async throws {
    let outbox = try await stack.outbox()
    try await hear(
      #"[{"id": 1, "number": 1}, {"id": 2, "number": 2}, {"id": 3, "number": 3, "plays": 1}]"#)
    try await stack.withScratch { scratch in
      scratch.delete(Note.self, 1)
      scratch.update(try #require(try await scratch.find(Note.self, 2))) { $0.title = "too long" }
    }
    try await outbox.push { _ in .refused("no") }
    try await repair(outbox)
    #expect(try await stack.fetch(Note.sorted(by: \.id)).map(\.number) == [2, 3])
    #expect(try await outbox.refusals().count == 2)
  }

  // MARK: - Log-out

  @Test func `a log-out leaves no row and no request`() async throws {
    let outbox = try await begin()
    try await stack.withScratch { $0.insert(Note(id: 2)) }
    try await outbox.acknowledgeEverything()
    try await stack.withScratch { scratch in
      scratch.author = Stack.evictionAuthor
      try await scratch.delete(Note.all)
    }
    #expect(try await stack.count(Note.all) == 0)
    #expect(try await outbox.requests().isEmpty)
    // The next user's rows come, and what the server then takes away goes.
    try await hear(#"[{"id": 1, "title": "a"}, {"id": 3}]"#)
    try await hear(#"[{"id": 1, "title": "a"}]"#, absent: .delete)
    #expect(try await stack.fetch(Note.all).map(\.title) == ["a"])
  }
}
