/// A named measurement.
struct Workload: Sendable {
  /// The name for `--only`.
  let name: String
  let summary: String
  /// Whether it takes minutes. A long workload runs only if `--only` names it.
  var isLong = false
  let run: @MainActor @Sendable (Bench) async throws -> [Figure]
}
