import Strata

/// A consumer that rebuilds the contents of a store from a change stream alone.
actor ContentsFollower {
  private let name: String
  private var contents: StoreContents
  private var commit: Int64
  private(set) var resets = 0
  private var wrong = 0
  private let pace: Duration?
  private var waiter: (commit: Int64, continuation: UnsafeContinuation<Void, Never>)?

  /// - Parameters:
  ///   - start: the contents of the store at `commit`.
  ///   - pace: the pause after each element.
  init(
    _ start: StoreContents, at commit: Int64, _ changes: ChangeStream<ChangeSet>, _ name: String,
    pace: Duration? = nil
  ) {
    contents = start
    self.commit = commit
    self.name = name
    self.pace = pace
    Task { await follow(changes) }
  }

  private func follow(_ changes: ChangeStream<ChangeSet>) async {
    for await set in changes {
      switch contents.apply(set) {
      case .exact: break
      case .reset: resets += 1
      case .wrong: wrong += 1
      }
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

  func violations(_ stored: StoreContents, isExact: Bool) -> [String] {
    if !isExact {
      return resets == 0 ? ["the \(name) was not told of anything unknown"] : []
    }
    var violations: [String] = []
    if resets > 0 { violations.append("\(resets) resets in the \(name)'s changes") }
    if wrong > 0 {
      violations.append("\(wrong) of the \(name)'s changes begin with something else")
    }
    if contents != stored { violations.append("the \(name)'s changes do not make the final state") }
    return violations
  }
}
