/// Runs `operation` on the caller's executor, and `handler` at once if the task is cancelled.
///
/// A `nonisolated(nonsending)` function that hands a closure to the standard library's function
/// leaves the caller's actor: the closure runs on the concurrent pool. For the main actor that is
/// two more changes of threads.
package func withCancellationHandling<R, Failure: Error>(
  isolation: isolated (any Actor)? = #isolation,
  _ operation: nonisolated(nonsending) () async throws(Failure) -> R,
  onCancel handler: @Sendable () -> Void
) async throws(Failure) -> R {
  let result = await withTaskCancellationHandler {
    // The capture isolates the closure to the caller's actor.
    _ = isolation
    do throws(Failure) { return Result<R, Failure>.success(try await operation()) } catch {
      return .failure(error)
    }
  } onCancel: {
    handler()
  }
  return try result.get()
}
