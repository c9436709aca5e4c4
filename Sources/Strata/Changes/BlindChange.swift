/// A change that is made without seeing the row: a function from any row to its result.
///
/// Blind changes compose as functions. They are never dropped as no-ops. They never conflict until
/// a layer that knows the row resolves them. At the latest, the writer does.
enum BlindChange: Sendable, Equatable {
  /// The row becomes this record; nil deletes it.
  case set(Record?)
  /// An existing row takes `attributes` from `onInsert`; a missing row becomes `onInsert`.
  ///
  /// A patch leaves at least one attribute alone. A patch of all attributes is a `set`.
  case patch(AttributeSet, onInsert: Record)

  /// Returns a patch in its canonical form: a `set` if it covers every attribute.
  static func patching(_ attributes: AttributeSet, onInsert: Record) -> BlindChange {
    attributes.count == onInsert.count ? .set(onInsert) : .patch(attributes, onInsert: onInsert)
  }

  /// Returns the result of the change for a row.
  func applied(to row: Record?) -> Record? {
    switch self {
    case .set(let record): record
    case .patch(let attributes, let onInsert):
      row.map { $0.replacing(attributes, from: onInsert) } ?? onInsert
    }
  }

  /// Returns this change followed by `next`.
  func composed(with next: BlindChange) -> BlindChange {
    switch (self, next) {
    case (_, .set): next
    case (.set(let record), .patch): .set(next.applied(to: record))
    case (.patch(let mine, let onInsert), .patch(let theirs, let values)):
      .patching(mine.union(theirs), onInsert: onInsert.replacing(theirs, from: values))
    }
  }

  /// Returns the part of this change that `later` leaves; nil if nothing remains.
  ///
  /// `later` follows this change, but the row has it already.
  func remaining(under later: BlindChange) -> BlindChange? {
    guard case .patch(let theirs, let values) = later else { return nil }
    switch self {
    case .set(nil): return nil
    case .set(let record?):
      return .patch(
        AttributeSet.all(record.count).subtracting(theirs),
        onInsert: record.replacing(theirs, from: values))
    case .patch(let mine, let onInsert):
      let left = mine.subtracting(theirs)
      if left.isEmpty { return nil }
      return .patch(left, onInsert: onInsert.replacing(theirs, from: values))
    }
  }

  /// Converts a known change into a function, which also applies to a row that the change has not
  /// seen.
  init(_ change: Change) {
    self =
      switch (change.before, change.after) {
      case (let before?, let after?):
        .patching(after.differences(from: before), onInsert: after)
      case (_, let after): .set(after)
      }
  }
}
