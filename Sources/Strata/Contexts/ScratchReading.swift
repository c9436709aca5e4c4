/// What a scratch context reads: a state of the store, pinned by the first read, and the rows that its own saves wrote.
struct ScratchReading {
  /// The state, which the children made since it was taken may read, too.
  private(set) var state: ReadState
  private var hasChildren = false
  /// Reports the context as a holder of the snapshot.
  private var hold: SnapshotHold?
  var ownSaves = OwnSaves()
  /// The name of the context while it holds a snapshot.
  var name: String? { didSet { hold?.rename(name) } }

  init(_ state: ReadState) {
    self.state = state
    holdSnapshot()
  }

  /// Whether children read a state that no snapshot keeps yet.
  var isPromised: Bool { hasChildren && state.snapshot == nil }

  /// Returns the state for a child.
  mutating func share() -> ReadState {
    hasChildren = true
    return state
  }

  /// Takes another state, which may be newer.
  mutating func move(to state: ReadState) {
    self.state = state
    hasChildren = false
    holdSnapshot()
  }

  /// Notes that the context reads the state's snapshot.
  mutating func willRead(_ snapshot: Snapshot) {
    if hold?.snapshot !== snapshot { holdSnapshot() }
    ownSaves.willRead(snapshot.commit)
  }

  private mutating func holdSnapshot() {
    hold = state.snapshot.map { SnapshotHold($0, .scratchContext, name: name) }
  }
}
