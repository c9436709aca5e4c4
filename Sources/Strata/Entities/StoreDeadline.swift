/// Runs `body`, whose fetches and waits end with `deadlineExceeded` after `duration`.
///
/// ```swift
/// let songs = try await withStoreDeadline(in: .milliseconds(300)) {
///   try await view.fetch(Song.where { $0.title.contains(word) })
/// }
/// ```
///
/// A running statement is interrupted, not merely abandoned, and its connection can be used again
/// at once. A save that has not started is withdrawn. A save that has started is finished.
/// Deadlines nest, and the earliest one counts. Tasks that `body` starts have the same deadline,
/// unless they are detached.
///
/// - Throws: the error of `body`. A call that is too late throws ``StoreError`` with code
///   `deadlineExceeded`.
public nonisolated(nonsending) func withStoreDeadline<R>(
  in duration: Duration, _ body: nonisolated(nonsending) () async throws -> R
) async rethrows -> R {
  let deadline = ContinuousClock.Instant.now + duration
  let earlier = StoreDeadline.current.map { min($0, deadline) }
  return try await StoreDeadline.setting(earlier ?? deadline, body)
}

/// The time from which a task's work with a store counts as cancelled.
package enum StoreDeadline {
  @TaskLocal static var current: ContinuousClock.Instant?

  static var hasPassed: Bool { current.map { $0 <= .now } ?? false }

  /// Checks the deadline of the task.
  ///
  /// - Throws: `deadlineExceeded` if the deadline has passed.
  static func check() throws(StoreError) { if hasPassed { throw .deadlineExceeded } }

  /// Runs `body` without a deadline, to start work that outlives the caller.
  package static func withNone<R>(_ body: () -> R) -> R { $current.withValue(nil, operation: body) }

  /// Runs `body` with a deadline, on the caller's executor.
  fileprivate static func setting<R>(
    _ deadline: ContinuousClock.Instant, isolation: isolated (any Actor)? = #isolation,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async rethrows -> R {
    try await $current.withValue(deadline) {
      // The capture isolates the closure to the caller's actor.
      _ = isolation
      return try await body()
    }
  }

  /// Awaits `body`, and calls `action` to end it when the deadline passes.
  package static nonisolated(nonsending) func awaiting<R>(
    _ body: nonisolated(nonsending) () async -> R, orElse action: @escaping @Sendable () -> Void
  ) async -> R {
    guard let current else { return await body() }
    let alarm = Task.detached {
      guard (try? await Task.sleep(until: current, clock: .continuous)) != nil else { return }
      action()
    }
    defer { alarm.cancel() }
    return await body()
  }
}
