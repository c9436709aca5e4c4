/// A reference to a snapshot that names its holder.
///
/// A report lists the holders, because a held snapshot keeps the log from being restarted. A read
/// that ends by itself needs no hold: the snapshot knows its running reads.
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

  /// The holder of a snapshot.
  struct Holder: Sendable {
    let kind: StackDiagnostics.Holder.Kind
    var name: String?
    let since: ContinuousClock.Instant
  }
}
