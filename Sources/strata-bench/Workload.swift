/// A named measurement.
struct Workload: Sendable {
  /// The name for `--only`.
  let name: String
  let summary: String
  /// Whether it takes minutes. A long workload runs only if `--only` names it.
  var isLong = false
  let run: @MainActor @Sendable (Bench) async throws -> [Figure]

  /// The workloads that a peer can have, in the order in which they run.
  static let all: [Workload] = [
    .insert, .upsert, .update, .delete, .fetch, .parts, .pages, .find, .commit, .live, .unconcerned,
    .equalQueries,
    .mixed, .importing, .importGrowth, .importSaves, .related, .model, .commits, .growth,
    .manyQueries, .editsUnderQueries, .liveGroups, .writers,
  ]
}
