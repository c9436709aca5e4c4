internal import Strata

/// Runs a call of the store, whose errors become errors of the replica.
nonisolated(nonsending) func storing<R>(
  _ body: nonisolated(nonsending) () async throws(StoreError) -> R
) async throws(ReplicaError) -> R {
  do throws(StoreError) { return try await body() } catch { throw ReplicaError(error) }
}

/// Runs a call of the store that does not wait.
func storingAtOnce<R>(_ body: () throws(StoreError) -> R) throws(ReplicaError) -> R {
  do throws(StoreError) { return try body() } catch { throw ReplicaError(error) }
}
