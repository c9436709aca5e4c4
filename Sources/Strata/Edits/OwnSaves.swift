/// The rows that a scratch context's saves wrote, by the values that they replaced.
///
/// A scratch context does not observe the commits of other contexts, and it does not keep the rows
/// that it fetched. A value in hand therefore counts as the store's row. If a save of this context
/// has replaced the value, the saved row counts instead. Without this memory, the value would
/// conflict with the context's own save.
///
/// A key is remembered as of the last save that wrote it, until the context reads a later commit.
/// By then, the row may be different.
struct OwnSaves {
  private struct Save {
    let layer: Layer
    let changes: [TableID: TableChanges]
    let commit: Int64
  }

  private struct Write {
    /// The maximum number of replaced values that are kept for a key, the newest values.
    static let limit = 8
    var replaced: [Record] = []
    var written: RecordState
    var commit: Int64
  }

  /// The saves whose rows are not in ``writes`` yet; the rows of most saves are never needed.
  private var saves: [Save] = []
  private var writes: [TableID: [RecordKey: Write]] = [:]
  /// The number of remembered rows; a row that was written twice counts twice.
  private var count = 0
  /// The newest commit that the context has read; older saves are not remembered.
  private var readCommit: Int64 = 0
  /// The maximum number of remembered rows; past it, only the newest save is remembered.
  private static let limit = TableChanges.limit

  /// Remembers the rows that a save of a layer wrote.
  mutating func remember(_ layer: Layer, as changes: [TableID: TableChanges], _ commit: Int64) {
    let rows = changes.values.reduce(0) { $0 + $1.count }
    if rows == 0 { return }
    if count + rows > Self.limit { self = OwnSaves() }
    saves.append(Save(layer: layer, changes: changes, commit: commit))
    count += rows
  }

  /// Forgets the saves before a commit that the context reads from now on.
  mutating func willRead(_ commit: Int64) {
    if count == 0 || commit <= readCommit { return }
    readCommit = commit
    saves.removeAll { $0.commit < commit }
    writes = writes.mapValues { $0.filter { $0.value.commit >= commit } }
      .filter { !$0.value.isEmpty }
    count = saves.reduce(writes.values.reduce(0) { $0 + $1.count }) { count, save in
      save.changes.values.reduce(count) { $0 + $1.count }
    }
  }

  /// Returns the row that own saves wrote for a key, if they replaced the value in hand; else
  /// unknown.
  mutating func state(
    of key: RecordKey, in table: Table, replacing inHand: Record
  ) -> RecordState {
    indexSaves()
    guard let write = writes[table.id]?[key] else { return .unknown }
    let isReplaced = write.replaced.contains {
      table.respelled(inHand, like: $0, seesDefaults: true) == $0
    }
    return isReplaced ? write.written : .unknown
  }

  private mutating func indexSaves() {
    for save in saves {
      for (table, changes) in save.changes {
        guard case .rows(let rows) = changes else { continue }
        for row in rows {
          let edit = save.layer[table, row.key]
          // A row that a delete rule changed matters only if this context wrote it before.
          guard edit != nil || writes[table]?[row.key] != nil else { continue }
          var write = writes[table]?[row.key] ?? Write(written: .unknown, commit: 0)
          if case .known(let change)? = edit, let before = change.before {
            write.replaced.append(before)
          }
          if let before = row.change.before { write.replaced.append(before) }
          write.replaced = write.replaced.suffix(Write.limit)
          (write.written, write.commit) = (RecordState(row.change.after), save.commit)
          writes[table, default: [:]][row.key] = write
        }
      }
    }
    saves = []
  }
}
