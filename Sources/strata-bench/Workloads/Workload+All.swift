extension Workload {
  /// The workloads that a peer can have, in the order in which they run.
  static let all: [Workload] = [
    .insert, .upsert, .update, .delete, .fetch, .parts, .pages, .find, .commit, .live, .unconcerned,
    .equalQueries,
    .mixed, .importing, .importGrowth, .importSaves, .related, .model, .commits, .growth,
    .manyQueries, .editsUnderQueries, .liveGroups, .liveTrees, .writers,
  ]
}
