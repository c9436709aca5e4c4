internal import Synchronization

/// A flag that stops one job.
///
/// Any thread may raise it, and a deadline raises it by itself.
package final class CancellationFlag: Sendable {
  private let raised = Atomic(false)
  private let deadline: ContinuousClock.Instant?

  package init(deadline: ContinuousClock.Instant? = nil) { self.deadline = deadline }
  package func raise() { raised.store(true, ordering: .releasing) }
  package var isRaised: Bool { raised.load(ordering: .acquiring) || isOverdue }
  /// Whether the deadline has passed.
  package var isOverdue: Bool { if let deadline { deadline <= .now } else { false } }
}
