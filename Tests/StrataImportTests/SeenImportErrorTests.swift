import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct Player: Entity {
  var id = UUID()
  var name = ""
  static let schema = Schema<Player>("players", key: \.id) { Attribute(\.name) }
}

/// The errors of an import, and the error that provokes each of them.
@Suite(.inTurn, .stack(Author.self, Book.self, Player.self)) struct SeenImportErrorTests {
  private typealias Provoke = @Sendable (Stack) async throws -> Void

  private static let provocations: [(situation: String, provoke: Provoke)] = [
    ("the server asks for a sign-in", { try await answer(401, "", $0) }),
    ("the user may not read the feed", { try await answer(403, "", $0) }),
    ("the address is wrong", { try await answer(404, "", $0) }),
    ("the server is busy", { try await answer(503, "", $0) }),
    ("the device is offline", { try await fail(.notConnectedToInternet, $0) }),
    ("the server is away", { try await fail(.cannotConnectToHost, $0) }),
    ("the answer is a web page", { try await answer(200, "\n<!DOCTYPE html><html>", $0) }),
    ("the answer is cut", { try await answer(200, #"[{"id": 1, "na"#, $0) }),
    ("the records are elsewhere", { try await answer(200, #"{"items": []}"#, $0) }),
    ("a value does not fit", { try await answer(200, #"[{"id": 1, "name": 5}]"#, $0) }),
    ("a record has no key", { try await answer(200, #"[{"name": "Alice"}]"#, $0) }),
    (
      "a key has another type",
      { stack in
        try await stack.importJSON(Player.self, from: .data(Data(#"[{"id": 17}]"#.utf8)))
      }
    ),
    (
      "a record breaks a rule",
      { stack in
        try await stack.withScratch { $0.insert(Author(id: 1)) }
        let text = #"[{"id": 1, "title": "cursed", "shelf": 1, "author": 1}]"#
        try await stack.importJSON(Book.self, from: .data(Data(text.utf8)), mapping: Book.json)
      }
    ),
    (
      "there is no file",
      { stack in
        let file = URL(filePath: "/app/authors.json")
        try await stack.importJSON(Author.self, from: .file(file), mapping: Author.json)
      }
    ),
    (
      "two fields take one attribute",
      { stack in
        let twice = JSONMapping<Author> {
          Field(\.id, "id")
          Field(\.name, "name")
          Field(\.name, "title")
        }
        try await stack.importJSON(Author.self, from: .data(Data("[]".utf8)), mapping: twice)
      }
    ),
  ]

  private static func request() throws -> URLRequest {
    URLRequest(url: try #require(URL(string: "https://api.test/authors?token=secret")))
  }

  private static func answer(_ status: Int, _ text: String, _ stack: Stack) async throws {
    try await load(.answering { _ in .init(status: status, body: text) }, stack)
  }

  private static func fail(_ code: URLError.Code, _ stack: Stack) async throws {
    try await load(.answering { _ in throw URLError(code) }, stack)
  }

  private static func load(_ transport: HTTPTransport, _ stack: Stack) async throws {
    try await stack.importJSON(
      Author.self, from: .response(to: try request(), transport: transport), mapping: Author.json)
  }

  private let stack = Stack.test
  private let seen: SeenErrors

  init() throws { seen = try SeenErrors(under: "Importing") }

  @Test(arguments: provocations.indices)
  func `an import that fails is told as the article says`(_ index: Int) async {
    let (situation, provoke) = Self.provocations[index]
    await seen.check(situation) { try await provoke(stack) }
  }

  @Test func `the article has the errors of an import that are provoked`() {
    seen.check(provoked: Self.provocations.map(\.situation))
  }
}
