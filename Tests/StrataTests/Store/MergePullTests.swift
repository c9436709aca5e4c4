import StrataTestTurns
import Testing

@testable import Strata

/// The rule that wakes the view context: every state meets every event.
@Suite(.inTurn) struct MergePullTests {
  private enum Event: CaseIterable {
    case wake, suspend, resume, close, saveEnded, step, lastStep, failure, retry, endPause
  }

  private static let save = CompletedSave(
    id: 1, report: SaveReport(commit: 1, changes: [:], effects: []))

  /// A pull in every state.
  private static var all: [MergePull] {
    var open = MergePull()
    open.begin()
    var stuck = open
    stuck.didStep(.nothing)
    var unread = MergePull()
    unread.beginWithoutView()
    var pulls = [MergePull(), open, stuck, open, stuck, open, unread]
    pulls[3].suspend()
    pulls[4].suspend()
    pulls[5].close()
    return pulls
  }

  @Test(arguments: Event.allCases) private func `every state meets every event`(_ event: Event) {
    for old in Self.all {
      var pull = old
      switch event {
      case .wake: pull.wake()
      case .suspend: pull.suspend()
      case .resume: pull.resume()
      case .close: pull.close()
      case .saveEnded: pull.saveEnded(Self.save)
      case .step: pull.didStep(.commits)
      case .lastStep: pull.didStep(.nothing)
      case .failure:
        let triesAgain = pull.didFail()
        #expect(triesAgain == (old.state != .closed))
      case .retry: pull.beginRetry()
      case .endPause: pull.endPause()
      }
      let expected: MergePull.State =
        switch (old.state, event) {
        case (_, .close): .closed
        case (.open(let reach), .suspend): .suspended(reach)
        case (.suspended(let reach), .resume): .open(reach)
        case (.open, .step): .open(.commits)
        case (.open, .lastStep): .open(.nothing)
        case (let state, _): state
        }
      #expect(pull.state == expected, "\(event) in \(old.state)")
      // An open store has a step if there is something to report.
      let tellsCommits = pull.state == .open(.commits)
      let isOpen = tellsCommits || pull.state == .open(.nothing)
      let isAsked =
        switch (old.state, event) {
        case (_, .wake), (_, .saveEnded), (.suspended, .resume): true
        case (_, _): false
        }
      #expect(pull.isDue(hasUnread: false) == (isOpen && isAsked), "\(event) in \(old.state)")
      #expect(pull.isDue(hasUnread: true) == (isOpen && isAsked || tellsCommits))
      #expect(pull.isOpen == (tellsCommits || pull.state == .unread))
    }
  }

  @Test func `a save is told once`() {
    var pull = MergePull()
    pull.begin()
    pull.saveEnded(Self.save)
    #expect(pull.isDue(hasUnread: false) && pull.completedSave?.id == 1)
    pull.didStep(.commits)
    #expect(pull.completedSave == nil && !pull.isDue(hasUnread: false))
  }

  /// Whether a step comes during a pause, by what asks for it.
  @Test func `a pause after several commits lets commits gather, and ends when it is asked to`() {
    let start = ContinuousClock.now
    func paused(_ count: Int) -> MergePull {
      var pull = MergePull()
      pull.begin()
      pull.didStep(.commits, having: count, at: start)
      return pull
    }
    func move(_ pull: MergePull, after time: Duration = .zero) -> MergePull.Move {
      var pull = pull
      return pull.move(hasUnread: true, at: start + time)
    }
    #expect(move(paused(1)) == .step)
    #expect(move(paused(2)) == .askAgain(after: MergePull.pause))
    #expect(move(paused(2), after: MergePull.pause) == .step)
    var pull = paused(2)
    let idle = pull.move(hasUnread: false, at: start)
    #expect(idle == .none)
    pull.endPause()
    #expect(move(pull) == .step)
    pull = paused(2)
    pull.saveEnded(Self.save)
    #expect(move(pull) == .step)
    pull = paused(2)
    pull.wake()
    #expect(move(pull) == .step)
    pull.didStep(.commits, having: 1, at: start)
    #expect(move(pull) == .step)
  }

  @Test func `the writer asks again once for each pause`() {
    let start = ContinuousClock.now
    var pull = MergePull()
    pull.begin()
    pull.didStep(.commits, having: 2, at: start)
    let moves = [
      pull.move(hasUnread: true, at: start), pull.move(hasUnread: true, at: start),
    ]
    #expect(moves == [.askAgain(after: MergePull.pause), .none])
    pull.beginAsking()
    let again = pull.move(hasUnread: true, at: start)
    #expect(again == .askAgain(after: MergePull.pause))
  }

  @Test func `one try waits at a time`() {
    var pull = MergePull()
    pull.begin()
    var tries = [pull.didFail(), pull.didFail()]
    pull.beginRetry()
    tries.append(pull.didFail())
    #expect(tries == [true, false, true])
  }

  @Test func `a merge begins once`() async {
    await #expect(processExitsWith: .failure) {
      var pull = MergePull()
      pull.begin()
      pull.begin()
    }
  }
}
