extension Store {
  /// Whether the store is suspended.
  var isSuspended: Bool { lifecycle.withLock { $0.state == .suspended } }

  /// Lets what is queued finish, stops fetches, closes every connection.
  func suspend() async {
    guard await ask(.suspend) == .begin else { return }
    await writer.suspend()
    writer.options.log.note(.suspended)
    finish(true)
  }

  /// Opens the file again and accounts for what others committed.
  func resume() async throws(StoreError) {
    switch await ask(.resume) {
    case .nothing: return
    case .refuse: throw .closed
    case .begin:
      do throws(StoreError) {
        try await writer.resume()
      } catch {
        finish(false)
        throw error
      }
      writer.options.log.note(.resumed)
      finish(true)
    }
  }

  /// Refuses new work, lets queued work finish, closes every connection; returns when that is done,
  /// whoever began it.
  func close() async {
    guard await ask(.close) == .begin else { return }
    await writer.close()
    publisher.finish()
    writer.options.log.note(.closed)
    finish(true)
  }

  private func ask(_ call: Lifecycle.Call) async -> Lifecycle.Action {
    await withUnsafeContinuation { caller in
      if let action = lifecycle.withLock({ $0.ask(call, caller) }) {
        caller.resume(returning: action)
      }
    }
  }

  private func finish(_ isDone: Bool) {
    for (caller, action) in lifecycle.withLock({ $0.finish(isDone) }) {
      caller.resume(returning: action)
    }
  }
}
