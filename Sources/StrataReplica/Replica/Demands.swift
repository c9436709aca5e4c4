internal import Strata

/// The work that callers have asked of the next steps of a replica.
struct Demands {
  /// The comparison of all rows that ``Replica/resync()`` asks for.
  ///
  /// ```
  /// none ─asked→ asked;  asked ─a copy begins→ running;  running ─its last page→ none
  /// running ─asked→ asked
  /// ```
  enum Copy: Equatable {
    case none
    case asked
    case running
  }

  private(set) var copy = Copy.none
  /// The comparison of all rows with the server's; nil if no caller waits for one.
  private(set) var verification: Verification?
  /// The rows whose edits were given up. Without the edits, they may not meet the filter.
  private(set) var reverted: [String: Set<RecordKey>] = [:]
  /// The withheld rows that the next pull reads again. The first pull reads all of them.
  private var withheld = PullOrder.Withheld.all
  /// The callers that wait for the next step.
  private var waiters: [DirectContinuation<Void>] = []

  var hasWaiters: Bool { !waiters.isEmpty }

  // MARK: - Callers

  mutating func resync() { copy = .asked }

  mutating func revert(_ key: RecordKey, of table: Table) {
    reverted[table.name, default: []].insert(key)
  }

  /// Begins a verification; false if another one is under way.
  mutating func beginVerification() -> Bool {
    if verification != nil { return false }
    verification = .requested
    return true
  }

  mutating func endVerification() { verification = nil }

  mutating func add(_ waiter: DirectContinuation<Void>) { waiters.append(waiter) }

  /// Returns the callers that wait, who are told of the step.
  mutating func takeWaiters() -> [DirectContinuation<Void>] {
    defer { waiters = [] }
    return waiters
  }

  // MARK: - Steps

  /// Notes that a pull begins, and returns the work that it has.
  func beginPull() -> PullOrder {
    PullOrder(
      readsAll: copy == .asked, reverted: reverted,
      suspects: verification?.suspects ?? [:], withheld: withheld)
  }

  /// Notes that a pull was applied, which read the rows of its order.
  mutating func applied(_ order: PullOrder, hasWithheld: Bool) {
    for (name, keys) in order.reverted { reverted[name]?.subtract(keys) }
    withheld = hasWithheld ? .duplicates : .none
  }

  /// Notes a page of a copy, after which the store may withhold rows.
  mutating func appliedPage(hasWithheld: Bool) {
    if hasWithheld && withheld == .none { withheld = .duplicates }
  }

  mutating func beganCopy() { if copy == .asked { copy = .running } }

  mutating func endedCopy() { if copy == .running { copy = .none } }

  /// Changes the verification, if one is under way.
  mutating func verify(_ body: (inout Verification) -> Void) {
    if var verification {
      body(&verification)
      self.verification = verification
    }
  }
}
