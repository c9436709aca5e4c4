import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataReplica

/// When a replica sleeps, against a model of a server that tells of commits only while asked.
@Suite(.inTurn) struct WakeUpTests {
  @Test func `a replica asks first, looks again, and sleeps if nobody writes`() {
    var wakeUp = WakeUp()
    #expect(wakeUp.pulled(found: true, othersWrite: false) == .nothing)
    #expect(wakeUp.pulled(found: false, othersWrite: false) == .arm)
    #expect(wakeUp.pulled(found: false, othersWrite: false) == .sleep(.seconds(1)))
    #expect(wakeUp.pulled(found: true, othersWrite: false) == .disarm)
    #expect(wakeUp.state == .awake)
  }

  @Test func `while others write, it looks again after longer and longer waits`() {
    var wakeUp = WakeUp()
    _ = wakeUp.pulled(found: false, othersWrite: true)
    let waits = (0..<5).map { _ in wakeUp.pulled(found: false, othersWrite: true) }
    #expect(waits == [5, 20, 250, 250, 250].map { .wait(.milliseconds($0)) })
    #expect(wakeUp.pulled(found: true, othersWrite: true) == .disarm)
  }

  /// A server with transactions that decide in the middle of their work whether they tell anybody.
  private struct Server {
    /// The transactions that run, and whether each will tell of its commit.
    var running: [Bool?] = []
    var commits = 0
    var isArmed = false
    var told = 0

    mutating func step(_ random: inout SeededRandom) {
      switch random.below(3) {
      case 0: running.append(nil)
      case 1:
        guard let index = running.indices.randomElement(using: &random), running[index] == nil
        else {
          return
        }
        // The trigger looks whether a replica has asked.
        running[index] = isArmed
      default:
        guard let index = running.indices.randomElement(using: &random), let tells = running[index]
        else { return }
        running.remove(at: index)
        commits += 1
        told += tells ? 1 : 0
      }
    }
  }

  @Test func `no commit is slept over, whenever its trigger looked`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<2_000 {
      var (server, wakeUp, seen) = (Server(), WakeUp(), 0)
      var (told, wasAsleep) = (0, false)
      for _ in 0..<60 {
        for _ in 0..<random.below(3) { server.step(&random) }
        let othersWrite = server.running.contains { $0 != nil }
        for _ in 0..<random.below(3) { server.step(&random) }
        let found = server.commits > seen
        seen = server.commits
        for _ in 0..<random.below(3) { server.step(&random) }
        let isUnknown = wasAsleep
        wasAsleep = false
        switch wakeUp.pulled(found: found, othersWrite: isUnknown ? nil : othersWrite) {
        case .nothing, .wait: break
        case .arm: (server.isArmed, told) = (true, server.told)
        case .disarm: server.isArmed = false
        case .sleep:
          for _ in 0..<random.below(9) where server.told == told { server.step(&random) }
          // Whoever was not told may sleep on; nothing that it lacks may have been committed.
          if server.told == told { #expect(server.commits == seen) }
          told = server.told
          wasAsleep = true
        }
      }
    }
  }

  @Test func `waits between attempts grow, and stay between half and all of their length`() {
    var backoff = Backoff(seed: 7)
    let waits = (0..<20).map { _ in backoff.next() }
    for (attempt, wait) in waits.enumerated() {
      let full = min(Duration.seconds(30), .milliseconds(100) * (1 << attempt))
      #expect(wait >= full / 2 && wait <= full)
    }
    backoff.reset()
    #expect(backoff.next() <= .milliseconds(100))
  }
}
