/// The state of the store that a scratch context reads: pinned by whichever first read there is, of
/// the context itself or of a child that was made before.
///
/// Confined like the scratch contexts that share it.
final class ReadState {
  private(set) var snapshot: Snapshot?
  /// Names what is kept for children that have read nothing yet.
  private var hold: SnapshotHold?

  init(_ snapshot: Snapshot? = nil) { self.snapshot = snapshot }

  func pin(_ snapshot: Snapshot) { if self.snapshot == nil { self.snapshot = snapshot } }

  /// Pins a state for children, which the context that made them leaves.
  func pinForChildren(_ snapshot: Snapshot) {
    if self.snapshot != nil { return }
    self.snapshot = snapshot
    hold = SnapshotHold(snapshot, .scratchContext)
  }
}
