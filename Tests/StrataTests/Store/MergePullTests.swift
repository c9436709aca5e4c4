import Testing

@testable import Strata

/// The rule that wakes the view context: every state meets every event.
@Suite struct MergePullTests {
  private typealias Pull = MergePull<Int>

  private enum Event: CaseIterable {
    case wake, suspend, resume, close, saveEnded, step, lastStep, failure, retry
  }

  private static let save = CompletedSave(
    id: 1, report: SaveReport(commit: 1, changes: [:], effects: []))

  /// A pull in every state, each with a waiter.
  private static var all: [Pull] {
    var open = Pull()
    open.begin()
    var stuck = open
    stuck.didStep(.nothing)
    var unread = Pull()
    unread.beginWithoutView()
    var pulls = [Pull(), open, stuck, open, stuck, open, unread]
    pulls[3].suspend()
    pulls[4].suspend()
    _ = pulls[5].close()
    for index in pulls.indices { pulls[index].wait(7) }
    return pulls
  }

  @Test(arguments: Event.allCases) private func `every state meets every event`(_ event: Event) {
    for old in Self.all {
      var pull = old
      switch event {
      case .wake: pull.wake()
      case .suspend: pull.suspend()
      case .resume: pull.resume()
      case .close:
        let waiter = pull.close()
        #expect(waiter == 7)
      case .saveEnded: pull.saveEnded(Self.save)
      case .step: pull.didStep(.commits)
      case .lastStep: pull.didStep(.nothing)
      case .failure:
        let triesAgain = pull.didFail()
        #expect(triesAgain == (old.state != .closed))
      case .retry: pull.beginRetry()
      }
      let expected: Pull.State =
        switch (old.state, event) {
        case (_, .close): .closed
        case (.open(let reach), .suspend): .suspended(reach)
        case (.suspended(let reach), .resume): .open(reach)
        case (.open, .step): .open(.commits)
        case (.open, .lastStep): .open(.nothing)
        case (let state, _): state
        }
      #expect(pull.state == expected, "\(event) in \(old.state)")
      // The waiter of an open store is answered if there is something to report.
      let tellsCommits = pull.state == .open(.commits)
      let isOpen = tellsCommits || pull.state == .open(.nothing)
      let isAsked =
        switch (old.state, event) {
        case (_, .wake), (_, .saveEnded), (.suspended, .resume): true
        case (_, _): false
        }
      let waits = ![.close, .step, .lastStep].contains(event)
      #expect(pull.isDue(hasUnread: false) == (isOpen && isAsked), "\(event) in \(old.state)")
      #expect(pull.isDue(hasUnread: true) == (isOpen && isAsked || tellsCommits))
      let isAnswered = isOpen && isAsked && waits
      #expect(
        pull.dueWaiter(hasUnread: false) == (isAnswered ? 7 : nil), "\(event) in \(old.state)")
      let hears = waits && (isAnswered || tellsCommits)
      #expect(pull.dueWaiter(hasUnread: true) == (hears ? 7 : nil), "\(event) in \(old.state)")
      let rests = pull.state == .unread || waits && !pull.isDue(hasUnread: true)
      #expect(pull.isAtRest(hasUnread: true) == rests)
      #expect(pull.isOpen == (tellsCommits || pull.state == .unread))
    }
  }

  @Test func `a save is told once`() {
    var pull = Pull()
    pull.begin()
    pull.wait(7)
    pull.saveEnded(Self.save)
    #expect(pull.dueWaiter(hasUnread: false) == 7 && pull.completedSave?.id == 1)
    pull.didStep(.commits)
    #expect(pull.completedSave == nil && pull.dueWaiter(hasUnread: true) == nil)
  }

  @Test func `one try waits at a time`() {
    var pull = Pull()
    pull.begin()
    var tries = [pull.didFail(), pull.didFail()]
    pull.beginRetry()
    tries.append(pull.didFail())
    #expect(tries == [true, false, true])
  }

  @Test func `a merge begins once`() async {
    await #expect(processExitsWith: .failure) {
      var pull = MergePull<Int>()
      pull.begin()
      pull.begin()
    }
  }
}
