/// Keeps a snapshot, and says who does: for a report of what keeps the log from being started
/// again.
///
/// A read that ends by itself needs none: the snapshot knows what is being read from it.
final class SnapshotHold: Sendable {
  let snapshot: Snapshot
  private let number: Int

  init(_ snapshot: Snapshot, _ kind: StackDiagnostics.Holder.Kind, name: String? = nil) {
    self.snapshot = snapshot
    number = snapshot.addHolder(Holder(kind: kind, name: name, since: .now))
  }

  deinit { snapshot.removeHolder(number) }

  /// Gives the holder another name.
  func rename(_ name: String?) { snapshot.renameHolder(number, name) }

  /// Somebody who keeps a snapshot.
  struct Holder: Sendable {
    let kind: StackDiagnostics.Holder.Kind
    var name: String?
    let since: ContinuousClock.Instant
  }
}
