import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataReplica

/// The number and the token of a push, against a server that may lose pushes.
@Suite(.inTurn) struct PushStateTests {
  private func client(_ number: Int64, _ token: UUID?) -> ServerClient {
    ServerClient(lastPush: number, token: token, verdicts: [])
  }

  @Test func `a push is confirmed by its number and its token`() {
    var state = PushState(client: UUID())
    #expect(state.outcome(client(0, nil)) == .confirmed)
    let push = state.begin(token: UUID())
    #expect(push.number == 1)
    #expect(state.outcome(client(0, nil)) == .waiting)
    #expect(state.outcome(client(1, push.token)) == .confirmed)
    state.note(.confirmed, client(1, push.token), newClient: UUID())
    #expect(state.push == nil && state.confirmed == 1)
    #expect(state.begin(token: UUID()).number == 2)
  }

  @Test func `a push of another store makes this one a new client`() {
    var state = PushState(client: UUID())
    _ = state.begin(token: UUID())
    #expect(state.outcome(client(1, UUID())) == .foreign)
    #expect(state.outcome(client(2, UUID())) == .foreign)
    let new = UUID()
    state.note(.foreign, nil, newClient: new)
    #expect(state == PushState(client: new))
    // The file was restored before the push began.
    #expect(PushState(client: UUID()).outcome(client(1, UUID())) == .foreign)
  }

  @Test func `a server that lost pushes gets the next number that it takes`() {
    var state = PushState(client: UUID())
    for number in 1...3 as ClosedRange<Int64> {
      let push = state.begin(token: UUID())
      state.note(.confirmed, client(number, push.token), newClient: UUID())
    }
    #expect(state.outcome(client(2, UUID())) == .lost)
    _ = state.begin(token: UUID())
    #expect(state.outcome(client(1, UUID())) == .lost)
    state.note(.lost, client(1, UUID()), newClient: UUID())
    #expect(state.begin(token: UUID()).number == 2)
  }

  @Test func `a server that forgot the replica counts from 1`() {
    var state = PushState(client: UUID())
    let push = state.begin(token: UUID())
    state.note(.confirmed, client(1, push.token), newClient: UUID())
    #expect(state.outcome(nil) == .unregistered)
    state.note(.unregistered, nil, newClient: UUID())
    #expect(state.begin(token: UUID()).number == 1)
  }
}
