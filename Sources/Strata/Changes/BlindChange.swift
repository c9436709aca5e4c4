/// A change by somebody who has not seen the row: a function from any row to its result.
///
/// Blind changes compose as functions. They are never dropped as no-ops and never conflict until
/// a layer that knows the row resolves them; at the latest the writer does.
enum BlindChange: Sendable, Equatable {
  /// The row becomes exactly this; nil deletes it.
  case set(Record?)
  /// If the row is there, `attributes` take their values from `onInsert`; if not, the row becomes
  /// `onInsert`. At least one attribute is left alone: a patch of all of them is a `set`.
  case patch(AttributeSet, onInsert: Record)

  /// A patch in its canonical form.
  static func patching(_ attributes: AttributeSet, onInsert: Record) -> BlindChange {
    attributes.count == onInsert.count ? .set(onInsert) : .patch(attributes, onInsert: onInsert)
  }

  /// What the change makes of a row.
  func applied(to row: Record?) -> Record? {
    switch self {
    case .set(let record): record
    case .patch(let attributes, let onInsert):
      row.map { $0.replacing(attributes, from: onInsert) } ?? onInsert
    }
  }

  /// This change, then `next`.
  func composed(with next: BlindChange) -> BlindChange {
    switch (self, next) {
    case (_, .set): next
    case (.set(let record), .patch): .set(next.applied(to: record))
    case (.patch(let mine, let onInsert), .patch(let theirs, let values)):
      .patching(mine.union(theirs), onInsert: onInsert.replacing(theirs, from: values))
    }
  }

  /// What is left of this change in a row to which `later`, which comes after it, was applied
  /// already; nil if that is nothing.
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

  /// A known change as a function: what it does to a row that it has not seen.
  init(_ change: Change) {
    self =
      switch (change.before, change.after) {
      case (let before?, let after?):
        .patching(after.differences(from: before), onInsert: after)
      case (_, let after): .set(after)
      }
  }
}
