/// The updates of a live query: an `AsyncSequence` that never fails.
///
/// Each update is the difference from what the subscriber saw last to what the query shows now:
/// a slow one misses no state and holds nobody up. A sequence starts when it is asked for, with
/// the elements that the query shows then. Cancelling the task or letting go of the sequence ends
/// it, as does the end of the live query or its stack.
///
/// - Precondition: one task iterates one sequence; others ask for one each.
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

    /// The difference since the last update; waits until there is one. Nil at the end.
    ///
    /// A difference of many elements is made elsewhere, not on the caller's actor.
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
  let subscription: LiveSubscription
  /// The attributes that the subscriber reads; nil for all.
  let reading: AttributeSet?
  let counters: LiveCounters
  var pace: LivePace?

  struct Iterator {
    fileprivate let source: LiveDifferences
    /// Returns once the next update may come.
    fileprivate var rest: LivePace.Rest?

    /// Comparing more keys than this takes longer than going to another thread and back.
    private static let most = 128

    /// What is shown now and what changed; the difference is nil if the result was loaded anew.
    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> (ShownRows, LiveDifference?)? {
      await rest?()
      rest = nil
      while let delivery = await source.subscription.next(isolation: actor) {
        let rows = delivery.new
        let difference =
          delivery.cost > Self.most
          ? await Self.difference(consume delivery, source.reading)
          : LiveDifference(delivery, reading: source.reading)
        if difference?.isEmpty == true { continue }
        source.counters.count { $0.updates += 1 }
        rest = source.pace?.begin()
        return (rows, difference)
      }
      return nil
    }

    /// Takes the only reference to the old version, so that a large one is not let go of by the
    /// caller's actor.
    @concurrent private static func difference(
      _ delivery: consuming LiveMailbox.Delivery, _ reading: AttributeSet?
    ) async -> LiveDifference? {
      LiveDifference(delivery, reading: reading)
    }
  }

  func makeIterator() -> Iterator { Iterator(source: self) }
}

/// How long at least one update comes after the other.
struct LivePace: Sendable {
  typealias Rest = @Sendable () async -> Void

  /// Begins an interval; the result waits for its end.
  let begin: @Sendable () -> Rest

  init<C: Clock>(_ interval: C.Duration, _ clock: C) {
    begin = {
      let end = clock.now.advanced(by: interval)
      // A task that is cancelled does not wait; it finds out from the subscription.
      return { try? await clock.sleep(until: end, tolerance: nil) }
    }
  }
}
