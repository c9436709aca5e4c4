/// What a context knows of a row: of the store's at its commit, or of the one that it shows.
enum RecordState: Sendable, Equatable {
  /// Nothing in memory says whether the row exists.
  case unknown
  /// The row does not exist.
  case absent
  case record(Record)

  /// A known state: nil is ``absent``.
  init(_ record: Record?) { self = record.map(Self.record) ?? .absent }

  /// The record; nil if the row is absent or unknown.
  var record: Record? { if case .record(let record) = self { record } else { nil } }

  var isKnown: Bool { self != .unknown }

  /// The state under a layer's change of the row; the state itself if the layer has none.
  func under(_ change: LayerChange?, in table: Table) -> RecordState {
    guard let change else { return self }
    // A link that is gone has no position to change.
    if table.isJoin, self == .absent, case .known(let move) = change, move.before != nil {
      return .absent
    }
    return RecordState(change.applied(to: record))
  }
}
