internal import StrataSQLite

/// Batches that wait at once, and of which none is saved behind one that is not.
package final class BatchSequence: Sendable {
  private let hasEnded = CancellationFlag()

  package init() {}

  /// - Throws: `cancelled` if a batch was taken back or has failed.
  func check() throws(StoreError) { if hasEnded.isRaised { throw .cancelled } }

  /// Nothing that has not begun is saved any more.
  func end() { hasEnded.raise() }
}
