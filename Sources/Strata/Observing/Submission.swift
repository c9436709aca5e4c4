/// A unit of work on its way.
struct Submission<R: Sendable>: Sendable {
  private let promise: Promise<R>
  let withdraw: @Sendable () -> Void

  init(promise: Promise<R>, withdraw: @escaping @Sendable () -> Void) {
    self.promise = promise
    self.withdraw = withdraw
  }

  /// The same unit; `action` runs before it is withdrawn.
  func beforeWithdrawing(_ action: @escaping @Sendable () -> Void) -> Submission {
    Submission(promise: promise) {
      action()
      withdraw()
    }
  }

  /// The unit's result; cancelling the task withdraws the unit if it has not started.
  nonisolated(nonsending) var value: R {
    get async throws(StoreError) {
      let result: Result<R, StoreError> = await withTaskCancellationHandler {
        await StoreDeadline.awaiting {
          do throws(StoreError) { return .success(try await promise.value) } catch {
            return .failure(error)
          }
        } orElse: {
          withdraw()
        }
      } onCancel: {
        withdraw()
      }
      if case .failure(let error) = result, error.code == .cancelled, !Task.isCancelled {
        try StoreDeadline.check()
      }
      return try result.get()
    }
  }

  /// The unit's result, whatever becomes of the task: what it says has happened already.
  nonisolated(nonsending) var settled: R {
    get async throws(StoreError) { try await promise.value }
  }
}
