/// A context's knowledge of a row: of the store's row at its commit, or of the row that it shows.
enum RecordState: Sendable, Equatable {
  /// The context does not know whether the row exists.
  case unknown
  /// The row does not exist.
  case absent
  case record(Record)

  /// Creates a known state; nil is ``absent``.
  init(_ record: Record?) { self = record.map(Self.record) ?? .absent }

  /// The record; nil if the row is absent or unknown.
  var record: Record? { if case .record(let record) = self { record } else { nil } }

  var isKnown: Bool { self != .unknown }

  /// Returns this state if it is known; else the other one.
  func or(_ other: @autoclosure () -> RecordState) -> RecordState { isKnown ? self : other() }

  /// Returns the state with a layer's change of the row on top; the same state without a change.
  func under(_ change: LayerChange?, in table: Table) -> RecordState {
    guard let change else { return self }
    // A removed link stays absent: it has no position to change.
    if table.isJoin, self == .absent, case .known(let move) = change, move.before != nil {
      return .absent
    }
    return RecordState(change.applied(to: record))
  }
}
