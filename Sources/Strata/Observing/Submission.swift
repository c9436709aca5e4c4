/// A queued unit of work, whose result can be awaited.
struct Submission<R: Sendable>: Sendable {
  private let promise: Promise<Result<R, StoreError>>
  let withdraw: @Sendable () -> Void

  init(
    promise: Promise<Result<R, StoreError>>, withdraw: @escaping @Sendable () -> Void
  ) {
    self.promise = promise
    self.withdraw = withdraw
  }

  /// Returns the same unit with an action that runs before the unit is withdrawn.
  func beforeWithdrawing(_ action: @escaping @Sendable () -> Void) -> Submission {
    Submission(promise: promise) {
      action()
      withdraw()
    }
  }

  /// The unit's result; cancelling the task withdraws the unit if it has not started.
  nonisolated(nonsending) var value: R {
    get async throws(StoreError) {
      let result = await withCancellationHandling {
        await StoreDeadline.awaiting {
          await promise.value
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

  /// The unit's result; cancelling the task does not withdraw the unit.
  ///
  /// This is for a unit that records an event which has already happened.
  nonisolated(nonsending) var valueDespiteCancellation: R {
    get async throws(StoreError) { try await promise.value.get() }
  }
}
