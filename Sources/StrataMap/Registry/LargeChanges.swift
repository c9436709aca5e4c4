internal import Strata

/// The large changes of a registry: one is processed at a time, and later ones wait.
///
/// current ─large change→ behind ─processed, others wait→ behind;  behind ─processed, none waits→ current
/// any ─end→ over
struct LargeChanges<E: Entity> {
  enum State {
    /// Every change has been processed.
    case current
    /// A large change is being processed.
    case behind
    /// The registry has ended.
    case over
  }

  private(set) var state = State.current
  /// The large changes that wait to be processed.
  private var waiting: [KeyedDifference<E>] = []
  /// The keys of the few changes since a large change began to be processed.
  private(set) var changedMeanwhile: Set<RecordKey> = []

  /// Adds a large change.
  ///
  /// - Returns: whether no other one is being processed.
  mutating func add(_ difference: KeyedDifference<E>) -> Bool {
    if state == .over { return false }
    waiting.append(difference)
    defer { state = .behind }
    return state == .current
  }

  /// Notes a small change, which is processed at once.
  mutating func note(_ id: RecordKey) { if state == .behind { changedMeanwhile.insert(id) } }

  /// Takes all waiting changes.
  mutating func takeWaiting() -> [KeyedDifference<E>] {
    defer { waiting = [] }
    return waiting
  }

  /// Notes that the changes that were taken have been processed.
  ///
  /// - Returns: whether others wait.
  mutating func didProcess() -> Bool {
    changedMeanwhile = []
    if state == .behind && waiting.isEmpty { state = .current }
    return state == .behind
  }

  mutating func end() { (state, waiting, changedMeanwhile) = (.over, [], []) }
}
