import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Card: Entity, Equatable {
  var id = 0
  var name = ""
  var text = ""
  var number: Int?

  static let schema = Schema<Card>("cards", key: \.id) {
    Attribute(\.name)
    Attribute(\.text)
    Attribute(\.number)
  }
  static let json = JSONMapping<Card> {
    Field(\.id, "id")
    Field(\.name, "name")
    Field(\.text, "text")
    Field(\.number, "number")
  }
}

/// A user typed a text, and a feed without texts came. The import took the text for the server's, and the text was
/// never sent.
@Suite(.inTurn, .stack(Card.self)) @MainActor struct PartialRecordTests {
  private struct Lost: Error {}
  private let stack = Stack.test

  /// The state of the row when the record comes.
  enum Before: CaseIterable {
    case neverSent
    /// The answer to the insertion was lost.
    case lost
    /// The row was edited after its lost insertion.
    case editedSinceLost
    /// A known row was edited, and the server has deleted it.
    case gone
  }

  private func pull(_ records: String, absent: AbsentRows = .keep) async throws {
    try await stack.importJSON(
      Card.self, from: .data(Data("[\(records)]".utf8)), mapping: Card.json, absent: absent)
  }

  private func edit(_ change: @escaping @Sendable (inout Card) -> Void) async throws {
    let row = try #require(try await stack.find(Card.self, 1))
    try await stack.withScratch { $0.update(row, change) }
  }

  /// Brings the row into a state in which the text is *mine*, and this store alone knows it.
  private func prepare(_ before: Before, _ outbox: Outbox) async throws {
    let text = before == .editedSinceLost ? "old" : "mine"
    switch before {
    case .neverSent, .lost, .editedSinceLost:
      try await stack.withScratch { $0.insert(Card(id: 1, name: "mine", text: text)) }
    case .gone:
      try await pull(#"{"id":1,"name":"old","text":"old","number":1}"#)
      try await edit { $0.text = "mine" }
      try await pull("", absent: .delete)
    }
    if before == .neverSent || before == .gone { return }
    await #expect(throws: Lost.self) { try await outbox.push { _ in throw Lost() } }
    if before == .editedSinceLost { try await edit { $0.text = "mine" } }
  }

  @Test(arguments: Before.allCases) func `a record without a text leaves the edit of the text`(
    before: Before
  ) async throws {
    let outbox = try await stack.outbox()
    try await prepare(before, outbox)
    try await pull(#"{"id":1,"name":"theirs"}"#)
    let row = try #require(try await stack.find(Card.self, 1))
    #expect(row.text == "mine")
    // A lost insertion that arrived has brought the text, and no later record says otherwise.
    let isSent = before == .lost
    let requests = try await outbox.requests()
    #expect(requests.map(\.kind) == [.update] || isSent)
    #expect(requests.contains { $0.attributes.contains("text") } != isSent)
    // The server has the text once it tells so.
    try await pull(#"{"id":1,"name":"\#(row.name)","text":"mine"}"#)
    #expect(try await outbox.requests().isEmpty)
  }

  /// The server may give a number to a row that came without one.
  @Test func `a value that an insertion left out is no edit`() async throws {
    let outbox = try await stack.outbox()
    try await prepare(.neverSent, outbox)
    try await pull(#"{"id":1,"name":"mine"}"#)
    #expect(try await outbox.requests().map { $0.attributes.sorted() } == [["text"]])
    try await pull(#"{"id":1,"name":"mine","text":"mine","number":7}"#)
    #expect(try await stack.find(Card.self, 1)?.number == 7)
    #expect(try await outbox.requests().isEmpty)
  }
}
