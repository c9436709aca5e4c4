/// The state of the store that a scratch context reads.
///
/// The first read pins it, whether by the context or by a child that the context made before. Like
/// the scratch contexts that share it, it is confined to one actor.
final class ReadState {
  private(set) var snapshot: Snapshot?
  /// Reports the snapshot as held for children that have not read it yet.
  private var hold: SnapshotHold?

  init(_ snapshot: Snapshot? = nil) { self.snapshot = snapshot }

  func pin(_ snapshot: Snapshot) { if self.snapshot == nil { self.snapshot = snapshot } }

  /// Pins a state for children whose parent moves on to another state.
  func pinForChildren(_ snapshot: Snapshot) {
    if self.snapshot != nil { return }
    self.snapshot = snapshot
    hold = SnapshotHold(snapshot, .scratchContext)
  }
}
