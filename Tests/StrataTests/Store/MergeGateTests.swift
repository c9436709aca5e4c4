import StrataTestTurns
import Testing

@testable import Strata

/// One merge turn at a time: every state meets every event.
@Suite(.inTurn) struct MergeGateTests {
  private static func gate(opens: Bool = true) -> MergeGate {
    let gate = MergeGate()
    if opens { gate.open() }
    return gate
  }

  @Test func `a gate lets one taker through at a time`() {
    let gate = Self.gate()
    #expect(gate.isOpen)
    var isTaken = gate.take(for: .writer) {}
    #expect(isTaken && !gate.isOpen)
    isTaken = gate.take(for: .maintainer) {}
    #expect(!isTaken)
    gate.open()
    #expect(gate.isOpen)
    isTaken = gate.take(for: .maintainer) {}
    #expect(isTaken)
  }

  @Test func `a gate is taken until the view context begins`() {
    let gate = Self.gate(opens: false)
    let isTaken = gate.take(for: .writer) {}
    #expect(!gate.isOpen && !isTaken)
  }

  @Test func `takers of a taken gate are called once when it opens, the writer first`() {
    let gate = Self.gate(opens: false)
    let calls = Lock<[String]>([])
    for _ in 0..<2 {
      _ = gate.take(for: .maintainer) { calls.withLock { $0.append("maintainer") } }
      _ = gate.take(for: .writer) { calls.withLock { $0.append("writer") } }
    }
    gate.open()
    #expect(calls.withLock(\.self) == ["writer", "maintainer"])
    _ = gate.take(for: .writer) { calls.withLock { $0.append("taken at once") } }
    gate.open()
    #expect(calls.withLock(\.self) == ["writer", "maintainer"])
  }

  @Test func `a taker that is called may take the gate`() {
    let gate = Self.gate(opens: false)
    let turns = Lock<[String]>([])
    _ = gate.take(for: .writer) {
      if gate.take(for: .writer, orCall: {}) { turns.withLock { $0.append("writer") } }
    }
    _ = gate.take(for: .maintainer) {
      if !gate.take(for: .maintainer, orCall: { turns.withLock { $0.append("later") } }) {
        turns.withLock { $0.append("maintainer waits") }
      }
    }
    gate.open()
    #expect(turns.withLock(\.self) == ["writer", "maintainer waits"])
    gate.open()
    #expect(turns.withLock(\.self) == ["writer", "maintainer waits", "later"])
  }

  @Test func `a closed gate stays closed`() {
    let gate = Self.gate()
    gate.close()
    gate.open()
    let isTaken = gate.take(for: .writer) { Issue.record("a closed gate opened") }
    #expect(!gate.isOpen && !isTaken)
    gate.open()
  }
}
