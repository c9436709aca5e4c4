public import Observation
internal import Strata

/// The observable state of a replica, for a badge or a line of text.
///
/// The monitor is `Observable`: to follow it, read ``current`` in a SwiftUI body or in
/// `withObservationTracking`.
///
/// ```swift
/// let monitor = replica.monitor
/// if monitor.current.waiting > 0 { print("\(monitor.current.waiting) changes wait") }
/// ```
@MainActor
public final class ReplicaMonitor: Observable {
  private let registrar = ObservationRegistrar()
  private nonisolated let newest = Lock(ReplicaState())
  private let streams = NewestStreams<ReplicaState>()
  private var seen = ReplicaState()

  nonisolated init() {}

  /// The state of the replica.
  public var current: ReplicaState {
    registrar.access(self, keyPath: \.current)
    return seen
  }

  /// The state of the replica: the current one at once, then each change.
  ///
  /// A slow consumer gets only the newest state. The stream ends with the replica, or when the
  /// consuming task is cancelled.
  public var updates: AsyncStream<ReplicaState> { streams.add(seen) }

  /// The newest state, which the main actor may not have seen.
  nonisolated var state: ReplicaState { newest.withLock(\.self) }

  nonisolated func set(_ state: ReplicaState) {
    newest.withLock { $0 = state }
    Task { @MainActor in look() }
  }

  nonisolated func finish() { Task { @MainActor in streams.finish() } }

  private func look() {
    registrar.willSet(self, keyPath: \.current)
    seen = state
    registrar.didSet(self, keyPath: \.current)
    streams.yield(seen)
  }
}
