public import Observation

/// What a stack, or a live query, is busy with, for a busy indicator.
///
/// `Observable`: reading ``current`` in a SwiftUI body or in `withObservationTracking` is enough.
/// What begins and ends before the main actor has a turn is not seen: it was too short to show.
@MainActor
public final class ActivityMonitor: Observable {
  private let registrar = ObservationRegistrar()
  private let ledger: ActivityLedger
  private var seen: Activity
  private var streams: [Int: AsyncStream<Activity>.Continuation] = [:]
  private var lastStream = 0

  init(_ ledger: ActivityLedger) {
    self.ledger = ledger
    seen = []
    // Until somebody looks, nobody's save has to wake the main actor.
    ledger.listen { [weak self] in Task { @MainActor in self?.look() } }
    seen = ledger.look()
  }

  deinit { for stream in streams.values { stream.finish() } }

  /// What is under way.
  public var current: Activity {
    registrar.access(self, keyPath: \.current)
    return seen
  }

  /// What is under way, at once and whenever it changes: the newest state only, if the consumer is
  /// slow. Ends with the monitor, or when the consuming task is cancelled.
  public var updates: AsyncStream<Activity> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Activity.self, bufferingPolicy: .bufferingNewest(1))
    lastStream += 1
    let id = lastStream
    streams[id] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { @MainActor in self?.streams[id] = nil }
    }
    continuation.yield(seen)
    return stream
  }

  private func look() {
    let current = ledger.look()
    if current == seen { return }
    registrar.willSet(self, keyPath: \.current)
    seen = current
    registrar.didSet(self, keyPath: \.current)
    for stream in streams.values { stream.yield(current) }
  }
}
