public import Observation

/// The observable activity of a stack, or of a live query, for a busy indicator.
///
/// The monitor is `Observable`: to follow it, read ``current`` in a SwiftUI body or in
/// `withObservationTracking`. An activity that begins and ends before the main actor has a turn is
/// not reported. It is too short to show.
///
/// ```swift
/// let activity = stack.activity
/// print(activity.current.isIdle ? "done" : "working")
/// for await current in activity.updates where current.isIdle { break }
/// ```
@MainActor
public final class ActivityMonitor: Observable {
  private let registrar = ObservationRegistrar()
  private let ledger: ActivityLedger
  private var seen: StackActivity
  private let streams = NewestStreams<StackActivity>()

  init(_ ledger: ActivityLedger) {
    self.ledger = ledger
    seen = []
    // The monitor is made on first use. Until then, a save does not have to wake the main actor.
    ledger.listen { [weak self] in Task { @MainActor in self?.look() } }
    seen = ledger.look()
  }

  /// The activities under way.
  public var current: StackActivity {
    registrar.access(self, keyPath: \.current)
    return seen
  }

  /// The activities under way: the current value at once, then each change.
  ///
  /// A slow consumer gets only the newest value. The stream ends with the monitor, or when the
  /// consuming task is cancelled.
  public var updates: AsyncStream<StackActivity> { streams.add(seen) }

  private func look() {
    let current = ledger.look()
    if current == seen { return }
    registrar.willSet(self, keyPath: \.current)
    seen = current
    registrar.didSet(self, keyPath: \.current)
    streams.yield(current)
  }
}
