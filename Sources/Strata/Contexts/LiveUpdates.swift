/// The updates of a live query: an `AsyncSequence` that never fails.
///
/// Each update is the difference from the rows that the consumer saw last to the rows that the
/// query shows at that moment. A slow consumer gets several changes as one update; it loses none of
/// them and delays nothing else. A sequence starts when it is created, with the elements that the
/// query shows then. The sequence and its iterator keep the live query's result up to date, also if
/// the live query itself is released. It ends when the task is cancelled, when the sequence is
/// released, or when the stack ends. So cancel the task that iterates it when its screen goes.
///
/// ```swift
/// for await update in songs.updates(every: .milliseconds(100)) { print(update.elements.count) }
/// ```
///
/// - Precondition: a single task iterates a sequence; every other task asks for its own.
public struct LiveUpdates<E: Entity>: AsyncSequence, Sendable {
  public typealias Element = LiveUpdate<E>
  public typealias Failure = Never

  private let differences: LiveDifferences
  private let table: Table

  init(_ differences: LiveDifferences, _ table: Table) {
    self.differences = differences
    self.table = table
  }

  /// Iterates the sequence's one subscription.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var differences: LiveDifferences.Iterator
    fileprivate let table: Table

    /// Returns the difference since the last update, once there is one; nil at the end.
    ///
    /// A large difference is computed on another thread, not on the caller's actor.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Never) -> LiveUpdate<E>? {
      guard let (rows, difference) = await differences.next(isolation: actor) else { return nil }
      return LiveUpdate(LiveElements(rows, table), difference, table)
    }
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(differences: differences.makeIterator(), table: table)
  }
}

/// The differences that one subscription delivers, without the entity's type.
struct LiveDifferences: Sendable {
  /// Retained, so that the result is kept up to date while there is a consumer. The result does not
  /// retain its subscriptions.
  let result: LiveResult
  let subscription: LiveSubscription
  /// The attributes that the consumer reads; nil for all.
  let reading: AttributeSet?
  let counters: LiveCounters
  var pace: LivePace?

  struct Iterator {
    fileprivate let source: LiveDifferences
    /// Waits until the next update may come.
    fileprivate var rest: LivePace.Rest?

    /// Comparing more keys than this takes longer than a switch to another thread and back.
    private static let most = 128

    /// Returns the shown rows and the difference; the difference is nil for a reset, such as a new
    /// load.
    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> (ShownRows, LiveDifference?)? {
      await rest?()
      rest = nil
      while let change = await source.subscription.next(isolation: actor) {
        let rows = change.new
        let difference =
          change.cost > Self.most
          ? await Self.difference(consume change, source.reading)
          : LiveDifference(change, reading: source.reading)
        if difference?.isEmpty == true { continue }
        source.counters.count { $0.updates += 1 }
        rest = source.pace?.begin()
        return (rows, difference)
      }
      return nil
    }

    /// Takes the only reference to the old version, so that a large version is not freed on the
    /// caller's actor.
    @concurrent private static func difference(
      _ change: consuming LiveChange, _ reading: AttributeSet?
    ) async -> LiveDifference? {
      LiveDifference(change, reading: reading)
    }
  }

  func makeIterator() -> Iterator { Iterator(source: self) }
}

/// The shortest time between two updates.
struct LivePace: Sendable {
  typealias Rest = @Sendable () async -> Void

  /// Begins an interval; the returned closure waits for its end.
  let begin: @Sendable () -> Rest

  init<C: Clock>(_ interval: C.Duration, _ clock: C) {
    begin = {
      let end = clock.now.advanced(by: interval)
      // A cancelled task does not wait here; the subscription tells it of the cancellation.
      return { try? await clock.sleep(until: end, tolerance: nil) }
    }
  }
}
