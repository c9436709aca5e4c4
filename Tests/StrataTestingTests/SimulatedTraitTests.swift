import Strata
import StrataTesting
import Testing

private struct Vinyl: Entity, Equatable {
  var id = 0
  var plays = 0

  static let schema = Schema<Vinyl>("records", key: \.id) { Attribute(\.plays) }
}

/// A player with a race: it reads the number of plays, waits, and writes the number plus one.
private actor Player {
  private(set) var plays = 0

  func play() async {
    let before = plays
    await Task.yield()
    plays = before + 1
  }
}

struct SimulatedTraitTests {
  @Test(.simulated(seeds: 20), .stack(Vinyl.self))
  func `each seed has a stack of its own`() async throws {
    #expect(try await Stack.test.fetch(Vinyl.all).isEmpty)
    try await Stack.test.withScratch { $0.insert(Vinyl(id: 1)) }
    #expect(try await Stack.test.fetch(Vinyl.all).count == 1)
  }

  @Test(.simulated(seeds: 200))
  func `a race is found, and its seed is named`() async {
    await withKnownIssue {
      let player = Player()
      async let first: Void = player.play()
      async let second: Void = player.play()
      _ = await (first, second)
      #expect(await player.plays == 2)
    }
  }
}
