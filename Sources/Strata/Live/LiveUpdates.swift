/// The updates of a live query: an `AsyncSequence` that never fails.
///
/// Each update is the difference from what the subscriber saw last to what the query shows now:
/// a slow one misses no state and holds nobody up. A sequence starts when it is asked for, with
/// the elements that the query shows then. Cancelling the task or letting go of the sequence ends
/// it, as does the end of the live query or its stack.
public struct LiveUpdates<E: Entity>: AsyncSequence, Sendable {
  public typealias Element = LiveUpdate<E>
  public typealias Failure = Never

  private let subscription: LiveSubscription
  private let table: Table

  init(_ subscription: LiveSubscription, _ table: Table) {
    self.subscription = subscription
    self.table = table
  }

  /// Iterates the sequence's one subscription.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: LiveSubscription
    fileprivate let table: Table

    /// The difference since the last update; waits until there is one. Nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Never) -> LiveUpdate<E>? {
      while let delivery = await subscription.next(isolation: actor) {
        let elements = LiveElements<E>(delivery.new, table)
        guard case .some(let keys) = delivery.changed else {
          return LiveUpdate(elements, nil, table)
        }
        let difference = LiveDifference(from: delivery.old, to: delivery.new, keys: keys)
        if !difference.isEmpty { return LiveUpdate(elements, difference, table) }
      }
      return nil
    }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription, table: table) }
}

/// One subscriber's mailbox: the shell around ``LiveMailbox``.
final class LiveSubscription: Sendable {
  private let mailbox: Lock<LiveMailbox>

  init(seen: ShownRows) { mailbox = Lock(LiveMailbox(seen: seen)) }

  func publish(_ rows: ShownRows, _ changed: ChangedKeys) {
    mailbox.withLock { $0.publish(rows, changed) }?.resume()
  }

  func finish() { mailbox.withLock { $0.finish() }?.resume() }

  func next(isolation: isolated (any Actor)?) async -> LiveMailbox.Delivery? {
    while true {
      switch mailbox.withLock({ $0.next() }) {
      case .deliver(let delivery): return delivery
      case .end: return nil
      case .wait:
        if Task.isCancelled {
          finish()
          return nil
        }
        await withTaskCancellationHandler {
          await withUnsafeContinuation(isolation: isolation) { continuation in
            if !mailbox.withLock({ $0.park(continuation) }) { continuation.resume() }
          }
        } onCancel: {
          finish()
        }
      }
    }
  }
}
