import Foundation
import Strata
import StrataTesting
import StrataTestTurns
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

  /// Plays twice at once, and expects two plays.
  static func race() async {
    let player = Player()
    async let first: Void = player.play()
    async let second: Void = player.play()
    _ = await (first, second)
    #expect(await player.plays == 2)
  }
}

private struct Broken: Error {}

struct SimulatedTraitTests {
  @Test(.simulated(seeds: 20), .stack(Vinyl.self))
  func `each seed has a stack of its own`() async throws {
    #expect(Date.now.ISO8601Format().hasPrefix("2026-01-01"))
    #expect(try await Stack.test.fetch(Vinyl.all).isEmpty)
    try await Stack.test.withScratch { $0.insert(Vinyl(id: 1)) }
    #expect(try await Stack.test.fetch(Vinyl.all).count == 1)
  }

  @Suite(.inTurn, .stack(Vinyl.self), .simulated(seeds: 3)) struct StackOfASuite {
    @Test(.simulated(seeds: 20))
    func `a stack opens in the simulation, wherever its trait stands`() async throws {
      #expect(try await Stack.test.fetch(Vinyl.all).isEmpty)
      try await Stack.test.withScratch { $0.insert(Vinyl(id: 1)) }
    }
  }

  @Suite(.inTurn, .simulated(seeds: 100)) struct SeveralTraits {
    private static let runs = Lock(0)

    @Test(.simulated(seeds: 50), .simulated(onlySeed: 17))
    func `the last of several traits counts`() {
      let runs = Self.runs.withLock { runs in
        runs += 1
        return runs
      }
      #expect(runs == 1)
    }
  }

  @Test func `a race is found, and its seed finds it again`() async throws {
    let found = try await issues(of: .simulated(seeds: 200)) { await Player.race() }
    #expect(found.count == 1)
    let comment = try #require(found.first?.comments.last?.rawValue)
    let seed = try #require(UInt64(comment.dropFirst("seed ".count)))
    let again = try await issues(of: .simulated(onlySeed: seed)) { await Player.race() }
    #expect(again.map { $0.comments.last?.rawValue } == [comment])
  }

  @Test func `an error names its seed`() async throws {
    let found = try await issues(of: .simulated(onlySeed: 3)) { throw Broken() }
    #expect(found.map { $0.comments.last?.rawValue } == ["seed 3"])
    #expect(found.first?.error is Broken)
  }

  @Test func `a test that waits for ever is cancelled, and names its seed`() async throws {
    let found = try await issues(of: .simulated(onlySeed: 3)) {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      for await _ in stream {}
      withExtendedLifetime(continuation) {}
    }
    #expect(found.map { $0.comments.last?.rawValue } == ["seed 3"])
    #expect(found.first?.comments.first?.rawValue.hasPrefix("every task waits") == true)
  }

  @Test func `an issue that is known does not stop the seeds`() async throws {
    let runs = Lock(0)
    let found = try await issues(of: .simulated(seeds: 5)) {
      runs.withLock { $0 += 1 }
      withKnownIssue { Issue.record("known") }
    }
    #expect(found.count == 5 && found.allSatisfy { !$0.isFailure })
    #expect(runs.withLock { $0 } == 5)
  }

  @Test func `no seed at all is an issue`() async throws {
    let runs = Lock(0)
    let found = try await issues(of: .simulated(seeds: 0)) { runs.withLock { $0 += 1 } }
    #expect(found.count == 1 && runs.withLock { $0 } == 0)
  }

  @Test func `a test that is cancelled names its seed`() async throws {
    let hasBegun = Lock(false)
    let found = Task {
      try await issues(of: .simulated(onlySeed: 3)) {
        hasBegun.withLock { $0 = true }
        while !Task.isCancelled { await Task.yield() }
      }
    }
    while !hasBegun.withLock({ $0 }) { await Task.yield() }
    found.cancel()
    #expect(try await found.value.map { $0.comments.last?.rawValue } == ["seed 3"])
  }

  @Test(.simulated(seeds: 2), arguments: [1, 2])
  func `each case of a test has its seeds`(_ number: Int) {
    #expect(Date.now.ISO8601Format().hasPrefix("2026-01-01"))
  }
}
