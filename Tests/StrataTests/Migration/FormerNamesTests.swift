import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct FormerNamesTests {
  /// Matches names that are written in a short form.
  ///
  /// `title<name` is a wanted name with a declared former name, or a stored name with a remembered
  /// declaration.
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
      // Names that are swapped, in a ring or in a chain.
      (["a<b", "b<a"], ["a", "b"], ["b", "a"]),
      (["a<b", "b<c", "c<a"], ["a", "b", "c"], ["b", "c", "a"]),
      (["a<b", "c<a"], ["a", "b"], ["b", "a"]),
      (["b<a", "a"], ["a"], ["a", nil]),
      // Declarations that the store has used and remembers.
      (["a<b", "b<a"], ["a<b", "b<a"], ["a", "b"]),
      (["title<name", "name"], ["title<name", "name"], ["title", "name"]),
      (["title<name", "name"], ["title<name"], ["title", nil]),
      // Declarations that were made late, for other stores. The attribute of the name keeps its
      // values.
      (["title<name", "name"], ["title", "name"], ["title", "name"]),
      (["title<name"], ["title", "name"], ["title"]),
      // A name is no former name of itself.
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
      // After the migration, the store has the wanted names and remembers their declarations.
      #expect(
        match(wanted, wanted) == wanted.map { $0.split(separator: "<").first.map(String.init) },
        "\(wanted)")
    }
  }
}
