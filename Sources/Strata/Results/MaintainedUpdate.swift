/// The committed rows of a live query at one commit.
struct MaintainedResult: Sendable {
  var tree: ResultTree
  /// The last record up to which the result is complete; nil if the whole result is.
  var horizon: Record?
  /// Why the last load failed, once it is reported; the rows are then those of an earlier commit.
  var error: StoreError?
  /// Whether the root of a relationship's query exists; without it, nothing is shown.
  var hasRoot = true
  /// The levels of related rows, if this is a live tree.
  var levels: [LevelRows] = []
}

/// The maintainer's result for one live query in one merge turn.
struct MaintainedUpdate: Sendable {
  let result: MaintainedResult
  /// The changes since the result before; nil for a first result, or if they are too many to list.
  let change: MaintainedChange?
  /// Whether the live query has missed changes, so that `change` is the difference from the result that
  /// it has.
  let isCaughtUp: Bool
  /// The query's aggregates over the result; nil without aggregates.
  let fold: AggregateFold?

  /// The keys whose records may differ from the result before.
  var changed: ChangedKeys { change.map { .some(KeyBatches($0.keys)) } ?? .all }
}
