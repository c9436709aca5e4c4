/// The change of a key's row over one or more commits.
struct RowChange: Sendable {
  let key: RecordKey
  let change: Change
  /// The states between the first and the last of several commits; nil for a single commit.
  private let passage: Passage?

  /// A summary of the states between the first and the last commit.
  ///
  /// A consumer that has read the row in one of these states may need it.
  private final class Passage: Sendable {
    let attributes: AttributeSet
    let lastRecord: Record?

    init(_ attributes: AttributeSet, _ lastRecord: Record?) {
      (self.attributes, self.lastRecord) = (attributes, lastRecord)
    }
  }

  init(key: RecordKey, change: Change) {
    self.init(key: key, change: change, passage: nil)
  }

  private init(key: RecordKey, change: Change, passage: Passage?) {
    self.key = key
    self.change = change
    self.passage = passage
  }

  /// The attributes that differ, or that differed between two of the commits.
  var attributes: AttributeSet {
    (passage?.attributes ?? AttributeSet()).union(change.differences ?? AttributeSet())
  }

  /// The record of a row that does not exist after the change.
  ///
  /// This is the record before the change. If there is none, it is the last record in between.
  var lastRecord: Record? { change.before ?? passage?.lastRecord }

  /// The record at the last commit at which the row existed.
  private var newestRecord: Record? { change.after ?? passage?.lastRecord ?? change.before }

  /// Returns this change followed by a later change of the same key.
  ///
  /// The result keeps the key even if the row is as it was at first: a consumer may have read the
  /// row in between. The `before` of `next` may differ from this change's `after`, because other
  /// programs may have written the row in between.
  func composed(with next: RowChange) -> RowChange {
    RowChange(
      key: key, change: Change(before: change.before, after: next.change.after),
      passage: Passage(
        attributes.union(next.attributes), next.newestRecord ?? newestRecord))
  }
}
