import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The descriptions of errors are for the person before the screen, and name the file or the URL.
@Suite(.inTurn, .stack(Author.self)) struct ErrorTextTests {
  let stack = Stack.test

  private func failure(_ source: JSONSource) async -> ImportError? {
    await #expect(throws: ImportError.self) {
      try await stack.importJSON(Author.self, from: source, mapping: Author.json)
    }
  }

  private static let address = "https://user:secret@api.test:8443/authors?token=secret"
  private static let shown = "https://api.test:8443/authors"

  private func transport(_ status: Int, _ text: String = "") -> HTTPTransport {
    .answering { _ in .init(status: status, body: text) }
  }

  private func request() throws -> URLRequest {
    URLRequest(url: try #require(URL(string: Self.address)))
  }

  @Test func `statuses are told apart, with the URL and without its secrets`() async throws {
    var texts: Set<String> = []
    var remedies: Set<String> = []
    for status in [401, 403, 404, 410, 429, 500, 304, 206, 400] {
      let transport = transport(status)
      let feed = Feed("authors", Author.self, from: try request(), mapping: Author.json)
      let refreshed = await #expect(throws: ImportError.self) {
        try await Refresher(stack, transport: transport, retries: .never).refresh(feed)
      }
      let imported = await failure(.response(to: try request(), transport: transport))
      for error in [refreshed, imported] {
        let text = try #require(error?.localizedDescription)
        #expect(text.contains(Self.shown) && text.contains("(status \(status))"), "\(text)")
        #expect(!text.contains("secret") && !"\(String(describing: error))".contains("secret"))
        #expect((error?.underlying as? HTTPStatusError)?.url?.absoluteString == Self.address)
      }
      let text = try #require(refreshed?.localizedDescription)
      #expect(text == imported?.localizedDescription)
      texts.insert(text.replacing("(status \(status))", with: ""))
      remedies.insert(try #require(refreshed?.recoverySuggestion))
    }
    #expect(texts.count == 9)
    #expect(remedies.count >= 7)
  }

  @Test func `a missing file is named, and is no connection`() async throws {
    let path = "/nowhere/authors.json"
    let error = try #require(await failure(.file(URL(filePath: path))))
    #expect(error.localizedDescription == "there is no such file (\(path))")
    #expect(error.recoverySuggestion == "check the path")
    #expect("\(error)" == "source: there is no such file (\(path)); check the path")
  }

  @Test(arguments: ["nonsense", #"{"error": "x"}"#, #"[{"id": "x"}]"#])
  func `an answer that is wrong names its URL`(text: String) async throws {
    let source = JSONSource.response(to: try request(), transport: transport(200, text))
    let error = try #require(await failure(source))
    #expect(error.code != .source)
    #expect(error.localizedDescription.hasSuffix("(\(Self.shown))"))
  }

  @Test(arguments: [
    URLError.Code.notConnectedToInternet, .timedOut, .cannotFindHost, .cannotConnectToHost,
    .networkConnectionLost, .secureConnectionFailed, .badServerResponse,
  ])
  func `a failed request is told in words`(code: URLError.Code) async throws {
    let transport = HTTPTransport.answering { _ in throw URLError(code) }
    let error = try #require(await failure(.response(to: try request(), transport: transport)))
    #expect((error.underlying as? URLError)?.code == code)
    #expect(error.localizedDescription.hasSuffix("(\(Self.shown))"))
    #expect(!error.localizedDescription.contains("Domain="))
  }

  @Test func `an error of the store has no code before its words`() async throws {
    let stack = try await Stack.temporary(Author.self)
    await stack.close()
    let error = try #require(
      await #expect(throws: ImportError.self) {
        try await stack.importJSON(
          Author.self, from: .data(Data(#"[{"id": 1}]"#.utf8)), mapping: Author.json)
      })
    #expect(error.storeError?.code == .closed)
    #expect(error.localizedDescription == error.storeError?.message)
    #expect("\(error)".hasPrefix("store (closed): "))
  }
}
