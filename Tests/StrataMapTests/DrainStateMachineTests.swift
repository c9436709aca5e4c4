import Strata
import StrataMap
import StrataTestTurns
import Testing

/// Tests every state (idle, scheduled, applying, detached) with every event.
@Suite(.inTurn) struct DrainStateMachineTests {
  private func idle() -> DrainStateMachine { DrainStateMachine() }

  private func scheduled() -> DrainStateMachine {
    var machine = DrainStateMachine()
    #expect(machine.wake() == .schedule)
    return machine
  }

  private func applying() throws -> (machine: DrainStateMachine, turn: UInt64) {
    var machine = scheduled()
    let begun = machine.begin()
    let turn = try #require(begun)
    #expect(machine.mayApply(turn))
    return (machine, turn)
  }

  private func detached() -> DrainStateMachine {
    var machine = scheduled()
    #expect(machine.detach() == true)
    return machine
  }

  // MARK: Idle

  @Test func `idle, waking schedules a turn`() {
    var machine = idle()
    #expect(machine.wake() == .schedule)
  }

  @Test func `idle, a closed gate keeps a waking from scheduling`() {
    var machine = idle()
    machine.close(.hidden)
    #expect(machine.wake() == .none)
    #expect(machine.open(.hidden, hasWork: true) == .schedule)
  }

  @Test func `idle, opening without work schedules nothing`() {
    var machine = idle()
    machine.close(.hidden)
    #expect(machine.open(.hidden, hasWork: false) == .none)
  }

  @Test func `idle, a turn does not begin`() {
    var machine = idle()
    #expect(machine.begin() == nil)
    #expect(!machine.mayApply(0))
    #expect(machine.finish(0, hasWork: true) == .none)
  }

  // MARK: Scheduled

  @Test func `scheduled, waking again schedules no second turn`() {
    var machine = scheduled()
    #expect(machine.wake() == .none)
    #expect(machine.open(.hidden, hasWork: true) == .none)
    #expect(machine.finish(1, hasWork: true) == .none)
  }

  @Test func `scheduled, a gate closed meanwhile keeps the turn from beginning`() {
    var machine = scheduled()
    machine.close(.hidden)
    #expect(machine.begin() == nil)
    #expect(machine.open(.hidden, hasWork: true) == .schedule)
  }

  @Test func `scheduled, a gate closed and opened again lets the turn begin`() {
    var machine = scheduled()
    machine.close(.hidden)
    #expect(machine.open(.hidden, hasWork: true) == .none)
    #expect(machine.begin() != nil)
  }

  // MARK: Applying

  @Test func `applying, finishing with work left schedules the next turn`() throws {
    var (machine, turn) = try applying()
    #expect(machine.finish(turn, hasWork: true) == .schedule)
    #expect(!machine.mayApply(turn))
    #expect(machine.begin() == turn + 1)
  }

  @Test func `applying, finishing without work is idle`() throws {
    var (machine, turn) = try applying()
    #expect(machine.finish(turn, hasWork: false) == .none)
    #expect(machine.begin() == nil)
    #expect(machine.wake() == .schedule)
  }

  @Test func `applying, closing ends the turn, also when opened again at once`() throws {
    var (machine, turn) = try applying()
    machine.close(.userInteraction)
    #expect(!machine.mayApply(turn))
    #expect(machine.open(.userInteraction, hasWork: true) == .schedule)
    #expect(!machine.mayApply(turn))
    #expect(machine.finish(turn, hasWork: true) == .none)
  }

  @Test func `applying, waking ends the turn and schedules the next`() throws {
    var (machine, turn) = try applying()
    #expect(machine.wake() == .schedule)
    #expect(!machine.mayApply(turn))
    #expect(machine.finish(turn, hasWork: true) == .none)
  }

  @Test func `applying, a turn run inside an operation ends the outer one`() throws {
    var (machine, outer) = try applying()
    #expect(machine.begin() == nil)
    _ = machine.wake()
    let begun = machine.begin()
    let inner = try #require(begun)
    #expect(machine.mayApply(inner) && !machine.mayApply(outer))
    #expect(machine.finish(outer, hasWork: true) == .none)
    #expect(machine.mayApply(inner))
  }

  @Test func `applying, detaching ends the turn`() throws {
    var (machine, turn) = try applying()
    #expect(machine.detach() == true)
    #expect(!machine.mayApply(turn))
    #expect(machine.finish(turn, hasWork: true) == .none)
  }

  // MARK: Detached

  @Test func `detached, nothing happens any more`() {
    var machine = detached()
    #expect(machine.isDetached)
    #expect(machine.detach() == false)
    #expect(machine.wake() == .none)
    #expect(machine.begin() == nil)
    machine.close(.hidden)
    #expect(machine.gate.isOpen)
    #expect(machine.open(.hidden, hasWork: true) == .none)
    #expect(!machine.mayApply(1))
    #expect(machine.finish(1, hasWork: true) == .none)
  }

  @Test func `detaching forgets the reasons`() {
    var machine = idle()
    machine.close(.hidden)
    #expect(machine.detach() == true)
    #expect(machine.gate.isOpen)
  }

  // MARK: The gate

  @Test func `the gate is open when every reason is taken back, however often it was given`() {
    var gate = Gate()
    gate.close(.hidden)
    gate.close(.hidden)
    gate.close("measuring")
    gate.open(.regionChange)
    gate.open(.hidden)
    #expect(!gate.isOpen && gate.reasons == ["measuring"])
    gate.open(GateReason("measuring"))
    #expect(gate.isOpen)
  }
}
