import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct ChangeStreamTableTests {
  /// A save that touches two tables is delivered to both tables' streams. A commit of the other
  /// table alone is left out of a stream. When the rest is composed, the changes of the other table
  /// do not follow each other. Composing must not trap then.
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
