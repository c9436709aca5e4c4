import Strata

/// Rebuilds the store from a change stream alone.
actor LedgerFollower {
  private let name: String
  private var ledger: Ledger
  private var commit: Int64 = 0
  private(set) var resets = 0
  private let pace: Duration?
  private var waiter: (commit: Int64, continuation: UnsafeContinuation<Void, Never>)?

  /// - Parameter pace: how long it rests after each element.
  init(
    _ start: Ledger, _ changes: ChangeStream<ChangeSet>, _ name: String, pace: Duration? = nil
  ) {
    ledger = start
    self.name = name
    self.pace = pace
    Task { await follow(changes) }
  }

  private func follow(_ changes: ChangeStream<ChangeSet>) async {
    for await set in changes {
      if !ledger.apply(set) { resets += 1 }
      commit = set.commit
      if let waiter, waiter.commit <= commit {
        self.waiter = nil
        waiter.continuation.resume()
      }
      if let pace { try? await Task.sleep(for: pace) }
    }
  }

  func reach(_ last: Int64) async {
    if commit >= last { return }
    await withUnsafeContinuation { waiter = (last, $0) }
  }

  func violations(_ stored: Ledger, isExact: Bool) -> [String] {
    if isExact && resets > 0 { return ["\(resets) resets in the \(name)'s changes"] }
    if isExact && ledger != stored { return ["the \(name)'s changes do not make the final state"] }
    return !isExact && resets == 0 ? ["the \(name) was not told of anything unknown"] : []
  }
}
