/// Another library that runs the same workloads.
struct Peer {
  /// One run of a side: a sample for each metric, not-a-number for one that it does not have.
  typealias Side = @MainActor () async throws -> [Double]

  let name: String
  /// Prepares the peer's side of the comparison with the given first metric; nil if it has none.
  let side: @MainActor (Bench, String) async throws -> Side?
}
