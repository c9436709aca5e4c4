internal import Strata
public import Testing

/// Writes down what an asynchronous sequence gives, for a test to wait for.
///
/// ```swift
/// let songs = view.live(Song.all)
/// try await songs.load()
/// let updates = Recorder(songs.updates)
/// view.insert(Song(title: "So What"))
/// #expect(try await updates.next().insertions == [0])
/// ```
///
/// Works with `Stack.changes`, `ViewContext.changes`, the updates of live queries and live values,
/// and any other sequence. Nothing is lost between two calls: what nobody has asked for yet waits.
/// A wait that takes too long fails, and the failure lists what came instead.
public final class Recorder<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var elements: [Element] = []
    /// How many of them `next` has returned.
    var taken = 0
    var hasEnded = false
    var error: (any Error)?
    /// To be called when something happens.
    var watchers: [@Sendable () -> Void] = []

    /// Notes something, and returns who is to be told.
    mutating func note(_ change: (inout State) -> Void) -> [@Sendable () -> Void] {
      change(&self)
      defer { watchers = [] }
      return watchers
    }
  }

  private let state: Lock<State>
  private let task: Task<Void, Never>
  private let patience: Patience
  private let limit: Duration
  private let words: @Sendable (Element) -> String

  /// Begins to record.
  ///
  /// - Parameters:
  ///   - sequence: what is recorded, until it ends or nobody has the recorder any more.
  ///   - limit: how long a wait may take; longer in a process that is busy with other tests.
  ///   - clock: what measures it.
  ///   - words: what a failure says of an element.
  public init<S: AsyncSequence & Sendable>(
    _ sequence: S, within limit: Duration = .seconds(30),
    clock: any Clock<Duration> = ContinuousClock(),
    describing words: @escaping @Sendable (Element) -> String = { "\($0)" }
  ) where S.Element == Element {
    let state = Lock(State())
    self.state = state
    self.limit = limit
    self.words = words
    patience = Patience(limit, clock)
    task = Task { @concurrent in
      func note(_ change: @Sendable (inout State) -> Void) {
        for watcher in state.withLock({ $0.note(change) }) { watcher() }
      }
      do {
        for try await element in sequence { note { $0.elements.append(element) } }
        note { $0.hasEnded = true }
      } catch {
        note {
          $0.error = error
          $0.hasEnded = true
        }
      }
    }
  }

  deinit { task.cancel() }

  /// Everything that came until now.
  public var elements: [Element] { state.withLock { $0.elements } }

  /// Ends the recording, as the end of the sequence's consumer would.
  public func stop() async {
    task.cancel()
    await task.value
  }

  // MARK: Waiting

  /// The next element that no call has returned yet; waits for it.
  ///
  /// - Throws: an expectation that has failed, if it does not come in time or the sequence ends.
  public func next(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Element {
    try await wait("one more element", sourceLocation) { state in
      guard state.elements.count > state.taken else { return nil }
      defer { state.taken += 1 }
      return state.elements[state.taken]
    }
  }

  /// Waits until what came is as wanted, and returns that.
  ///
  /// - Parameters:
  ///   - wanted: what a failure says was waited for.
  ///   - sourceLocation: where a failure is shown.
  ///   - condition: looks at everything that came, whenever something does.
  /// - Throws: an expectation that has failed, if it does not become so in time or before the end.
  @discardableResult
  public func wait(
    for wanted: String, sourceLocation: SourceLocation = #_sourceLocation,
    until condition: @Sendable ([Element]) -> Bool
  ) async throws -> [Element] {
    try await wait(wanted, sourceLocation) { condition($0.elements) ? $0.elements : nil }
  }

  /// Waits for the sequence's end, and returns everything that came.
  ///
  /// - Throws: what the sequence threw, or an expectation that has failed, if it does not end in
  ///   time.
  @discardableResult
  public func end(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [Element] {
    let last = try await wait("the end", sourceLocation) { $0.hasEnded ? $0 : nil }
    if let error = last.error { throw error }
    return last.elements
  }

  /// - Parameter take: what is waited for, if it is there; called under the lock, as more may come
  ///   behind it.
  private func wait<Result: Sendable>(
    _ wanted: String, _ location: SourceLocation, _ take: @Sendable (inout State) -> Result?
  ) async throws -> Result {
    var found: Result?
    _ = await patience.wait { changed in
      let (result, hasEnded) = state.withLock { state in
        let result = take(&state)
        if result == nil { state.watchers.append(changed) }
        return (result, state.hasEnded)
      }
      found = result
      return result != nil || hasEnded
    }
    if let found { return found }
    let last = state.withLock { $0 }
    return try #require(found, "\(report(wanted, last))", sourceLocation: location)
  }

  private func report(_ wanted: String, _ state: State) -> String {
    let came = state.elements.enumerated().map { "\n  \($0 + 1). \(words($1))" }.joined()
    let count = "\(state.elements.count) came\(state.elements.isEmpty ? "" : ":")\(came)"
    let error = state.error.map { " with \($0)" } ?? ""
    if state.hasEnded { return "waited for \(wanted), and the sequence ended\(error); \(count)" }
    if Task.isCancelled { return "cancelled while waiting for \(wanted); \(count)" }
    return "waited \(limit) for \(wanted); \(count)"
  }
}
