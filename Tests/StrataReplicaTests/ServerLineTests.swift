import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataReplica

/// The machine of the connection to a server.
@Suite(.inTurn) struct ServerLineTests {
  private enum Kind: CaseIterable { case down, up, resting, closed }
  private enum Event: CaseIterable { case connected, lost, rest, rested, close }

  private func kind(_ line: ServerLine) -> Kind {
    switch line.state {
    case .down: .down
    case .up: .up
    case .resting: .resting
    case .closed: .closed
    }
  }

  private func meet(_ event: Event, _ line: inout ServerLine, _ server: ModelServer) async throws {
    switch event {
    case .connected:
      let stack = try await Stack.temporary([Note.self])
      line.connected(try server.connect(FollowedTables(stack.replicableTables)))
      await stack.close()
    case .lost: line.lost()
    case .rest: line.rest(Task {})
    case .rested: line.rested()
    case .close: line.close()
    }
  }

  @Test func `every state meets every event`() async throws {
    let ways: [Kind: Event?] = [.down: nil, .up: .connected, .resting: .rest, .closed: .close]
    let next: [Kind: [Event: Kind]] = [
      .down: [.connected: .up, .lost: .down, .rest: .resting, .rested: .down, .close: .closed],
      .up: [.connected: .up, .lost: .down, .rest: .up, .rested: .up, .close: .closed],
      .resting: [
        .connected: .up, .lost: .resting, .rest: .resting, .rested: .down, .close: .closed,
      ],
      // A closed replica does not open again.
      .closed: [
        .connected: .closed, .lost: .closed, .rest: .closed, .rested: .closed, .close: .closed,
      ],
    ]
    let server = ModelServer(seed: 1)
    for (first, way) in ways {
      for event in Event.allCases {
        var line = ServerLine()
        if let way { try await meet(way, &line, server) }
        #expect(kind(line) == first)
        try await meet(event, &line, server)
        #expect(kind(line) == next[first]?[event], "\(first) and \(event)")
      }
    }
  }

  @Test func `a new connection has made no pull`() async throws {
    let server = ModelServer(seed: 1)
    var line = ServerLine()
    try await meet(.connected, &line, server)
    line.pulled(nil)
    #expect(line.known != nil)
    line.lost()
    try await meet(.connected, &line, server)
    #expect(line.known == nil)
  }
}
