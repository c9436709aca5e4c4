import StrataTesting
import Testing

@testable import Strata

@Suite struct FormerNamesTests {
  /// `title<name` is a name with a former one; a stored one with what was remembered.
  private func match(_ wanted: [String], _ stored: [String]) -> [String?] {
    func split(_ text: String) -> (String, [String]) {
      let parts = text.split(separator: "<").map(String.init)
      return (parts[0], Array(parts.dropFirst()))
    }
    let names = stored.map { split($0) }
    return FormerNames.match(
      wanted.map { .init(name: split($0).0, former: split($0).1) },
      names.map { .init(name: $0.0, former: $0.1) }
    ).map { $0.map { names[$0].0 } }
  }

  @Test(
    arguments: [
      (["a", "b"], ["b", "a"], ["a", "b"]),
      (["a", "new"], ["a"], ["a", nil]),
      (["title<name"], ["name"], ["name"]),
      (["TITLE"], ["title"], ["title"]),
      (["title<headline<name"], ["name"], ["name"]),
      (["title<headline<name"], ["headline"], ["headline"]),
      // Swapped, in a ring, in a chain.
      (["a<b", "b<a"], ["a", "b"], ["b", "a"]),
      (["a<b", "b<c", "c<a"], ["a", "b", "c"], ["b", "c", "a"]),
      (["a<b", "c<a"], ["a", "b"], ["b", "a"]),
      (["b<a", "a"], ["a"], ["a", nil]),
      // Used before: remembered.
      (["a<b", "b<a"], ["a<b", "b<a"], ["a", "b"]),
      (["title<name", "name"], ["title<name", "name"], ["title", "name"]),
      (["title<name", "name"], ["title<name"], ["title", nil]),
      // Declared late, for other stores: the attribute of the name has its own values.
      (["title<name", "name"], ["title", "name"], ["title", "name"]),
      (["title<name"], ["title", "name"], ["title"]),
      // Itself is no former name.
      (["a<a"], ["a"], ["a"]),
    ] as [([String], [String], [String?])])
  func `a name means itself unless a former name takes over`(
    wanted: [String], stored: [String], result: [String?]
  ) {
    #expect(match(wanted, stored) == result)
  }

  @Test func `no stored name is given to two, and a second look changes nothing`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<3000 {
      let names = (0..<6).map { "n\($0)" }
      let stored = names.filter { _ in random.oneIn(2) }
      var left = names.shuffled(using: &random)
      let wanted = names.filter { _ in random.oneIn(2) }.map { name in
        // Every former name is declared once.
        random.oneIn(2) ? "\(name)<\(left.removeLast())" : name
      }
      let result = match(wanted, stored)
      let given = result.compactMap { $0 }
      #expect(Set(given).count == given.count, "\(wanted) \(stored)")
      // What is stored now has the wanted names and remembers their declarations.
      #expect(
        match(wanted, wanted) == wanted.map { $0.split(separator: "<").first.map(String.init) },
        "\(wanted)")
    }
  }
}
