internal import Observation

/// The counts of an outbox, as its streams and the main actor see them.
///
/// It counts after each commit while there is an outbox or a stream, because nothing can be counted in the
/// moment in which the main actor reads. A stream keeps the counter alive, so it goes on without its outbox,
/// until its consumer or the stack ends it.
final class OutboxCounter: Sendable {
  private struct State: Sendable {
    var counts: OutboxCounts
    /// The number of the newest counting that was reported.
    var reported = 0
    /// The number of the newest counting that began.
    var begun = 0
    /// Whether streams wait for their first element, which may be equal to the last counts.
    var owesFirst = false
    /// The task that counts after each commit.
    var following: Task<Void, Never>?
  }

  private let store: Store
  private let state: Lock<State>
  private let streams = NewestStreams<OutboxCounts>()
  private let shown: ShownCounts

  init(_ store: Store) {
    self.store = store
    state = Lock(State(counts: OutboxCounts(waiting: 0, refused: 0)))
    shown = ShownCounts()
  }

  deinit { state.withLock { $0.following }?.cancel() }

  // MARK: Consumers

  /// Returns the stream of another consumer: the current counts, then each change.
  func stream() -> AsyncStream<OutboxCounts> {
    let (stream, isKnown) = state.withLock { state in
      // Without a consumer, the last counts may be old.
      let isKnown = !streams.isEmpty && !state.owesFirst
      if !isKnown { state.owesFirst = true }
      return (streams.add(isKnown ? state.counts : nil, keeping: self), isKnown)
    }
    follow()
    if !isKnown { countLater() }
    return stream
  }

  /// The counts of the newest counting.
  var latest: OutboxCounts { state.withLock(\.counts) }

  /// The newest counts that the main actor knows; reading them registers an observation.
  @MainActor var current: OutboxCounts {
    let (counts, isFirst) = shown.read { latest }
    if isFirst {
      follow()
      countLater()
    }
    return counts
  }

  private var isWatched: Bool { !streams.isEmpty || shown.isRead }

  /// Begins to count after each commit.
  func follow() {
    state.withLock { state in
      if state.following != nil { return }
      let changes = ChangeStream(store.publisher.subscribe(to: nil)) { $0 }
      state.following = StoreDeadline.withNone {
        Task { [weak self, streams] in
          for await _ in changes { await self?.count() }
          if !Task.isCancelled { streams.finish() }
        }
      }
    }
  }

  // MARK: Counting

  /// Counts in a task of its own, which has neither the deadline nor the cancellation of the caller.
  private func countLater() { StoreDeadline.withNone { _ = Task { await count() } } }

  /// Counts, if there is a consumer.
  func countIfWatched() async { if isWatched { await count() } }

  /// Counts, and returns when the consumers have the counts: streams at their next element, the main
  /// actor in its present value.
  ///
  /// A cancelled caller does not wait: the consumers have the counts a little later.
  func count() async {
    do throws(StoreError) { try await countNow() } catch {
      if Task.isCancelled || StoreDeadline.hasPassed { countLater() }
    }
  }

  /// Counts, and returns when the consumers have the counts.
  func countNow() async throws(StoreError) {
    let number = state.withLock { state in
      state.begun += 1
      return state.begun
    }
    report(try await store.outboxCounts(), number)
    if shown.isRead { await shown.show { self.latest } }
  }

  /// - Parameter number: the number of the counting; countings are numbered when they begin. The
  ///   counts are ignored if a later counting has been reported.
  private func report(_ counts: OutboxCounts, _ number: Int) {
    state.withLock { state in
      if number < state.reported { return }
      state.reported = number
      if state.counts == counts && !state.owesFirst { return }
      state.counts = counts
      state.owesFirst = false
      streams.yield(counts)
    }
  }
}

/// The counts of an outbox as the main actor has seen them.
@MainActor private final class ShownCounts: Observable {
  private let registrar = ObservationRegistrar()
  private nonisolated let hasReader = Lock(false)
  private var seen: OutboxCounts?
  private var counts: Void { () }

  nonisolated init() {}

  /// Whether the counts have been read at least once.
  nonisolated var isRead: Bool { hasReader.withLock { $0 } }

  /// Returns the counts, and whether they are read for the first time; then they are the newest.
  func read(_ newest: () -> OutboxCounts) -> (OutboxCounts, isFirst: Bool) {
    registrar.access(self, keyPath: \.counts)
    if let seen { return (seen, false) }
    hasReader.withLock { $0 = true }
    let first = newest()
    seen = first
    return (first, true)
  }

  func show(_ newest: () -> OutboxCounts) {
    let new = newest()
    if new == seen { return }
    registrar.willSet(self, keyPath: \.counts)
    seen = new
    registrar.didSet(self, keyPath: \.counts)
  }
}
