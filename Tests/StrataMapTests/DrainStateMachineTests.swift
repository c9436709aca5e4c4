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

  @Test func `a waking of an idle drain schedules a turn`() {
    var machine = idle()
    #expect(machine.wake() == .schedule)
  }

  @Test func `a closed gate keeps an idle drain from scheduling a turn`() {
    var machine = idle()
    machine.close(.hidden)
    #expect(machine.wake() == .none)
    #expect(machine.open(.hidden, hasWork: true) == .schedule)
  }

  @Test func `the opening of the gate of an idle drain without work schedules no turn`() {
    var machine = idle()
    machine.close(.hidden)
    #expect(machine.open(.hidden, hasWork: false) == .none)
  }

  @Test func `a turn of an idle drain does not begin`() {
    var machine = idle()
    #expect(machine.begin() == nil)
    #expect(!machine.mayApply(0))
    #expect(machine.finish(0, hasWork: true) == .none)
  }

  // MARK: Scheduled

  @Test func `a second waking before a scheduled turn schedules no second turn`() {
    var machine = scheduled()
    #expect(machine.wake() == .none)
    #expect(machine.open(.hidden, hasWork: true) == .none)
    #expect(machine.finish(1, hasWork: true) == .none)
  }

  @Test func `a gate that is closed before a scheduled turn keeps the turn from beginning`() {
    var machine = scheduled()
    machine.close(.hidden)
    #expect(machine.begin() == nil)
    #expect(machine.open(.hidden, hasWork: true) == .schedule)
  }

  @Test func `a gate that is closed and opened before a scheduled turn lets the turn begin`() {
    var machine = scheduled()
    machine.close(.hidden)
    #expect(machine.open(.hidden, hasWork: true) == .none)
    #expect(machine.begin() != nil)
  }

  // MARK: Applying

  @Test func `a turn that ends with work left schedules the next turn`() throws {
    var (machine, turn) = try applying()
    #expect(machine.finish(turn, hasWork: true) == .schedule)
    #expect(!machine.mayApply(turn))
    #expect(machine.begin() == turn + 1)
  }

  @Test func `a turn that ends without work leaves the drain idle`() throws {
    var (machine, turn) = try applying()
    #expect(machine.finish(turn, hasWork: false) == .none)
    #expect(machine.begin() == nil)
    #expect(machine.wake() == .schedule)
  }

  @Test func `a gate that closes during a turn ends the turn, also when opened again at once`()
    throws
  {
    var (machine, turn) = try applying()
    machine.close(.userInteraction)
    #expect(!machine.mayApply(turn))
    #expect(machine.open(.userInteraction, hasWork: true) == .schedule)
    #expect(!machine.mayApply(turn))
    #expect(machine.finish(turn, hasWork: true) == .none)
  }

  @Test func `a waking during a turn ends the turn and schedules the next`() throws {
    var (machine, turn) = try applying()
    #expect(machine.wake() == .schedule)
    #expect(!machine.mayApply(turn))
    #expect(machine.finish(turn, hasWork: true) == .none)
  }

  @Test func `a turn that runs inside an operation ends the outer turn`() throws {
    var (machine, outer) = try applying()
    #expect(machine.begin() == nil)
    _ = machine.wake()
    let begun = machine.begin()
    let inner = try #require(begun)
    #expect(machine.mayApply(inner) && !machine.mayApply(outer))
    #expect(machine.finish(outer, hasWork: true) == .none)
    #expect(machine.mayApply(inner))
  }

  @Test func `a drain that is detached during a turn ends the turn`() throws {
    var (machine, turn) = try applying()
    #expect(machine.detach() == true)
    #expect(!machine.mayApply(turn))
    #expect(machine.finish(turn, hasWork: true) == .none)
  }

  // MARK: Detached

  @Test func `a detached drain refuses every event`() {
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
