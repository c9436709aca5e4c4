internal import StrataSQLite

/// A sequence of waiting batches, which ends at the first batch that is not saved.
package final class BatchSequence: Sendable {
  private let hasEnded = CancellationFlag()

  package init() {}

  /// Checks that the sequence has not ended.
  ///
  /// - Throws: `cancelled` if a batch was withdrawn or has failed.
  func check() throws(StoreError) { if hasEnded.isRaised { throw .cancelled } }

  /// Ends the sequence, so that no batch that has not started is saved.
  func end() { hasEnded.raise() }
}
