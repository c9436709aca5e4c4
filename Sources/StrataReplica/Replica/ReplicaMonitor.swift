public import Observation
public import Strata

/// The observable state of a replica, for a badge or a line of text.
///
/// The monitor is `Observable`: to follow it, read ``current`` or ``status(of:)`` in a SwiftUI body or
/// in `withObservationTracking`.
///
/// ```swift
/// let monitor = replica.monitor
/// if monitor.current.waiting > 0 { print("\(monitor.current.waiting) changes wait") }
/// if monitor.status(of: song) == .waiting { print("not on the server yet") }
/// ```
@MainActor
public final class ReplicaMonitor: Observable {
  private nonisolated let stack: Stack
  private let registrar = ObservationRegistrar()
  private nonisolated let newest = Lock(Newest())
  private let streams = NewestStreams<ReplicaState>()
  private var seen = ReplicaState()
  private var rows: [String: [RecordKey: WaitingRow]] = [:]

  /// The state that the main actor may not have seen.
  private struct Newest: Sendable {
    var state = ReplicaState()
    var rows: [String: [RecordKey: WaitingRow]]?
    /// Whether the numbers of waiting edits may be other ones than those in the state.
    var isOld = true
    /// Called when an app asks for the status of a row for the first time.
    var onFirstStatus: (@Sendable () -> Void)?
  }

  nonisolated init(_ stack: Stack) { self.stack = stack }

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

  /// Returns whether edits of a row wait, for a badge beside the row.
  ///
  /// From the first call on, the monitor knows the keys of all rows that wait. Until it has read them
  /// for the first time, every row counts as settled.
  ///
  /// - Complexity: O(1). Each change of the edits that wait reads the keys of all rows that wait, off the main
  ///   actor.
  public func status<E: Entity>(of entity: E) -> RowStatus {
    registrar.access(self, keyPath: \.rows)
    newest.withLock { newest in
      defer { newest.onFirstStatus = nil }
      return newest.onFirstStatus
    }?()
    guard let table = stack.replicableTable(of: E.self), let key = entity.id.recordKey else {
      return .settled
    }
    guard let row = rows[table.name]?[key] else { return .settled }
    return row.isRefused ? .refused : .waiting
  }

  /// The newest state, which the main actor may not have seen.
  nonisolated var state: ReplicaState { newest.withLock(\.state) }

  /// Whether an app has asked for the status of a row.
  nonisolated var showsRows: Bool { newest.withLock { $0.onFirstStatus == nil } }

  nonisolated func onFirstStatus(_ body: @escaping @Sendable () -> Void) {
    newest.withLock { $0.onFirstStatus = body }
  }

  /// Whether the store may have changed since the last ``willRefresh()``.
  nonisolated var isOld: Bool { newest.withLock(\.isOld) }

  nonisolated func noteChange() { newest.withLock { $0.isOld = true } }

  /// Notes that the store is about to be read.
  nonisolated func willRefresh() { newest.withLock { $0.isOld = false } }

  nonisolated func change(_ body: (inout ReplicaState) -> Void) {
    newest.withLock { body(&$0.state) }
    Task { @MainActor in look() }
  }

  /// Notes the rows that wait, by the name of their table.
  nonisolated func set(_ rows: [String: [RecordKey: WaitingRow]]) {
    newest.withLock { $0.rows = rows }
  }

  nonisolated func finish() { Task { @MainActor in streams.finish() } }

  private func look() {
    let newest = newest.withLock { newest in
      defer { newest.rows = nil }
      return newest
    }
    if let rows = newest.rows, rows != self.rows {
      registrar.willSet(self, keyPath: \.rows)
      self.rows = rows
      registrar.didSet(self, keyPath: \.rows)
    }
    registrar.willSet(self, keyPath: \.current)
    seen = newest.state
    registrar.didSet(self, keyPath: \.current)
    streams.yield(seen)
  }
}
