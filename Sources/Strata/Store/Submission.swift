/// A unit of work on its way.
struct Submission<R: Sendable>: Sendable {
  private let promise: Promise<R>
  private let withdraw: @Sendable () -> Void

  init(promise: Promise<R>, withdraw: @escaping @Sendable () -> Void) {
    self.promise = promise
    self.withdraw = withdraw
  }

  /// The unit's result; cancelling the task withdraws the unit if it has not started.
  nonisolated(nonsending) var value: R {
    get async throws(StoreError) {
      let result: Result<R, StoreError> = await withTaskCancellationHandler {
        do throws(StoreError) { return .success(try await promise.value) } catch {
          return .failure(error)
        }
      } onCancel: {
        withdraw()
      }
      return try result.get()
    }
  }
}
