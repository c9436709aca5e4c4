import StrataTesting
import Testing

@testable import Strata

@Suite struct ChangeStreamTableTests {
  /// A save that touches two tables is told to both tables' streams. Left out of one of them is
  /// the commit between, of the other table alone; composing what was left then met changes of
  /// that other table that do not follow each other, and trapped.
  @Test func `commits of one table between commits of two do not disturb a stream`() async throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<50 {
      var history = try History()
      let publisher = ChangePublisher()
      let subscription = publisher.subscribe(to: history.items)
      for _ in 0..<(2 + random.below(100)) { publisher.publish(try history.commit(&random)) }
      publisher.finish()
      let element = await publisher.next(subscription.id, isolation: nil)
      let expected = history.changes().filter { $0.key == history.items }
      #expect(element?.byKey ?? [:] == expected)
    }
  }
}
