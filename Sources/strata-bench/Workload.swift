/// One thing that is measured.
struct Workload: Sendable {
  /// What `--only` names it by.
  let name: String
  let summary: String
  /// Whether it takes minutes, and runs only when it is asked for.
  var isLong = false
  let run: @MainActor @Sendable (Bench) async throws -> [Figure]

  /// Every workload that a peer can have, in the order in which they run.
  static let all: [Workload] = [
    .insert, .upsert, .fetch, .parts, .pages, .find, .commit, .live, .unconcerned, .equalQueries,
    .mixed, .importing, .importGrowth, .importSaves, .related, .model, .commits, .growth,
  ]
}
