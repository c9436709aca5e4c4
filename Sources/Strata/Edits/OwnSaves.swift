/// What the saves of a scratch context wrote, for values in hand from before them.
///
/// A scratch context is not told of others' commits, and it does not keep what it fetched. So a
/// value in hand counts as what the store has, unless it is one that a save of this context has
/// replaced: then what that save wrote counts. Without this memory the value would conflict with
/// the context's own save.
///
/// Each key is remembered as of the save that wrote it, until the context reads a later commit: the
/// row may be another one by then.
struct OwnSaves {
  private struct Save {
    let layer: Layer
    let changes: [TableID: TableChanges]
    let commit: Int64
  }

  private struct Write {
    /// The most replaced values kept for a key, the newest ones.
    static let limit = 8
    var replaced: [Record] = []
    var written: RecordState
    var commit: Int64
  }

  /// Saves whose rows are not in ``writes`` yet: most saves are never asked for.
  private var saves: [Save] = []
  private var writes: [TableID: [RecordKey: Write]] = [:]
  /// The rows remembered, those written twice counted twice.
  private var count = 0
  /// The newest commit that was read: nothing older is remembered.
  private var readCommit: Int64 = 0
  /// The most rows remembered; past it, only the newest save is.
  private static let limit = TableChanges.limit

  /// Remembers what saving a layer wrote.
  mutating func remember(_ layer: Layer, as changes: [TableID: TableChanges], _ commit: Int64) {
    let rows = changes.values.reduce(0) { $0 + $1.count }
    if rows == 0 { return }
    if count + rows > Self.limit { self = OwnSaves() }
    saves.append(Save(layer: layer, changes: changes, commit: commit))
    count += rows
  }

  /// Forgets what was written before a commit that is read from now on.
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

  /// What own saves made of an entity's row, if the value in hand is one that they replaced.
  mutating func state(of key: RecordKey, in table: TableID, replacing inHand: Record) -> RecordState
  {
    indexSaves()
    guard let write = writes[table]?[key], write.replaced.contains(inHand) else { return .unknown }
    return write.written
  }

  private mutating func indexSaves() {
    for save in saves {
      for (table, changes) in save.changes {
        guard case .rows(let rows) = changes else { continue }
        for row in rows {
          let edit = save.layer[table, row.key]
          // A row that a delete rule touched is of interest only if this context wrote it before.
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
