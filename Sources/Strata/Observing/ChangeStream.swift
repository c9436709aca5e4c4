/// An `AsyncSequence` of changes as they are committed, which never fails.
///
/// A stream starts when it is requested, so no change is lost between that moment and the
/// iteration. A slow consumer loses no change and holds up no commit. Its unread changes are
/// composed, so their memory is bounded by the number of distinct records that changed. A table
/// with more than 200,000 changed records becomes a reset, without details. An element names every
/// record that was written since the last element, even if the record has its old values again. A
/// consumer that also reads may have read other values in between.
///
/// Each task needs a stream of its own. The iteration ends and the stream unsubscribes when the
/// task is cancelled, or when the stream and its iterator are released. Closing the stack ends the
/// stream after the last commit. `next()` runs on the consumer's actor: an element that is ready
/// costs no hop.
///
/// ```swift
/// for await changes in view.changes(of: Song.self) {
///   print(changes.inserted.count, "new songs")
/// }
/// ```
public struct ChangeStream<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = Never

  private let subscription: ChangeSubscription
  private let element: @Sendable (ChangeSet) -> Element

  init(_ subscription: ChangeSubscription, _ element: @escaping @Sendable (ChangeSet) -> Element) {
    self.subscription = subscription
    self.element = element
  }

  /// An iterator over the stream's only subscription.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: ChangeSubscription
    let element: @Sendable (ChangeSet) -> Element

    /// Returns all changes since the last element, composed; nil at the end.
    ///
    /// Waits until there are changes.
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
