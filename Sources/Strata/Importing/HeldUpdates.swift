/// The updates that an import holds back, because a later record of the feed may take them back.
///
/// A feed may have a key twice, with other values each time. If each record were written as its
/// batch comes, every import of the same feed would change the row to the first record's values
/// and back. So an update waits until everything was read, or until a later record of its key
/// comes.
///
/// A feed with more updates than memory should hold has new values, so its updates are written as
/// they come from then on.
package struct HeldUpdates: Sendable {
  /// The largest number of updates.
  package static let limit = 2_000
  /// The largest number of bytes in their records.
  private static let byteLimit = 4 * 1024 * 1024

  private var rows = RecordBatch()
  private var byteCount = 0
  /// Whether further updates are held back.
  package private(set) var isOpen = true

  package init() {}

  package var isEmpty: Bool { rows.isEmpty }

  /// Moves the updates of a later batch's rows into the batch, before its own changes.
  ///
  /// - Returns: the number of updates that were moved.
  package mutating func move(under later: inout RecordBatch) -> Int {
    if isEmpty { return 0 }
    let count = rows.count
    rows.move(under: &later)
    if rows.count < count { byteCount = rows.byteCount }
    return count - rows.count
  }

  /// Holds further updates, each after an earlier update of its row.
  ///
  /// If they are too many, no later update is held, and `take()` returns all of them.
  ///
  /// - Returns: the number of earlier updates that these updates replace or add to.
  package mutating func hold(_ updates: RecordBatch) -> Int {
    if updates.isEmpty { return 0 }
    let count = rows.count + updates.count
    rows.compose(updates)
    byteCount += updates.byteCount
    if rows.count > Self.limit || byteCount > Self.byteLimit { isOpen = false }
    return count - rows.count
  }

  /// Returns the updates, which are no longer held.
  package mutating func take() -> RecordBatch {
    defer { (rows, byteCount) = (RecordBatch(), 0) }
    return rows
  }
}

extension RecordBatch {
  /// The number of bytes in the records.
  fileprivate var byteCount: Int {
    layer.tables.values.reduce(0) { sum, changes in
      changes.reduce(sum) { $0 + ($1.change.applied(to: nil)?.withBytes(\.count) ?? 0) }
    }
  }
}

extension WorkingSet {
  /// A row of a table.
  typealias Place = (table: TableID, key: RecordKey)

  /// Takes out the updates on which no other row depends.
  ///
  /// An update of a unique value or of a reference may make room for another row of its batch, or
  /// keep a row from a delete rule.
  mutating func takeUpdates(_ model: Model) -> [Place] {
    var taken: [Place] = []
    for id in tableIDs {
      let table = model[id]
      let bound = AttributeSet(table.uniques.flatMap(\.self) + table.references.map(\.column))
      func isFree(_ row: Row) -> Bool {
        guard let before = row.before, let after = row.after else { return false }
        return after.differences(from: before).isDisjoint(with: bound)
      }
      taken += take(from: id, where: isFree).map { (id, $0.key) }
    }
    return taken
  }

  /// Takes out the rows that the store does not have, except for those whose deletion waited to be pushed.
  mutating func takeInsertions(besides met: MetRows) -> [Place] {
    tableIDs.flatMap { id in
      take(from: id) { $0.before == nil && !met.hasMoved(id, $0.key) }.map { (id, $0.key) }
    }
  }
}
