/// A library that runs the same workloads as Strata.
struct Peer {
  /// A run of a side. It returns a sample for each metric, or not-a-number for a metric that it
  /// lacks.
  typealias Side = @MainActor () async throws -> [Double]

  let name: String
  /// Prepares the peer's side of the comparison with the given first metric; nil if it has no such
  /// side.
  let side: @MainActor (Bench, String) async throws -> Side?
}
