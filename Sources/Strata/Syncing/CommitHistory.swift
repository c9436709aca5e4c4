internal import Foundation
internal import StrataSQLite

/// An `AsyncSequence` of the commits of a store since a ``HistoryToken``, oldest first.
///
/// The sequence ends with the commit that is newest when the first element is requested. Entries
/// are read a page at a time, so any number of them takes bounded memory. An iteration sees one
/// state of the store from beginning to end. No later commit or pruning, of any process, changes
/// that state. For this the iteration holds a snapshot, which keeps the write-ahead log from being
/// restarted. If entries take long to process, use several iterations: start each from the last
/// entry's token.
///
/// A suspension of the stack takes the snapshot away. After the resumption the iteration continues
/// with another snapshot, up to the same commit. Only then may it fail with `historyExpired` after
/// some elements, if the remaining commits were pruned meanwhile.
///
/// The iteration fails with a ``StoreError`` with one of these codes:
///
/// - `historyExpired`, before any element, if commits right after the token are no longer kept or
///   were not recorded.
/// - `wrongStore` if the token is of another store.
/// - `cancelled`, `closed`, or a code of SQLite's.
///
/// ```swift
/// for try await entry in stack.history(since: lastSynced) {
///   print(entry.date, entry.author, entry.changes.count)
///   lastSynced = entry.token
/// }
/// ```
public struct CommitHistory: AsyncSequence, Sendable {
  public typealias Element = HistoryEntry

  private let store: Store
  private let token: HistoryToken?

  init(_ store: Store, since token: HistoryToken?) {
    self.store = store
    self.token = token
  }

  /// Returns an iterator that reads the history from the beginning, independently of other
  /// iterators.
  public func makeAsyncIterator() -> Iterator { Iterator(store, since: token) }

  /// Reads page after page through a snapshot.
  public struct Iterator: AsyncIteratorProtocol {
    private enum State {
      case new(HistoryToken?)
      /// The entries from `position` on are not handed out yet. `last` is the newest commit that
      /// was read, `end` the last commit to read.
      case reading(SnapshotHold, page: [HistoryEntry], position: Int, last: Int64, end: Int64)
      case done
    }

    private let store: Store
    private var state: State

    init(_ store: Store, since token: HistoryToken?) {
      self.store = store
      state = .new(token)
    }

    /// Returns the next commit; nil after the last commit, and after an error.
    ///
    /// - Throws: ``StoreError`` with code `historyExpired`, `wrongStore`, `cancelled`, `closed` or
    ///   one of SQLite's.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> HistoryEntry? {
      let current = state
      // After any error, the iteration is over.
      state = .done
      switch current {
      case .done: return nil
      case .new(let token):
        let (snapshot, first) = try await store.reading { snapshot throws(StoreError) in
          (snapshot, try await start(token, snapshot))
        }
        return try await read(snapshot, after: first, upTo: snapshot.commit)
      case .reading(let hold, let page, let position, let last, let end):
        if position == page.count {
          return try await read(hold.snapshot, after: last, upTo: end)
        }
        state = .reading(hold, page: page, position: position + 1, last: last, end: end)
        return page[position]
      }
    }

    /// Returns the number after which reading begins; all commits from there to the end are kept.
    private nonisolated(nonsending) func start(
      _ token: HistoryToken?, _ snapshot: Snapshot
    ) async throws(StoreError) -> Int64 {
      let store = store
      if let token, token.store != store.identity {
        throw StoreError(
          .wrongStore, "the token is of store \(token.store), this is \(store.identity)",
          advice: "read everything again, then go on from stack.historyToken")
      }
      if token?.commit == snapshot.commit { return snapshot.commit }
      let kept = try await snapshot.read { reader, connection throws(StoreError) in
        try HistoryReader(reader.access(connection)).bounds()
      }
      guard let kept, kept.upperBound == snapshot.commit else {
        if token == nil { return snapshot.commit }
        throw .historyExpired(token)
      }
      guard let token else { return kept.lowerBound - 1 }
      guard token.commit >= kept.lowerBound - 1, token.commit <= kept.upperBound else {
        throw .historyExpired(token)
      }
      return token.commit
    }

    /// Reads a page, and returns its first entry.
    private nonisolated(nonsending) mutating func read(
      _ snapshot: Snapshot, after last: Int64, upTo end: Int64
    ) async throws(StoreError) -> HistoryEntry? {
      if last >= end { return nil }
      var snapshot = snapshot
      var read: [HistoryEntry]?
      while read == nil {
        do throws(StoreError) {
          read = try await HistoryPage.read(store, snapshot, after: last, upTo: end)
        } catch {
          guard error.code == .suspended else { throw error }
          snapshot = try await store.snapshot()
        }
      }
      let page = read ?? []
      // The numbers must have no gap: every commit has an entry.
      guard let first = page.first, page.last?.token.commit == last + Int64(page.count) else {
        throw .historyExpired(HistoryToken(commit: last, store: store.identity))
      }
      state = .reading(
        SnapshotHold(snapshot, .history), page: page, position: 1, last: last + Int64(page.count),
        end: end)
      return first
    }
  }
}

/// A page of the history: the few entries that are in memory at a time.
enum HistoryPage {
  private static let countLimit = 256
  private static let byteLimit = 256 * 1024

  nonisolated(nonsending) static func read(
    _ store: Store, _ snapshot: Snapshot, after last: Int64, upTo end: Int64
  ) async throws(StoreError) -> [HistoryEntry] {
    try await snapshot.read { reader, connection throws(StoreError) in
      var page: [HistoryEntry] = []
      var size = 0
      try HistoryReader(reader.access(connection)).forEach(
        after: last, upTo: end
      ) { entry in
        page.append(HistoryEntry(entry, store))
        size += entry.size
        return page.count < countLimit && size < byteLimit
      }
      return page
    }
  }
}

extension HistoryEntry {
  fileprivate init(_ entry: HistoryReader.Entry, _ store: Store) {
    self.init(
      token: HistoryToken(commit: entry.number, store: store.identity), author: entry.author,
      date: Date(timeIntervalSinceReferenceDate: entry.time),
      changes: ChangeSet(
        commit: entry.number, author: entry.author, model: store.model,
        tables: entry.changes ?? store.model.resetOfEveryTable))
  }
}

extension StoreError {
  fileprivate static func historyExpired(_ token: HistoryToken?) -> StoreError {
    StoreError(
      .historyExpired,
      "the changes since commit \(token?.commit ?? 0) are not all kept: they were pruned, a "
        + "migration came in between, or a stack without a history committed",
      advice: "read everything again, then go on from stack.historyToken")
  }
}
