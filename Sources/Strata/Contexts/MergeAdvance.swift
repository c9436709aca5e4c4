/// A step on its way through the queries.
struct MergeAdvance: Sendable {
  let step: MergeStep
  let changes: ChangeSet?
  var changed: [LivePlan.Identity: MaintainedChange] = [:]
  /// The queries that are loaded again.
  var stale: [LivePlan.Identity] = []
  /// The queries that lack rows.
  var lacking: [(LivePlan.Identity, MaintainedQuery.RowRequest, MaintainedChange)] = []

  /// Whether nothing has to be read.
  var isComplete: Bool { stale.isEmpty && lacking.isEmpty }
}
