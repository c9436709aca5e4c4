/// What entities are fetched from: a view context, a scratch context, or the stack itself.
///
/// Everything that reads with a ``Query`` is here, once for all three, and code that only reads can
/// be written for any of them:
///
/// ```swift
/// func longest(in source: some FetchSource) async throws -> Song? {
///   try await source.fetch(Song.sorted(by: \.duration, .descending).limit(1)).first
/// }
/// ```
///
/// What a call sees depends on the source only:
///
/// - ``ViewContext``: what it shows, unsaved edits included. It catches up first: it sees
///   everything that this process committed before the call, and what it had noticed of others'
///   commits.
/// - ``ScratchContext``: the store as it was at its first fetch, with its own edits and its
///   parents' on top.
/// - ``Stack``: what is committed at the time of the call.
///
/// One call reads one commit, however many statements it takes. No call reads on the main actor.
/// Every call throws ``StoreError`` with code `invalidQuery` for a query that cannot be run,
/// `invalidValue` for a stored value that an attribute cannot hold, `cancelled` if its task is
/// cancelled, `deadlineExceeded` (see ``withStoreDeadline(in:_:)``), `closed`, or one of SQLite's.
/// Asking for entities of a type that the stack was not opened with is a mistake of the program,
/// and traps with a message that names it.
public protocol FetchSource {
  /// Answers a request of this library's.
  ///
  /// - Throws: ``StoreError`` with the codes above.
  nonisolated(nonsending) func answer<Value: Sendable>(
    _ request: FetchRequest<Value>
  ) async throws(StoreError) -> Value
}

/// Something to be read from a ``FetchSource``; made by the library.
public struct FetchRequest<Value: Sendable>: Sendable {
  let run: @Sendable (LayeredFetch) async throws(StoreError) -> Value

  init(_ run: @escaping @Sendable (LayeredFetch) async throws(StoreError) -> Value) {
    self.run = run
  }
}
