/// Whether edits may wait to be pushed, and which of them the server has.
///
/// A look takes the edits that wait out of the outbox. A look is settled once the server has its edits. An
/// attempt to push need not look: it may find that the server has made the push before it already.
///
/// ```
/// idle ─commit, pull, need→ due;  due ─begin→ idle
/// idle, due ─fail→ resting;  resting ─commit, rest ends, need→ due
/// ```
struct EditLookups {
  enum State: Equatable {
    /// No edit waits that the replica does not know.
    case idle
    /// Edits may wait that no look has found.
    case due
    /// The server takes no push. The replica tries again after a wait.
    case resting
  }

  private(set) var state = State.due
  /// The reason for which the server took no push; nil if it did, or if the next attempt may succeed.
  private(set) var failure: ReplicaError?
  /// The edits of which other hosts are told.
  var replacing = ReplacingEdits()
  /// The edits that the last push has left behind.
  private var left = PushRemainder.nothing
  private var (looks, settled, attempts) = (0, 0, 0)
  private var backoff: Backoff

  init(seed: UInt64) { backoff = Backoff(seed: seed) }

  var isDue: Bool { state == .due }

  // MARK: - Commits of this store

  /// Notes that a commit may have made edits.
  mutating func noteCommit() { state = .due }

  // MARK: - Pushes

  /// Notes that an attempt to push begins.
  mutating func begin() {
    (state, failure) = (.idle, nil)
    attempts += 1
  }

  /// Notes that the outbox is about to be read.
  mutating func look() {
    left = .nothing
    looks += 1
  }

  /// Notes that no edit is left of those for which the last look has looked.
  mutating func settle() {
    settled = looks
    backoff.reset()
  }

  /// Notes that the server has committed a push.
  ///
  /// - Parameter left: the edits that were left behind.
  mutating func pushed(_ left: PushRemainder) { self.left = left }

  /// Notes that the server took no push.
  ///
  /// - Parameter error: the reason; nil if another transaction was in the way.
  /// - Returns: the wait before the next attempt.
  mutating func fail(_ error: ReplicaError?) -> Duration {
    (state, failure) = (.resting, error)
    return backoff.next()
  }

  /// Notes the end of a wait.
  mutating func rested() { if state == .resting { state = .due } }

  // MARK: - Pulls

  /// Notes what a pull says of the last push.
  ///
  /// - Parameter isNoted: whether the store has noted it.
  /// - Returns: the wait before the next push; nil for none.
  mutating func pulled(_ outcome: PushState.Outcome, isNoted: Bool) -> Duration? {
    switch outcome {
    case .waiting:
      if state == .idle { state = .due }
    case .lost, .foreign, .unregistered: state = .due
    case .confirmed where isNoted:
      replacing.confirm()
      if left == .locked { return fail(nil) }
      if left == .nothing { settle() }
      state = .due
    case .confirmed: break
    }
    return nil
  }

  // MARK: - Waiting for the server

  /// The edits that are committed by now.
  struct Ticket {
    fileprivate let look: Int
    fileprivate let attempt: Int
  }

  var ticket: Ticket { Ticket(look: looks + 1, attempt: attempts + 1) }

  func hasSettled(_ ticket: Ticket) -> Bool { settled >= ticket.look }

  /// Returns why the server took no push that began after the ticket was taken.
  func failure(of ticket: Ticket) -> ReplicaError? { attempts >= ticket.attempt ? failure : nil }

  /// Asks for a look at the edits of a ticket, at once.
  mutating func need(_ ticket: Ticket) {
    if state == .resting || looks < ticket.look { state = .due }
  }
}
