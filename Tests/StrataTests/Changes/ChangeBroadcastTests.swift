import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Every event in every state of a subscriber.
///
/// The machine never resumes the continuation that stands for a waiting task. It only hands the
/// continuation back, and the tests count how often.
@Suite(.inTurn) struct ChangeBroadcastTests {
  private enum State: CaseIterable {
    case unknown, caughtUp, unread, waiting, finishedUnread, finished
  }

  /// A broadcast with one subscriber, which is brought into a state.
  private final class Scene {
    private(set) var history: History
    private var broadcast = ChangeBroadcast()
    private var random = SeededRandom(seed: 1)
    private let waiter: ChangeBroadcast.Waiter
    private var id = -1

    init(_ state: State, onlyItems: Bool, _ waiter: ChangeBroadcast.Waiter) throws {
      history = try History()
      self.waiter = waiter
      if state != .unknown { subscribe(onlyItems: onlyItems) }
      switch state {
      case .unknown, .caughtUp: break
      case .unread: _ = try publish()
      case .waiting: _ = park()
      case .finishedUnread:
        _ = try publish()
        _ = finish()
      case .finished: _ = finish()
      }
    }

    func subscribe(onlyItems: Bool = false) {
      id = broadcast.subscribe(to: onlyItems ? history.items : nil)
    }

    /// Commits to one table, and returns the number of waiters to resume.
    func publish(_ table: TableID? = nil) throws -> Int {
      broadcast.publish(try history.commit(to: [table ?? history.items], &random)).count
    }

    func publishNothing() -> Int {
      broadcast.publish(ChangeSet(commit: 9, model: history.model, tables: [:])).count
    }

    /// Returns the answer of `next` as words.
    func next() -> String {
      switch broadcast.next(id) {
      case .deliver(let sets): "deliver \(sets.count)"
      case .wait: "wait"
      case .end: "end"
      }
    }

    func park() -> Bool { broadcast.park(id, waiter) }
    func unsubscribe() -> Bool { broadcast.unsubscribe(id) != nil }
    func finish() -> Int { broadcast.finish().count }
    var subscriptions: Int { broadcast.subscriptionCount }
    var kept: Int { broadcast.log.count }
  }

  private func each(
    _ states: [State] = State.allCases, onlyItems: Bool = false,
    _ body: (State, Scene) throws -> Void
  ) async throws {
    for state in states {
      let waiter = ChangeBroadcast.Waiter()
      try body(state, try Scene(state, onlyItems: onlyItems, waiter))
    }
  }

  @Test func `next delivers what is unread, waits, or ends`() async throws {
    try await each { state, scene in
      let expected =
        switch state {
        case .unknown, .finished: "end"
        case .caughtUp, .waiting: "wait"
        case .unread, .finishedUnread: "deliver 1"
        }
      #expect(scene.next() == expected, "\(state)")
      if state == .unread { #expect(scene.next() == "wait") }
      if state == .finishedUnread { #expect(scene.next() == "end") }
      #expect(scene.kept == 0)
      let isGone = [.unknown, .finished, .finishedUnread].contains(state)
      #expect(scene.subscriptions == (isGone ? 0 : 1), "\(state)")
    }
  }

  @Test func `publishing resumes who waits and is kept for who does not`() async throws {
    try await each { state, scene in
      let resumed = try scene.publish()
      #expect(resumed == (state == .waiting ? 1 : 0), "\(state)")
      let expected =
        switch state {
        case .unknown, .finished: "end"
        case .caughtUp, .waiting, .finishedUnread: "deliver 1"
        case .unread: "deliver 2"
        }
      #expect(scene.next() == expected, "\(state)")
    }
  }

  @Test func `publishing nothing does nothing`() async throws {
    try await each { state, scene in
      #expect(scene.publishNothing() == 0)
      #expect(scene.kept == (state == .unread || state == .finishedUnread ? 1 : 0), "\(state)")
    }
  }

  @Test func `a waiter is resumed once`() async throws {
    try await each([.waiting]) { _, scene in
      let resumed = try [scene.publish(), scene.publish()]
      #expect(resumed == [1, 0])
      #expect(scene.next() == "deliver 2")
    }
  }

  @Test func `a subscriber waits if it has no changes to read`() async throws {
    try await each([.unknown, .caughtUp, .unread, .finishedUnread, .finished]) { state, scene in
      #expect(scene.park() == (state == .caughtUp), "\(state)")
    }
  }

  @Test func `unsubscribing hands the waiter back and forgets what was unread`() async throws {
    try await each { state, scene in
      #expect(scene.unsubscribe() == (state == .waiting), "\(state)")
      #expect(scene.subscriptions == 0 && scene.kept == 0)
      #expect(scene.next() == "end" && !scene.unsubscribe())
    }
  }

  @Test func `finishing resumes who waits and ends after what is unread`() async throws {
    try await each { state, scene in
      #expect(scene.finish() == (state == .waiting ? 1 : 0), "\(state)")
      #expect(scene.finish() == 0)
      let hasUnread = state == .unread || state == .finishedUnread
      #expect(scene.next() == (hasUnread ? "deliver 1" : "end"), "\(state)")
      #expect(scene.next() == "end")
      #expect(scene.subscriptions == 0)
    }
  }

  @Test func `a subscription after the end has ended`() async throws {
    try await each([.finished]) { _, scene in
      scene.subscribe()
      #expect(!scene.park())
      #expect(scene.next() == "end")
    }
  }

  @Test func `a change elsewhere wakes nobody, and is not kept for who waits`() async throws {
    try await each([.waiting], onlyItems: true) { _, scene in
      for _ in 0..<5 {
        let resumed = try scene.publish(scene.history.marks)
        #expect(resumed == 0)
        #expect(scene.kept == 0)
      }
      let resumed = try scene.publish()
      #expect(resumed == 1)
      #expect(scene.next() == "deliver 1")
    }
  }

  @Test func `a change elsewhere is left out of what a subscriber to one table reads`() async throws
  {
    try await each([.caughtUp], onlyItems: true) { _, scene in
      for table in [scene.history.marks, scene.history.items, scene.history.marks] {
        _ = try scene.publish(table)
      }
      #expect(scene.next() == "deliver 1")
      _ = try scene.publish(scene.history.marks)
      #expect(scene.next() == "deliver 0")
      #expect(scene.next() == "wait")
    }
  }

  @Test func `two tasks on one stream are a mistake of the program`() async {
    await #expect(processExitsWith: .failure) {
      let publisher = ChangePublisher()
      let subscription = publisher.subscribe(to: nil)
      async let first = publisher.next(subscription.id, isolation: nil)
      async let second = publisher.next(subscription.id, isolation: nil)
      _ = await (first, second)
    }
  }
}
