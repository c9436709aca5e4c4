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
  /// Whether the app follows whatever database the server has.
  private var adoptsDatabase = false
  /// The callers that wait for a step that begins after their calls.
  private var coming: [DirectContinuation<Void>] = []
  /// The callers that wait for the end of the step that is under way.
  private var present: [DirectContinuation<Void>] = []

  var hasWaiters: Bool { !coming.isEmpty }

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

  mutating func adoptDatabase() { adoptsDatabase = true }

  mutating func add(_ waiter: DirectContinuation<Void>) { coming.append(waiter) }

  // MARK: - Steps

  /// Notes that a step, or an attempt to reach the server, begins.
  ///
  /// What went wrong before is nothing to the callers that wait for it.
  mutating func beginStep() {
    present += coming
    coming = []
  }

  /// Returns the callers that wait for the step that has ended.
  mutating func takeWaiters() -> [DirectContinuation<Void>] {
    defer { present = [] }
    return present
  }

  /// Notes that a pull begins, and returns the work that it has.
  func beginPull() -> PullOrder {
    PullOrder(
      readsAll: copy == .asked, adoptsDatabase: adoptsDatabase, reverted: reverted,
      suspects: verification?.suspects ?? [:], withheld: withheld)
  }

  /// Notes that a pull has ended without an error, after it has seen the database of the server.
  mutating func pulled(_ order: PullOrder) { if order.adoptsDatabase { adoptsDatabase = false } }

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
