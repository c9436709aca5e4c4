import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tests that a server gets the query parameters of a page as they are given.
@Suite(.inTurn) struct PageQueryTests {
  private func address(_ url: String, with parameters: [String: String]) throws -> String {
    let url = try #require(URL(string: url))
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
    let page = FeedPage(request: URLRequest(url: url), response: response, number: 1, records: 0)
    return try #require(page.request(with: parameters).url?.absoluteString)
  }

  /// Reads a query as a server reads a form: `+` is a space.
  private func form(_ address: String) -> [String: String] {
    let query = address.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    var form: [String: String] = [:]
    for item in query.split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        $0.replacing("+", with: " ").removingPercentEncoding ?? "?"
      }
      form[parts[0]] = parts.count > 1 ? parts[1] : ""
    }
    return form
  }

  @Test func `any value arrives as it is given`() throws {
    var random = SeededRandom.printingSeed()
    let alphabet = Array("aZ09+/=&?#%;, \"'<>[]{}|\\^`~-._!$()*:@é漢😀\u{0}\n")
    for _ in 0..<2_000 {
      func text(_ range: ClosedRange<Int>) -> String {
        String(
          (0..<Int.random(in: range, using: &random)).map { _ in
            alphabet.randomElement(using: &random) ?? "a"
          })
      }
      let parameters = [text(1...4): text(0...8), "cursor": text(0...12)]
      let address = try address("https://api.test/songs?since=1", with: parameters)
      var expected = ["since": "1"]
      expected.merge(parameters) { $1 }
      #expect(form(address) == expected, "seed \(random.seed): \(address)")
    }
  }

  @Test(arguments: [
    "since=2024-01-01T00:00:00%2B02:00", "q=caf%E9", "q=a+b", "q=a%20b", "flag", "empty=",
    "a=1&a=2",
    "a=1&&b=2", "filter%5Bid%5D=1", "q=%25ZZ", "x=1;y=2", "q='a'",
  ])
  func `the other parameters stay byte for byte`(query: String) throws {
    let address = try address(
      "https://api.test/songs?\(query)&page=1#top", with: ["page": "2", "cursor": "c+/="])
    #expect(address == "https://api.test/songs?\(query)&cursor=c%2B%2F%3D&page=2#top")
  }

  @Test func `a parameter is replaced however its name is written`() throws {
    for name in ["page[number]", "page%5Bnumber%5D", "page%5bnumber%5d"] {
      let address = try address(
        "https://api.test/?\(name)=1&x=1&\(name)=7", with: ["page[number]": "2"])
      #expect(address == "https://api.test/?x=1&page%5Bnumber%5D=2")
    }
    #expect(
      try address("https://api.test/?a+b=1", with: ["a b": "2"]) == "https://api.test/?a%20b=2")
  }

  @Test func `a URL stays as it is if the query has no parameters`() throws {
    for url in ["https://api.test/songs", "https://api.test/songs?a=%2B"] {
      #expect(try address(url, with: [:]) == url)
    }
  }
}
