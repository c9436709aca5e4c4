/// Changes as they are committed: an `AsyncSequence` that never fails.
///
/// A stream starts when it is asked for, so nothing is lost between asking and iterating. A slow
/// consumer loses nothing and holds nobody up: what it has not read is composed, and its memory is
/// bounded by the number of distinct records changed. Past 200,000 of a table, the table's details
/// become a reset. Every record that was written since the last element is told, even if it is what
/// it was by now: a consumer that also reads may have read it in between.
///
/// One task iterates a stream; ask for a stream each. Cancelling the task ends the iteration and
/// unsubscribes, as does letting go of the stream and its iterator; closing the stack ends it
/// after what was committed. `next()` runs on the consumer's actor: an element that is ready costs
/// no hop.
public struct ChangeStream<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = Never

  private let subscription: ChangeSubscription
  private let element: @Sendable (ChangeSet) -> Element

  init(_ subscription: ChangeSubscription, _ element: @escaping @Sendable (ChangeSet) -> Element) {
    self.subscription = subscription
    self.element = element
  }

  /// Iterates the stream's one subscription.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: ChangeSubscription
    let element: @Sendable (ChangeSet) -> Element

    /// Everything since the last element, composed; waits until there is something. Nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Never) -> Element? {
      await subscription.publisher.next(subscription.id, isolation: actor).map(element)
    }
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: subscription, element: element)
  }
}
