/// The deletion of a query's rows in batches: which rows the next batch has, and what is left.
///
/// A pass goes once through the rows. The rows that a delete rule keeps are the rows of the next
/// pass, because the rows that refer to them may be gone then. If a pass deletes less than half of
/// its rows, or if all of the rows that it leaves fit into a batch, the last batch has all of them:
/// rows that keep each other go only together.
struct QueryDeletion {
  /// The time for which a batch may hold the writer.
  ///
  /// At each commit FTS5 writes a segment and merges older ones. So 200,000 rows with full text take
  /// twice as long in batches of 500 rows as in batches of 10,000.
  static let longestTransaction = Duration.milliseconds(200)

  private let plan: QueryPlan
  private var rows: [RowVersion]
  private var position = 0
  private var isLastPass = false
  /// The rows of this pass that a rule keeps.
  private var refused: [RowVersion] = []
  /// The number of the query's rows that are deleted.
  private(set) var deleted = 0
  /// The keys of all rows of the query; nil before a rule changes another row of its table.
  private var keys: Set<RecordKey>?
  /// The changes that rules have made to rows of the query.
  private var effects: [RecordKey: Effects] = [:]

  /// Changes that follow one another without a change by another commit.
  private struct Effects {
    /// The hashes of the row before each of the changes.
    var before: Set<Int>
    /// The row after the last change; nil if the row was deleted.
    var after: RowVersion?
  }

  init(of rows: [RowVersion], _ plan: QueryPlan) {
    self.rows = rows
    self.plan = plan
  }

  /// Returns the next batch of at most `size` rows; nil if no rows are left.
  ///
  /// The last batch may have more rows.
  mutating func next(size: Int) -> DeletionBatch? {
    while true {
      if position == rows.count {
        if refused.isEmpty { return nil }
        beginPass(size: size)
      }
      let end = isLastPass ? rows.count : min(position + size, rows.count)
      let candidates = rows[position..<end].compactMap { row in left(row) }
      position = end
      if candidates.isEmpty { continue }
      return DeletionBatch(
        plan: plan, candidates: candidates.sorted { $0.key < $1.key }, isLast: isLastPass)
    }
  }

  private mutating func beginPass(size: Int) {
    isLastPass = refused.count <= size || refused.count > rows.count / 2
    // Rows often refer to earlier rows, so the last rows go first.
    rows = refused.reversed()
    refused = []
    position = 0
  }

  /// Returns a row as the rules have left it; nil if they have deleted it.
  private mutating func left(_ row: RowVersion) -> RowVersion? {
    guard let effect = effects[row.key] else { return row }
    guard let after = effect.after else {
      deleted += 1
      return nil
    }
    // A row that was changed by another commit as well is changed.
    return effect.before.contains(row.hash) ? after : row
  }

  /// Notes what a batch has done.
  mutating func note(_ outcome: DeletionBatch.Outcome) {
    deleted += outcome.deleted
    refused += outcome.refused
    if outcome.effects.isEmpty { return }
    let keys = keys ?? Set(rows.map(\.key))
    self.keys = keys
    for effect in outcome.effects where keys.contains(effect.before.key) {
      // A refused row is known as of the batch that refused it, which may be after an earlier change.
      let known = effects[effect.before.key]
      let earlier = known?.after?.hash == effect.before.hash ? known?.before : nil
      effects[effect.before.key] = Effects(
        before: (earlier ?? []).union([effect.before.hash]), after: effect.after)
    }
  }
}
