import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataReplica

/// The machine of the work that callers ask of the next steps.
@Suite(.inTurn) struct DemandsTests {
  private enum Event: CaseIterable { case resync, beganCopy, endedCopy }

  @Test func `a comparison of all rows: every state meets every event`() {
    let next: [Demands.Copy: [Event: Demands.Copy]] = [
      .none: [.resync: .asked, .beganCopy: .none, .endedCopy: .none],
      // A copy that was under way does not count: its first pages are older than the call.
      .asked: [.resync: .asked, .beganCopy: .running, .endedCopy: .asked],
      .running: [.resync: .asked, .beganCopy: .running, .endedCopy: .none],
    ]
    for (state, events) in next {
      for event in Event.allCases {
        var demands = Demands()
        if state != .none { demands.resync() }
        if state == .running { demands.beganCopy() }
        switch event {
        case .resync: demands.resync()
        case .beganCopy: demands.beganCopy()
        case .endedCopy: demands.endedCopy()
        }
        #expect(demands.copy == events[event], "\(state) and \(event)")
      }
    }
  }

  @Test func `a row that is reverted during a pull is read by the next`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let table = try #require(stack.replicableTable(of: Note.self))
    let keys = [1, 2].map { RecordKey(.integer($0)) }
    var demands = Demands()
    demands.revert(keys[0], of: table)
    let order = demands.beginPull()
    demands.revert(keys[1], of: table)
    demands.applied(order, hasWithheld: false)
    #expect(order.reverted["notes"] == [keys[0]])
    let next = demands.beginPull()
    #expect(next.reverted["notes"] == [keys[1]])
    await stack.close()
  }

  @Test func `a caller waits for a step that begins after its call`() {
    var demands = Demands()
    demands.beginStep()
    demands.add(DirectContinuation())
    #expect(demands.takeWaiters().isEmpty && demands.hasWaiters)
    demands.beginStep()
    #expect(!demands.hasWaiters && demands.takeWaiters().count == 1)
    #expect(demands.takeWaiters().isEmpty)
  }

  @Test func `the pull that is under way adopts no database`() {
    var demands = Demands()
    let order = demands.beginPull()
    demands.adoptDatabase()
    demands.pulled(order)
    let next = demands.beginPull()
    #expect(next.adoptsDatabase)
    demands.pulled(next)
    #expect(!demands.beginPull().adoptsDatabase)
  }

  @Test func `one verification runs at a time`() {
    var demands = Demands()
    var begun = (0..<2).map { _ in demands.beginVerification() }
    demands.endVerification()
    begun.append(demands.beginVerification())
    #expect(begun == [true, false, true])
  }
}
