/// What one or more commits did to the row of a key.
struct RowChange: Sendable {
  let key: RecordKey
  let change: Change
  /// What several commits did on the way; nil for a single commit.
  private let passage: Passage?

  /// The states between the first commit and the last one, as far as a consumer may need them who
  /// read one of these states.
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

  /// The attributes that differ, or differed between two of the commits.
  var attributes: AttributeSet {
    var attributes = passage?.attributes ?? AttributeSet()
    if let before = change.before, let after = change.after {
      attributes.formUnion(after.differences(from: before))
    }
    return attributes
  }

  /// The row as it was last, for one that is gone.
  var lastRecord: Record? { change.before ?? passage?.lastRecord }

  /// The row at the last commit at which it existed.
  private var newestRecord: Record? { change.after ?? passage?.lastRecord ?? change.before }

  /// This change followed by a later one of the same key.
  ///
  /// The key stays, even if the row is what it was at first: a consumer may have read the row in
  /// between. Another program may have written the row in between, so the two need not meet.
  func composed(with next: RowChange) -> RowChange {
    RowChange(
      key: key, change: Change(before: change.before, after: next.change.after),
      passage: Passage(
        attributes.union(next.attributes), next.newestRecord ?? newestRecord))
  }
}
