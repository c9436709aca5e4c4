/// Runs `body`, whose fetches and waits end with `deadlineExceeded` when `duration` has passed.
///
/// ```swift
/// let songs = try await withStoreDeadline(in: .milliseconds(300)) {
///   try await view.fetch(Song.where { $0.title.contains(word) })
/// }
/// ```
///
/// A statement that runs is stopped, not only waited for no longer, and its connection can be used
/// at once. A save that has not started is withdrawn; one that has is finished. Deadlines nest: the
/// earliest counts. What `body` starts in tasks of its own has the same deadline.
///
/// - Throws: what `body` throws; ``StoreError`` with code `deadlineExceeded` out of the call that
///   was too late.
public nonisolated(nonsending) func withStoreDeadline<R>(
  in duration: Duration, _ body: nonisolated(nonsending) () async throws -> R
) async rethrows -> R {
  let deadline = ContinuousClock.Instant.now + duration
  let earlier = StoreDeadline.current.map { min($0, deadline) }
  return try await StoreDeadline.$current.withValue(earlier ?? deadline) { try await body() }
}

/// The time after which what a task does with a store counts as cancelled.
package enum StoreDeadline {
  @TaskLocal static var current: ContinuousClock.Instant?

  static var hasPassed: Bool { current.map { $0 <= .now } ?? false }

  /// - Throws: `deadlineExceeded` if the deadline has passed.
  static func check() throws(StoreError) { if hasPassed { throw .deadlineExceeded } }

  /// Starts work that outlives the caller: whoever began it does not end it.
  package static func withNone<R>(_ body: () -> R) -> R { $current.withValue(nil, operation: body) }

  /// Awaits `body`, and lets `action` end it when the deadline passes.
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
