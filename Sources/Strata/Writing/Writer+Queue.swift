internal import StrataSQLite

extension Writer {
  /// Queues a unit and returns at once; the unit may run before this returns.
  ///
  /// - Parameter waitsForResumption: whether the unit waits while the store is suspended. If not,
  ///   it is refused as `suspended`.
  nonisolated func enqueue<R: Sendable>(
    _ lane: Lane, context: ContextID? = nil, waitsForResumption: Bool = true,
    _ body: @escaping @Sendable (isolated Writer) throws(StoreError) -> R
  ) -> Submission<R> {
    let promise = Promise<Result<R, StoreError>>()
    let withdraw = queue.add(
      { order in
        switch order {
        case .refuse(let error): promise.resolve(.failure(error))
        case .run:
          self.assumeIsolated { writer in
            promise.resolve(Result { () throws(StoreError) in try body(writer) })
            writer.announce()
          }
        }
      }, lane, context: context, waitsForResumption: waitsForResumption)
    return Submission(promise: promise, withdraw: withdraw)
  }

  /// Queues a unit and waits for its result.
  ///
  /// Cancelling the task withdraws a unit that has not started.
  ///
  /// A short unit runs on the caller's thread if no other unit runs or waits, unless that is the
  /// main thread. A unit that finds the store locked by another process is queued after all: only
  /// the writer's own thread waits for locks.
  nonisolated(nonsending) func submit<R: Sendable>(
    _ lane: Lane, context: ContextID? = nil, isShort: Bool = false,
    _ body: @escaping @Sendable (isolated Writer) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    if Task.isCancelled { throw .cancelled }
    if isShort, let result = queue.runIfIdle({ assumeIsolated { $0.runAtOnce(body) } }) {
      await queue.turns.endTurn()
      return try result.get()
    }
    return try await enqueue(lane, context: context, body).value
  }

  /// Runs a unit unless it has to wait; nil if the unit has to be queued.
  private func runAtOnce<R: Sendable>(
    _ body: (isolated Writer) throws(StoreError) -> R
  ) -> Result<R, StoreError>? {
    // Any setting but `NORMAL` waits for the disk, and foreign commits have to be read first.
    guard options.settings.synchronous == .normal, let connection = file.connection,
      (try? counter.isCurrent(connection)) == true
    else { return nil }
    defer { announce() }
    connection.setWaitsForLocks(false)
    defer { connection.setWaitsForLocks(true) }
    do throws(StoreError) { return .success(try body(self)) } catch {
      return error.code == .busy ? nil : .failure(error)
    }
  }
}
