extension Store {
  /// Whether the store is suspended.
  var isSuspended: Bool { lifecycle.withLock { $0.state == .suspended } }

  /// Lets queued work finish, stops fetches and closes every connection.
  func suspend() async {
    guard await ask(.suspend) == .begin else { return }
    await writer.suspend()
    writer.options.log.note(.suspended)
    finish(true)
  }

  /// Opens the file again and publishes the commits of other processes.
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

  /// Refuses new work, lets queued work finish and closes every connection.
  ///
  /// Returns when all of that is done, even if another call began it.
  func close() async {
    guard await ask(.close) == .begin else { return }
    await writer.close()
    publisher.finish()
    writer.options.log.note(.closed)
    finish(true)
  }

  private func ask(_ call: Lifecycle.Call) async -> Lifecycle.Action {
    await lifecycle.awaiting { $0.ask(call, $1) }
  }

  private func finish(_ isDone: Bool) {
    for (caller, action) in lifecycle.withLock({ $0.finish(isDone) }) {
      caller.resume(returning: action)
    }
  }
}
