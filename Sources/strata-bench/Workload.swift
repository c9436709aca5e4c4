/// One thing that is measured.
struct Workload: Sendable {
  /// What `--only` names it by.
  let name: String
  let summary: String
  let run: @MainActor @Sendable (Bench) async throws -> [Figure]

  /// Every workload, in the order in which they run.
  static let all: [Workload] = [
    .insert, .upsert, .fetch, .pages, .find, .commit, .live, .importing, .related, .model, .commits,
  ]
}
