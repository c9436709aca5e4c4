/// A query's entities a batch at a time: an `AsyncSequence` of arrays.
///
/// See ``FetchSource/batches(of:size:)``.
public struct FetchBatches<Source: FetchSource, E: Entity>: AsyncSequence {
  public typealias Failure = StoreError

  let source: Source
  let query: Query<E>
  let size: Int

  /// Reads the batches; what it reads is fixed by the first one.
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

    /// The next batch: full, or the last one; nil at the end.
    ///
    /// - Throws: ``StoreError``, as ``FetchSource/batches(of:size:)`` says; then the iteration is
    ///   over.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> [E]? {
      let last = state
      // Finished if anything below throws: nothing is held any longer.
      state = .finished
      let rows: BatchRows
      switch last {
      case .new(let source, let query):
        rows = try await source.answer(
          FetchRequest { fetch throws(StoreError) in try await fetch.batches(query) })
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
  /// A query's entities in order, `size` at a time: for results that are larger than memory.
  ///
  /// ```swift
  /// for try await songs in view.batches(of: Song.sorted(by: \.title), size: 500) { export(songs) }
  /// ```
  ///
  /// Each iteration reads one state from its first batch to its last, whatever is edited and saved
  /// meanwhile: the store as of one commit, with the source's unsaved edits as they were at the
  /// first batch. One statement is run once; in memory are one batch, the unsaved edits of the
  /// query's tables, and what the store sorts if no index has the order (SQLite uses a file for
  /// much). Only a many-to-many relationship with unsaved edits is read as a whole.
  ///
  /// As long as an iteration goes on, the write-ahead log keeps everything that is committed: do
  /// not leave one lying around. Leaving the loop, letting go of the iterator, cancelling the task
  /// or an error ends it and releases everything.
  ///
  /// - Throws: the iteration throws ``StoreError``, as ``FetchSource`` says, and `suspended` if the
  ///   stack is suspended between two batches: the state that was read is gone then.
  /// - Precondition: `size` is greater than 0.
  /// - Complexity: O(*n*) of the entities in all, O(*n* log *n*) if no index has their order.
  public func batches<E: Entity>(of query: Query<E>, size: Int = 500) -> FetchBatches<Self, E> {
    guard size > 0 else { fatalError("a batch has at least one entity, not \(size)") }
    return FetchBatches(source: self, query: query, size: size)
  }
}
