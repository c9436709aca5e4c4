/// A source of entities: a view context, a scratch context, or the stack itself.
///
/// The protocol has all methods that read with a ``Query``. Code that only reads can be written for
/// any source:
///
/// ```swift
/// func longest(in source: some FetchSource) async throws -> Song? {
///   try await source.fetch(Song.sorted(by: \.duration, order: .reverse).limit(1)).first
/// }
/// ```
///
/// The source alone decides which commits and edits a call sees:
///
/// - ``ViewContext``: the state that the context shows, unsaved edits included. The context catches
///   up first. It sees every commit that this process made before the call, and the commits of
///   other processes that it had noticed.
/// - ``ScratchContext``: the store as of its first fetch, with its own edits and its parents' edits
///   on top.
/// - ``Stack``: the newest commit at the time of the call.
///
/// Each call reads one commit, however many statements it takes. No call reads on the main actor.
/// Every call throws ``StoreError`` with code `invalidQuery` for a query that cannot be run,
/// `invalidValue` for a stored value that an attribute cannot hold, `cancelled` if its task is
/// cancelled, `deadlineExceeded` (see ``withStoreDeadline(in:_:)``), `closed`, or a code of
/// SQLite's. It is a mistake of the program to request an entity type that the stack was not opened
/// with. Such a call traps with a message that names the type.
public protocol FetchSource {
  /// Answers a request that the library made.
  ///
  /// - Throws: ``StoreError`` with the codes above.
  nonisolated(nonsending) func _answer<Value: Sendable>(
    _ request: _FetchRequest<Value>
  ) async throws(StoreError) -> Value
}

/// A read from a ``FetchSource``; made by the library.
public struct _FetchRequest<Value: Sendable>: Sendable {
  let run: @Sendable (LayeredFetch) async throws(StoreError) -> Value

  init(_ run: @escaping @Sendable (LayeredFetch) async throws(StoreError) -> Value) {
    self.run = run
  }
}
