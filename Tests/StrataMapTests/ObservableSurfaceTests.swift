import Observation
import Strata
import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

@MainActor @Suite(.inTurn) struct ObservableSurfaceTests {
  private let surface = ObservableSurface()

  @Test func `the list has the annotations of a map after any operations`() {
    var random = SeededRandom.printingSeed()
    var queue = AnnotationQueue()
    for _ in 0..<3_000 {
      let number = random.below(30)
      let wanted = random.oneIn(3) ? nil : pin(number, at: Double(random.below(5)))
      _ = queue.desire(key(number), wanted)
      if random.oneIn(2), let operation = queue.next() { surface.apply(operation) }
      let list = surface.annotations
      #expect(list.count == queue.shown.count, "seed \(random.seed)")
      #expect(
        list.allSatisfy { queue.shown[$0.id] == $0 } && Set(list.map(\.id)).count == list.count,
        "seed \(random.seed)")
    }
  }

  @Test func `an observer of the list is told of a change`() {
    var calls = 0
    func track() {
      withObservationTracking {
        _ = surface.annotations
      } onChange: {
        MainActor.assumeIsolated { calls += 1 }
      }
    }
    track()
    surface.apply(.add(pin(1)))
    surface.apply(.add(pin(2)))
    #expect(calls == 1)
    track()
    surface.apply(.move(key(1), to: Coordinate(latitude: 5, longitude: 5)))
    #expect(calls == 2)
  }
}
