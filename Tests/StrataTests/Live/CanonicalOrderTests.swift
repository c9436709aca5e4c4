import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Person: Entity {
  var id = 0
  var name = ""

  static let schema = Schema<Person>("people", key: \.id) { Attribute(\.name) }
}

/// Texts with combining marks, which Swift's `<` does not order.
@Suite(.inTurn, .stack(Person.self)) struct CanonicalOrderTests {
  let stack = Stack.test
  private static let parts = ["e", "\u{e9}", "e\u{301}", "a", "\u{301}", "\u{323}", "z"]

  private func text(_ random: inout SeededRandom) -> String {
    (0..<1 + random.below(4)).map { _ in Self.parts[random.below(Self.parts.count)] }.joined()
  }

  @Test func `any three texts are in one order, and equal texts are equal`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<20_000 {
      let texts = (0..<3).map { _ in text(&random) }
      func order(_ i: Int, _ j: Int) -> Int {
        Cell.text(texts[i]).canonicalOrder(to: .text(texts[j])).signum()
      }
      #expect((order(0, 1) == 0) == (texts[0] == texts[1]), "\(texts)")
      #expect(order(0, 1) == -order(1, 0), "\(texts)")
      if order(0, 1) <= 0 && order(1, 2) <= 0 { #expect(order(0, 2) <= 0, "\(texts)") }
    }
  }

  @MainActor @Test func `sections and groups of such texts are the same, live and fetched`()
    async throws
  {
    var random = SeededRandom.printingSeed()
    for _ in 0..<20 {
      var names: [String] = []
      for _ in 0..<12 { names.append(text(&random)) }
      try await stack.withScratch { scratch in
        for (id, name) in names.enumerated() { scratch.upsert(Person(id: id, name: name)) }
      }
      let live = stack.viewContext.live(Person.all, sectionedBy: \.name)
      try await live.waitUntilLoaded()
      #expect(live.sections.map(\.name) == Array(Set(names)).sorted(by: before))
      let groups = try await stack.fetch(.count, of: Person.all.grouped(by: \.name))
      #expect(Set(groups.map(\.0)) == Set(names) && groups.count == Set(names).count)
    }
  }

  private func before(_ a: String, _ b: String) -> Bool {
    Cell.text(a).canonicalOrder(to: .text(b)) < 0
  }
}
