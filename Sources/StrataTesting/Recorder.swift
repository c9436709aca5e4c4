internal import Strata
public import Testing

/// Records the elements of an asynchronous sequence, for a test to wait for.
///
/// ```swift
/// let songs = view.live(Song.all)
/// try await songs.waitUntilLoaded()
/// let updates = Recorder(songs.updates)
/// view.insert(Song(title: "So What"))
/// #expect(try await updates.next().insertions == [0])
/// ```
///
/// A recorder works with `Stack.changes`, `ViewContext.changes`, the updates of live queries and
/// live values, and any other sequence. No element is lost between two calls: elements wait until
/// they are requested. A wait that takes too long fails, and the failure lists the elements that
/// came.
public final class Recorder<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var elements: [Element] = []
    /// The number of elements that `next` has returned.
    var taken = 0
    var hasEnded = false
    var error: (any Error)?
    /// The closures to call at the next change.
    var watchers: [@Sendable () -> Void] = []

    /// Makes a change, and returns the watchers to call.
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

  /// Starts recording.
  ///
  /// - Parameters:
  ///   - sequence: the sequence, which is recorded until it ends or the recorder is released.
  ///   - limit: the maximum time of a wait; longer in a process that is busy with other tests.
  ///   - clock: the clock that measures the limit.
  ///   - words: describes an element in a failure.
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

  /// The elements that have come until now.
  public var elements: [Element] { state.withLock { $0.elements } }

  /// Cancels the task that consumes the sequence, and waits for its end.
  public func stop() async {
    task.cancel()
    await task.value
  }

  // MARK: Waiting

  /// Returns the next element that no call has returned yet, and waits for it if necessary.
  ///
  /// - Throws: an expectation that has failed, if the element does not come in time or the sequence
  ///   ends.
  public func next(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Element {
    try await wait("one more element", sourceLocation) { state in
      guard state.elements.count > state.taken else { return nil }
      defer { state.taken += 1 }
      return state.elements[state.taken]
    }
  }

  /// Waits until the elements meet a condition, and returns them.
  ///
  /// - Parameters:
  ///   - wanted: the description of the condition in a failure.
  ///   - sourceLocation: the location at which a failure is shown.
  ///   - condition: checks all elements so far, whenever an element comes.
  /// - Throws: an expectation that has failed, if the condition is not met in time or before the
  ///   end.
  @discardableResult
  public func wait(
    for wanted: String, sourceLocation: SourceLocation = #_sourceLocation,
    until condition: @Sendable ([Element]) -> Bool
  ) async throws -> [Element] {
    try await wait(wanted, sourceLocation) { condition($0.elements) ? $0.elements : nil }
  }

  /// Waits for the sequence's end, and returns all elements.
  ///
  /// - Throws: the error of the sequence, or an expectation that has failed, if the sequence does
  ///   not end in time.
  @discardableResult
  public func end(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [Element] {
    let last = try await wait("the end", sourceLocation) { $0.hasEnded ? $0 : nil }
    if let error = last.error { throw error }
    return last.elements
  }

  /// - Parameter take: returns the result of the wait, or nil if it is not there. It is called
  ///   under the lock, because more elements may come at the same time.
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
