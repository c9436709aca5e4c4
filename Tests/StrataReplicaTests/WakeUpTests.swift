import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataReplica

/// When a replica sleeps, against a model of a server that tells of commits only while asked.
@Suite(.inTurn) struct WakeUpTests {
  @Test func `a replica asks first, looks again, and sleeps if nobody writes`() {
    var wakeUp = WakeUp()
    let actions = [true, false, false, true].map { wakeUp.pulled(found: $0, othersWrite: false) }
    #expect(actions == [.nothing, .arm, .sleep(.seconds(1)), .disarm])
    #expect(wakeUp.state == .awake)
  }

  @Test func `the waits of a replica grow while other transactions write`() {
    var wakeUp = WakeUp()
    _ = wakeUp.pulled(found: false, othersWrite: true)
    let waits = (0..<5).map { _ in wakeUp.pulled(found: false, othersWrite: true) }
    #expect(waits == [5, 20, 250, 250, 250].map { .wait(.milliseconds($0)) })
    let last = wakeUp.pulled(found: true, othersWrite: true)
    #expect(last == .disarm)
  }

  private enum Event: CaseIterable { case found, nothing, others, pushed, slept }

  @Test func `every state meets every event`() {
    func wakeUp(_ state: WakeUp.State) -> WakeUp {
      var wakeUp = WakeUp()
      if state != .awake { _ = wakeUp.pulled(found: false, othersWrite: false) }
      if state == .asleep { wakeUp.slept() }
      return wakeUp
    }
    let first = WakeUp.State.armed(pulls: 0)
    let expected: [(WakeUp.State, Event, WakeUp.State, WakeUp.Action?)] = [
      (.awake, .found, .awake, .nothing), (.awake, .nothing, first, .arm),
      (.awake, .others, first, .arm), (.awake, .pushed, .awake, nil),
      (.awake, .slept, .awake, nil), (first, .found, .awake, .disarm),
      (first, .nothing, first, .sleep(.seconds(1))),
      (first, .others, .armed(pulls: 1), .wait(.milliseconds(5))), (first, .pushed, .awake, nil),
      (first, .slept, .asleep, nil), (.asleep, .found, .awake, .disarm),
      (.asleep, .nothing, first, .nothing), (.asleep, .others, first, .nothing),
      (.asleep, .pushed, .awake, nil), (.asleep, .slept, .asleep, nil),
    ]
    for (state, event, next, action) in expected {
      var (wakeUp, found) = (wakeUp(state), WakeUp.Action?.none)
      switch event {
      case .found: found = wakeUp.pulled(found: true, othersWrite: false)
      case .nothing: found = wakeUp.pulled(found: false, othersWrite: false)
      case .others: found = wakeUp.pulled(found: false, othersWrite: true)
      case .pushed: wakeUp.pushed()
      case .slept: wakeUp.slept()
      }
      #expect(found == action, "\(state) and \(event)")
      #expect(wakeUp.state == next, "\(state) and \(event)")
    }
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
      var told = 0
      for _ in 0..<60 {
        for _ in 0..<random.below(3) { server.step(&random) }
        let asks = wakeUp.asksForOthers
        let othersWrite = server.running.contains { $0 != nil }
        for _ in 0..<random.below(3) { server.step(&random) }
        let found = server.commits > seen
        seen = server.commits
        for _ in 0..<random.below(3) { server.step(&random) }
        switch wakeUp.pulled(found: found, othersWrite: asks && othersWrite) {
        case .nothing, .wait: break
        case .arm: (server.isArmed, told) = (true, server.told)
        case .disarm: server.isArmed = false
        case .sleep:
          for _ in 0..<random.below(9) where server.told == told { server.step(&random) }
          // A replica that was not told may sleep on; no commit may be one that it lacks.
          if server.told == told { #expect(server.commits == seen) }
          told = server.told
          wakeUp.slept()
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
    let first = backoff.next()
    #expect(first <= .milliseconds(100))
  }
}
