import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@MainActor
@Suite(.inTurn) struct SearchModelTests {
  private func fill(_ stack: Stack) async throws {
    try await stack.withScratch { scratch in
      scratch.insert(Song(id: 1, title: "So What"))
      scratch.insert(Song(id: 2, title: "Blue in Green"))
    }
  }

  @Test(.simulated(seeds: 200), .stack(Song.self, Artist.self))
  func `the screen shows the songs of the newest text`() async throws {
    try await fill(Stack.test)
    let model = SearchModel(Stack.test)
    async let first: Void = model.search("So")
    async let second: Void = model.search("Blue")
    _ = try await (first, second)
    #expect(model.songs.allSatisfy { $0.title.contains(model.text) })
  }

  @Test func `a simulated order finds the race of a search`() async throws {
    let found = try await issues(of: .simulated(seeds: 200)) { @MainActor in
      try await withTemporaryStack(Song.self, Artist.self) { stack in
        try await fill(stack)
        let model = RacySearchModel(stack)
        async let first: Void = model.search("So")
        async let second: Void = model.search("Blue")
        _ = try await (first, second)
        #expect(model.songs.allSatisfy { $0.title.contains(model.text) })
      }
    }
    let issue = try #require(found.first)
    let isExpectation = if case .expectationFailed = issue.kind { true } else { false }
    #expect(isExpectation)
    #expect(found.count == 1)
  }

  /// The article must contain the tested code without changes.
  @Test func `the article has the code that is tested`() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let article = here.appending(
      path: "../../Sources/StrataTesting/StrataTesting.docc/FindingARace.md")
    let text = try String(contentsOf: article.standardized, encoding: .utf8)
    let models = try String(contentsOf: here.appending(path: "SearchModels.swift"), encoding: .utf8)
    for code in models.split(separator: "  func search").dropFirst() {
      let body = try #require(code.range(of: "\n}")).lowerBound
      #expect(text.contains("  func search" + code[..<body]))
    }
  }
}
