/// An `AsyncSequence` of a query's entities, in arrays of one batch each.
///
/// See ``FetchSource/batches(of:size:)``.
///
/// ```swift
/// for try await songs in stack.batches(of: Song.sorted(by: \.title), size: 500) { export(songs) }
/// ```
public struct FetchBatches<Source: FetchSource, E: Entity>: AsyncSequence {
  let source: Source
  let query: Query<E>
  let size: Int

  /// Reads the batches; the first batch fixes the commit and the edits that all batches show.
  public struct Iterator: AsyncIteratorProtocol {
    private enum State {
      case new(Source, Query<E>)
      case running(BatchRows)
      case finished
    }

    private var state: State
    private let size: Int

    fileprivate init(_ batches: FetchBatches) {
      state = .new(batches.source, batches.query)
      size = batches.size
    }

    /// Returns the next batch, which is full unless it is the last; nil at the end.
    ///
    /// - Throws: ``StoreError``, as ``FetchSource/batches(of:size:)`` says. Then the iteration is
    ///   over.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> [E]? {
      let last = state
      // If the code below throws, the iteration is finished and holds nothing any longer.
      state = .finished
      let rows: BatchRows
      switch last {
      case .new(let source, let query):
        rows = try await source._answer(
          _FetchRequest { fetch throws(StoreError) in try await fetch.batches(query) })
      case .running(let running): rows = running
      case .finished: return nil
      }
      let entities = try await rows.entities(size, as: E.self)
      if entities.count == size { state = .running(rows) }
      return entities.isEmpty ? nil : entities
    }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension FetchBatches: Sendable where Source: Sendable {}

extension FetchSource {
  /// Returns a query's entities in order, `size` at a time, for results that are larger than
  /// memory.
  ///
  /// ```swift
  /// for try await songs in view.batches(of: Song.sorted(by: \.title), size: 500) { export(songs) }
  /// ```
  ///
  /// Each iteration reads the same state from its first batch to its last: the store as of one
  /// commit, with the source's unsaved edits as they were at the first batch. Later edits and saves
  /// do not change it. The SQL statement runs only once. Memory holds one batch, the unsaved edits
  /// of the query's tables with at most 1,000 rows read ahead, and the rows that the store sorts if
  /// no index has the order. SQLite uses a file to sort many rows. Only a many-to-many relationship
  /// with unsaved edits is read as a whole.
  ///
  /// During an iteration the write-ahead log keeps all new commits, so do not leave an iteration
  /// unfinished for long. Leaving the loop, releasing the iterator, cancelling the task, or an
  /// error ends the iteration and releases everything.
  ///
  /// - Throws: the iteration throws ``StoreError``, as ``FetchSource`` says. It throws `suspended`
  ///   if the stack is suspended between two batches, because the snapshot is lost.
  /// - Precondition: `size` is greater than 0.
  /// - Complexity: O(*n*) of the entities in all, O(*n* log *n*) if no index has their order.
  public func batches<E: Entity>(of query: Query<E>, size: Int = 500) -> FetchBatches<Self, E> {
    guard size > 0 else { fatalError("a batch has at least one entity, not \(size)") }
    return FetchBatches(source: self, query: query, size: size)
  }
}
