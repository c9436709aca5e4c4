import Strata
import StrataTestTurns
import Testing

@testable import StrataReplica

/// The machine of the edits that wait: every state meets every event.
@Suite(.inTurn) struct EditLookupsTests {
  private enum Event: CaseIterable {
    case commit, begin, look, settle, fail, pass, rested
    case waiting, lost, foreign, unregistered, confirmed, noted, need
  }

  private static let error = ReplicaError(.refused, "no", advice: "")

  private func lookups(in state: EditLookups.State) -> EditLookups {
    var lookups = EditLookups(seed: 1)
    switch state {
    case .due: break
    case .idle: lookups.begin()
    case .resting: _ = lookups.fail(nil)
    }
    return lookups
  }

  private func meet(_ event: Event, _ lookups: inout EditLookups) {
    func pulled(_ outcome: PushState.Outcome, isNoted: Bool = false) {
      _ = lookups.pulled(outcome, isNoted: isNoted)
    }
    switch event {
    case .commit: lookups.noteCommit()
    case .begin: lookups.begin()
    case .look: lookups.look()
    case .settle: lookups.settle()
    case .fail: _ = lookups.fail(Self.error)
    case .pass: _ = lookups.fail(nil)
    case .rested: lookups.rested()
    case .waiting: pulled(.waiting)
    case .lost: pulled(.lost)
    case .foreign: pulled(.foreign)
    case .unregistered: pulled(.unregistered)
    case .confirmed: pulled(.confirmed)
    case .noted: pulled(.confirmed, isNoted: true)
    case .need: lookups.need(lookups.ticket)
    }
  }

  @Test func `every state meets every event`() {
    let next: [EditLookups.State: [Event: EditLookups.State]] = [
      .idle: [
        .commit: .due, .begin: .idle, .look: .idle, .settle: .idle, .fail: .resting,
        .pass: .resting,
        .rested: .idle, .waiting: .due, .lost: .due, .foreign: .due, .unregistered: .due,
        .confirmed: .idle, .noted: .due, .need: .due,
      ],
      .due: [
        .commit: .due, .begin: .idle, .look: .due, .settle: .due, .fail: .resting, .pass: .resting,
        .rested: .due, .waiting: .due, .lost: .due, .foreign: .due, .unregistered: .due,
        .confirmed: .due, .noted: .due, .need: .due,
      ],
      // A push that waits for its confirmation does not end the rest; its outcome does.
      .resting: [
        .commit: .due, .begin: .idle, .look: .resting, .settle: .resting, .fail: .resting,
        .pass: .resting,
        .rested: .due, .waiting: .resting, .lost: .due, .foreign: .due, .unregistered: .due,
        .confirmed: .resting, .noted: .due, .need: .due,
      ],
    ]
    for (state, events) in next {
      for event in Event.allCases {
        var lookups = lookups(in: state)
        meet(event, &lookups)
        #expect(lookups.state == events[event], "\(state) and \(event)")
      }
    }
  }

  @Test func `edits are settled once the server has the look that began after them`() {
    var lookups = EditLookups(seed: 1)
    lookups.begin()
    lookups.look()
    lookups.noteCommit()
    let ticket = lookups.ticket
    // The look that is under way may have missed the edit.
    lookups.settle()
    #expect(!lookups.hasSettled(ticket))
    lookups.begin()
    lookups.look()
    lookups.pushed(.nothing)
    #expect(!lookups.hasSettled(ticket))
    let wait = lookups.pulled(.confirmed, isNoted: true)
    #expect(wait == nil && lookups.hasSettled(ticket))
  }

  @Test func `a push that left edits behind settles nothing`() {
    for left in [PushRemainder.more, .locked] {
      var lookups = EditLookups(seed: 1)
      let ticket = lookups.ticket
      lookups.begin()
      lookups.look()
      lookups.pushed(left)
      let wait = lookups.pulled(.confirmed, isNoted: true)
      #expect(!lookups.hasSettled(ticket))
      // A full push is followed at once. The rows of other transactions are worth a wait.
      #expect(left == .locked ? wait != nil : wait == nil)
      #expect(lookups.state == (left == .locked ? .resting : .due))
    }
  }

  // The stress run found edits that were not on the server after `settled()`: the attempt had found that
  // the server had made the push before it.
  @Test func `an attempt without a look settles nothing`() {
    var lookups = EditLookups(seed: 1)
    lookups.begin()
    lookups.look()
    lookups.pushed(.nothing)
    lookups.noteCommit()
    let ticket = lookups.ticket
    lookups.begin()
    _ = lookups.pulled(.confirmed, isNoted: true)
    #expect(!lookups.hasSettled(ticket) && lookups.isDue)
  }

  @Test func `a failure counts for the attempts after a ticket`() {
    var lookups = EditLookups(seed: 1)
    lookups.begin()
    let ticket = lookups.ticket
    _ = lookups.fail(Self.error)
    #expect(lookups.failure(of: ticket) == nil)
    lookups.begin()
    _ = lookups.fail(Self.error)
    #expect(lookups.failure(of: ticket) != nil)
  }

  @Test func `waits grow until a push succeeds, and a new attempt forgets the failure`() {
    var lookups = EditLookups(seed: 1)
    let waits = (0..<4).map { _ in lookups.fail(Self.error) }
    #expect(waits == waits.sorted() && waits[3] > waits[0])
    #expect(lookups.failure?.message == "no")
    lookups.begin()
    #expect(lookups.failure == nil)
    lookups.settle()
    let first = lookups.fail(nil)
    #expect(first <= .milliseconds(100))
    #expect(lookups.failure == nil)
  }
}
