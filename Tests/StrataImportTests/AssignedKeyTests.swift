import Foundation
import Strata
import StrataTestTurns
import StrataTesting
import Testing

@testable import StrataImport

private struct Note: Entity, Equatable {
  var id = 0
  var localID: UUID?
  var title = ""
  var parentID: Int?

  static let schema = Schema<Note>("notes", key: \.id) {
    Attribute(\.localID).unique()
    Attribute(\.title)
    toOne(\.parentID, Note.self, onDelete: .nullify)
    items
    tags
  }
  static let items = toMany(\Item.noteID)
  static let tags = manyToMany(Tag.self)
  static let json = JSONMapping<Note> {
    Field(\.id, "id")
    Field(\.localID, "local_id")
    Field(\.title, "title")
  }.matching(\.localID)
}

private struct Item: Entity, Equatable {
  var id = 0
  var noteID = 0
  var title = ""

  static let schema = Schema<Item>("items", key: \.id) {
    toOne(\.noteID, Note.self, onDelete: .cascade)
    Attribute(\.title)
  }
}

private struct Tag: Entity, Equatable {
  var id = ""

  static let schema = Schema<Tag>("tags", key: \.id) {}
}

private struct Lost: Error {}

private actor Seen {
  private(set) var texts: [String] = []

  func add(_ text: String) { texts.append(text) }
}

/// Rows that were made here and get the keys that a server gives.
@Suite(.inTurn, .stack(Note.self, Item.self, Tag.self)) struct AssignedKeyTests {
  let stack = Stack.test
  private let localID = UUID(uuidString: "01900000-0000-7000-8000-000000000001")

  private func hear(_ json: String) async throws -> ImportResult {
    try await stack.importJSON(Note.self, from: .data(Data(json.utf8)), mapping: Note.json)
  }

  /// Makes a note with an item, a link, and a reference to itself.
  private func begin() async throws -> Outbox {
    let outbox = try await stack.outbox()
    try await stack.withScratch { [localID] scratch in
      scratch.insert(Note(id: -1, localID: localID, title: "mine", parentID: -1))
      scratch.insert(Item(id: 7, noteID: -1, title: "item"))
      scratch.insert(Tag(id: "a"))
      scratch.link(-1, to: "a", in: Note.tags)
    }
    return outbox
  }

  private func edit(_ id: Int, _ title: String) async throws {
    try await stack.withScratch { scratch in
      scratch.update(try #require(try await scratch.find(Note.self, id))) { $0.title = title }
    }
  }

  /// Expects the note under its new key, and all that refers to it.
  private func expectMoved(_ title: String = "mine") async throws {
    #expect(
      try await stack.fetch(Note.all) == [
        Note(id: 812, localID: localID, title: title, parentID: 812)
      ])
    #expect(try await stack.find(Item.self, 7)?.noteID == 812)
    let note = try #require(try await stack.find(Note.self, 812))
    #expect(try await stack.fetch(Note.tags(of: note)).map(\.id) == ["a"])
    #expect(try await stack.fetch(Note.items(of: note)).map(\.id) == [7])
  }

  @Test func `the answer's key is the row's, and later requests have it`() async throws {
    let outbox = try await begin()
    let seen = Seen()
    try await outbox.push { request in
      if request.id(of: Note.self) != nil { return try request.done(as: Note.self, id: 812) }
      if let item = request.value(as: Item.self) { await seen.add("item of \(item.noteID)") }
      if let link = request.link(of: Note.tags) { await seen.add("link of \(link.root)") }
      return .done
    }
    try await expectMoved()
    #expect(await seen.texts.sorted() == ["item of 812", "link of 812"])
    #expect(try await outbox.requests().isEmpty)
    // The server's feed has nothing new.
    let feed = #"[{"id": 812, "local_id": "\#(localID?.uuidString ?? "")", "title": "mine"}]"#
    #expect(try await hear(feed).unchanged == 1)
  }

  @Test func `an edit during the request follows the key`() async throws {
    let outbox = try await begin()
    try await outbox.push { request in
      guard request.kind == .insert, request.id(of: Note.self) != nil else { return .later }
      try await edit(-1, "edited")
      return try request.done(as: Note.self, id: 812)
    }
    try await expectMoved("edited")
    let request = try #require(
      try await outbox.requests().first { $0.id(of: Note.self) != nil })
    #expect(request.kind == .update && request.id(of: Note.self) == 812)
    #expect(request.attributes == ["title"])
    #expect(request.before(as: Note.self)?.id == 812)
  }

  @Test func `a deletion during the request is sent with the key`() async throws {
    let outbox = try await stack.outbox()
    try await stack.withScratch { $0.insert(Note(id: -1)) }
    try await outbox.push { request in
      guard request.kind == .insert else { return .later }
      try await stack.withScratch { scratch in
        scratch.delete(try #require(try await scratch.find(Note.self, -1)))
      }
      return try request.done(as: Note.self, id: 812)
    }
    let requests = try await outbox.requests()
    #expect(requests.map(\.kind) == [.delete])
    #expect(requests.first?.id(of: Note.self) == 812)
  }

  @Test(arguments: [true, false])
  func `the answer imported within the closure makes no second row`(_ hasKey: Bool) async throws {
    let outbox = try await begin()
    try await outbox.push { request in
      guard request.id(of: Note.self) != nil else { return .done }
      _ = try await hear(
        #"[{"id": 812, "local_id": "\#(localID?.uuidString ?? "")", "title": "server's"}]"#)
      return hasKey ? try request.done(as: Note.self, id: 812) : .done
    }
    try await expectMoved("server's")
    #expect(try await outbox.requests().isEmpty)
  }

  @Test func `an answer without the attribute is joined by its key`() async throws {
    let outbox = try await begin()
    try await outbox.push { request in
      guard request.id(of: Note.self) != nil else { return .done }
      _ = try await hear(#"[{"id": 812, "title": "server's"}]"#)
      return try request.done(as: Note.self, id: 812)
    }
    #expect(try await stack.fetch(Note.all).map(\.id) == [812])
    #expect(try await stack.find(Item.self, 7)?.noteID == 812)
  }

  @Test(arguments: [true, false])
  func `a feed finds a row that was made here`(_ isAnswered: Bool) async throws {
    let outbox = try await begin()
    do {
      try await outbox.push { request in
        if !isAnswered && request.id(of: Note.self) != nil { throw Lost() }
        return .done
      }
    } catch is Lost {}
    let feed = #"[{"id": 812, "local_id": "\#(localID?.uuidString ?? "")", "title": "mine"}]"#
    _ = try await hear(feed)
    try await expectMoved()
    try await outbox.push { request in
      // The server has made the note.
      request.id(of: Note.self) != nil && request.kind == .insert ? .refused("again") : .done
    }
    #expect(try await outbox.refusals().isEmpty)
    #expect(try await hear(feed).unchanged == 1)
  }

  @Test func `a key that comes after the push`() async throws {
    let outbox = try await begin()
    try await outbox.push { _ in .done }
    #expect(try await outbox.changeKey(of: Note.self, from: -1, to: 812))
    try await expectMoved()
    #expect(try await !outbox.changeKey(of: Note.self, from: -1, to: 812))
    #expect(try await outbox.requests().isEmpty)
  }

  @Test func `a key that waits to be inserted here is told`() async throws {
    let outbox = try await begin()
    try await stack.withScratch { $0.insert(Note(id: 812, title: "another")) }
    let error = await #expect(throws: StoreError.self) {
      try await outbox.push { request in
        request.id(of: Note.self) == -1 ? try request.done(as: Note.self, id: 812) : .later
      }
    }
    #expect(error?.code == .uniquenessViolated)
    #expect(try await outbox.requests().contains { $0.id(of: Note.self) == 812 })
    #expect(try await !outbox.requests().contains { $0.id(of: Note.self) == -1 })
    // The advice.
    #expect(try await outbox.changeKey(of: Note.self, from: 812, to: -2))
    #expect(try await outbox.changeKey(of: Note.self, from: -1, to: 812))
    #expect(try await stack.fetch(Note.all.sorted(by: \.id)).map(\.id) == [-2, 812])
  }

  @Test func `a live query sees one change`() async throws {
    let outbox = try await begin()
    let live = await stack.viewContext.live(Note.all)
    try await live.waitUntilLoaded()
    try await outbox.push { request in
      request.id(of: Note.self) != nil ? try request.done(as: Note.self, id: 812) : .done
    }
    #expect(await live.elements.map(\.id) == [812])
  }

  // MARK: - Identities of requests

  @Test func `a request has one identity until its row is edited`() async throws {
    let outbox = try await begin()
    let first = try await outbox.requests().map(\.id)
    #expect(Set(first).count == first.count)
    await #expect(throws: Lost.self) { try await outbox.push { _ in throw Lost() } }
    #expect(try await outbox.requests().map(\.id) == first)
    try await edit(-1, "edited")
    let second = try await outbox.requests()
    #expect(Set(first).intersection(second.map(\.id)).count == first.count - 1)
    #expect(second.allSatisfy { $0.id.uuidString.split(separator: "-")[2].hasPrefix("8") })
  }
}
