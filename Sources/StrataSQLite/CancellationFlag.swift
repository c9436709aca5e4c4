internal import Synchronization

/// Raised once, from any thread, to stop one job.
package final class CancellationFlag: Sendable {
  private let raised = Atomic(false)

  package init() {}
  package func raise() { raised.store(true, ordering: .releasing) }
  package var isRaised: Bool { raised.load(ordering: .acquiring) }
}
