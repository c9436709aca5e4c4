import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct LifecycleTests {
  private typealias Step = (call: Lifecycle.Call, action: Lifecycle.Action, state: Lifecycle.State)

  /// Returns the effect of every call in a state without a transition under way.
  private func steps(from state: Lifecycle.State) -> [Step] {
    switch state {
    case .open:
      [(.suspend, .begin, .suspending), (.resume, .nothing, .open), (.close, .begin, .closing)]
    case .suspended:
      [
        (.suspend, .nothing, .suspended), (.resume, .begin, .resuming), (.close, .begin, .closing),
      ]
    case .closed:
      [(.suspend, .nothing, .closed), (.resume, .refuse, .closed), (.close, .nothing, .closed)]
    case .suspending, .resuming, .closing: []
    }
  }

  /// Returns a machine in a given state.
  private func machine(in state: Lifecycle.State) async -> Lifecycle {
    var machine = Lifecycle()
    func run(_ call: Lifecycle.Call, finishes: Bool = true) async {
      _ = ask(&machine, call)
      if finishes { _ = machine.finish(true) }
    }
    switch state {
    case .open: break
    case .suspending: await run(.suspend, finishes: false)
    case .suspended: await run(.suspend)
    case .resuming:
      await run(.suspend)
      await run(.resume, finishes: false)
    case .closing: await run(.close, finishes: false)
    case .closed: await run(.close)
    }
    #expect(machine.state == state)
    return machine
  }

  /// Returns the action for a call that need not wait.
  private func ask(_ machine: inout Lifecycle, _ call: Lifecycle.Call) -> Lifecycle.Action? {
    let action = machine.ask(call, Lifecycle.Caller())
    if action == nil { Issue.record("\(call) waits in the state \(machine.state)") }
    return action
  }

  @Test func `every call in every state in which nothing is under way`() async {
    for state in [Lifecycle.State.open, .suspended, .closed] {
      for step in steps(from: state) {
        var machine = await machine(in: state)
        #expect(ask(&machine, step.call) == step.action, "\(step.call) in \(state)")
        #expect(machine.state == step.state, "\(step.call) in \(state)")
      }
    }
  }

  @Test func `a transition ends where it leads, and a failed resumption where it began`() async {
    let ends: [(Lifecycle.State, Bool, Lifecycle.State)] = [
      (.suspending, true, .suspended), (.resuming, true, .open), (.resuming, false, .suspended),
      (.closing, true, .closed),
    ]
    for (state, isDone, end) in ends {
      var machine = await machine(in: state)
      #expect(machine.finish(isDone).isEmpty)
      #expect(machine.state == end)
    }
  }

  @Test(arguments: [Lifecycle.State.suspending, .resuming, .closing])
  func `calls that come during a transition go on one after the other`(
    _ state: Lifecycle.State
  ) async {
    let machine = Lock(await machine(in: state))
    let answers = Lock<[String]>([])
    await withTaskGroup { group in
      for call in [Lifecycle.Call.suspend, .resume, .suspend, .close, .resume, .close] {
        let caller = Lifecycle.Caller()
        #expect(machine.withLock { $0.ask(call, caller) } == nil)
        group.addTask {
          let action = await caller.value
          answers.withLock { $0.append("\(call) \(action)") }
          guard action == .begin else { return }
          for (caller, action) in machine.withLock({ $0.finish(true) }) {
            caller.resume(returning: action)
          }
        }
      }
      for (caller, action) in machine.withLock({ $0.finish(true) }) {
        caller.resume(returning: action)
      }
    }
    let expected =
      switch state {
      case .suspending:
        [
          "suspend nothing", "resume begin", "suspend begin", "close begin", "resume refuse",
          "close nothing",
        ]
      case .resuming:
        [
          "suspend begin", "resume begin", "suspend begin", "close begin", "resume refuse",
          "close nothing",
        ]
      default:
        [
          "suspend nothing", "resume refuse", "suspend nothing", "close nothing", "resume refuse",
          "close nothing",
        ]
      }
    #expect(answers.withLock { $0.sorted() } == expected.sorted())
    #expect(machine.withLock { $0.state } == .closed)
  }
}
