internal import Foundation
public import Strata

/// Brings feeds of a server up to date: pull to refresh.
///
/// ```swift
/// let refresher = Refresher(stack)
/// try await refresher.refresh(songs, ifOlderThan: .seconds(60))
/// // The view context shows what the server has.
/// ```
///
/// - Callers who ask for one feed at the same time share one request. Who is cancelled leaves; when
///   nobody waits any longer the request is cancelled, too.
/// - A server that said `ETag` or `Last-Modified` is asked whether that is still so, and if it is,
///   nothing is sent and nothing is parsed. What it said is kept in the store, written with the
///   last row of the import if that left nothing out, and forgotten with `Stack.forgetImport(of:)`,
///   with every row that is evicted or that another import deletes, and when the mapping's paths,
///   the format, the rule for absent rows or the store's schema change.
/// - What fails for a reason that may pass is tried again, by a ``RetryPolicy``. Importing the same
///   feed again writes nothing, so an import whose connection breaks begins anew.
///
/// One refresher for each stack is enough; two do not know of each other's requests.
public final class Refresher: Sendable {
  private let stack: Stack
  private let transport: HTTPTransport
  private let retries: RetryPolicy
  private let clock: any Clock<Duration>
  private let flights = Flights()

  /// Creates a refresher of a stack's feeds.
  ///
  /// - Parameters:
  ///   - stack: where feeds are imported.
  ///   - transport: what sends requests.
  ///   - retries: when a request that failed is sent again.
  ///   - clock: by which to wait for that.
  public init(
    _ stack: Stack, transport: HTTPTransport = .urlSession(),
    retries: RetryPolicy = RetryPolicy(), clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.stack = stack
    self.transport = transport
    self.retries = retries
    self.clock = clock
  }

  /// Imports what a server has, if it has changed, and returns when the view context shows it.
  ///
  /// - Parameters:
  ///   - feed: what to bring up to date. A call that joins another one's request gets what that
  ///     one's feed says.
  ///   - age: asks the server only if the feed was imported longer ago; nil to ask in any case.
  ///   - monitor: told of the progress, and that it ends, also if another call began the request.
  /// - Throws: ``ImportError``. With code `source`, its ``ImportError/underlying`` error is an
  ///   ``HTTPStatusError``, a ``PagingError``, or what the transport throws, of the last attempt.
  @discardableResult
  @concurrent
  public func refresh(
    _ feed: Feed, ifOlderThan age: Duration? = nil, monitor: ImportMonitor? = nil
  ) async throws(ImportError) -> RefreshResult {
    defer { monitor?.finish() }
    if let age {
      let isStale = try await storing { () throws(StoreError) in
        try await stack.isStale(feed.entry, olderThan: age)
      }
      if !isStale { return .fresh }
    }
    return try await flights.join(feed.name, monitor) { [self] onProgress in
      do throws(ImportError) { return .success(try await load(feed, onProgress)) } catch {
        return .failure(error)
      }
    }
  }

  /// How many callers wait for a feed.
  func passengers(of name: String) -> Int { flights.passengers(of: name) }

  /// Tries until the feed is imported or patience ends.
  private nonisolated(nonsending) func load(
    _ feed: Feed, _ onProgress: @escaping @Sendable (ImportProgress) -> Void
  ) async throws(ImportError) -> RefreshResult {
    if feed.options.checkpoint != nil {
      throw .mapping("a feed is refreshed from its beginning: it has no checkpoint to go on at")
    }
    let patience = Patience(retries, clock)
    var number = 0
    var changes = 0
    while true {
      number += 1
      do throws(ImportError) {
        let isLast = changes + 1 == Self.steadyAttempts
        switch try await attempt(feed, number, isLast: isLast, patience, onProgress) {
        case .done(let result): return result
        case .changedMeanwhile: changes += 1
        case .again: continue
        }
      } catch {
        try await patience.wait(after: error)
      }
    }
  }

  /// A feed that is never the same from its first page to its last is read so often.
  private static let steadyAttempts = 3

  /// What became of one attempt.
  private enum Attempt {
    case done(RefreshResult)
    /// Pages changed while others were read.
    case changedMeanwhile
    /// Rows were taken away while the server said that they have not changed, or a suspension took
    /// what the store had before the server was asked.
    case again
  }

  /// Imports the feed once.
  ///
  /// - Parameter isLast: whether pages that change are put up with.
  private nonisolated(nonsending) func attempt(
    _ feed: Feed, _ number: Int, isLast: Bool, _ patience: Patience,
    _ onProgress: @escaping @Sendable (ImportProgress) -> Void
  ) async throws(ImportError) -> Attempt {
    let version = try await storing { () throws(StoreError) in try FeedVersion(feed, in: stack) }
    let text = try await storing { () throws(StoreError) in
      try await stack.validators(of: feed.entry)
    }
    let known = text.flatMap { FeedVersion($0, meaning: version.meaning) }?.pages ?? []
    let walk = PageWalk(feed, transport, patience, version, known: known)
    let claim = try await storing { () throws(StoreError) in
      try stack.claim(of: feed.entry) { walk.version.text }
    }
    let scratch = stack.scratch()
    // Before the first request: the answer need not have what is saved or pushed from now on.
    let monitor = ImportMonitor { progress in
      var progress = progress
      progress.attempt = number
      onProgress(progress)
    }
    let prepared = try feed.prepare(feed, scratch, claim, monitor)
    if prepared.session.looksForAbsentRows {
      try await storing { () throws(StoreError) in try await scratch.pin() }
    }
    guard let first = try await walk.next(ImportResult()) else {
      let isStill = try await storing { () throws(StoreError) in
        try await stack.markFresh(feed.entries, ifStill: text ?? "", of: feed.entry)
      }
      return isStill ? .done(.notModified) : .again
    }
    let isClaimed = try await storing { () throws(StoreError) in
      try await stack.begin(claim, ifStill: text)
    }
    if !isClaimed { return .again }
    let unread = Lock<JSONSource?>(first)
    let hasChanged = Lock(false)
    let result: ImportResult
    do throws(ImportError) {
      result = try await scratch.importing(prepared, workers: 1, hasCheckpoints: false) {
        (result: ImportResult) async throws(ImportError) in
        if let first = unread.withLock({ $0.take() }) { return first }
        if let next = try await walk.next(result) { return next }
        let steadiness = try await walk.steadiness()
        if steadiness == .changedPages && !isLast {
          hasChanged.withLock { $0 = true }
          throw .changedMeanwhile
        }
        prepared.session.note(steadiness)
        return nil
      }
    } catch {
      if hasChanged.withLock(\.self) { return .changedMeanwhile }
      guard error.storeError?.code == .suspended else { throw error }
      return .again
    }
    await stack.view.mergedOwn(result.commit)
    return .done(.imported(result))
  }
}

/// What became of a refresh.
public enum RefreshResult: Sendable, Hashable {
  /// The store's copy is young enough: nobody was asked.
  case fresh
  /// The server said that its version is the store's.
  case notModified
  /// What the server sent was imported.
  case imported(ImportResult)
}

/// What is left of a ``RetryPolicy`` during one refresh.
final class Patience: Sendable {
  private let policy: RetryPolicy
  private let clock: any Clock<Duration>
  private let failures = Lock(0)

  init(_ policy: RetryPolicy, _ clock: any Clock<Duration>) {
    self.policy = policy
    self.clock = clock
  }

  /// Waits until something that failed may be tried again.
  ///
  /// - Throws: the error itself if it may not.
  nonisolated(nonsending) func wait(after error: ImportError) async throws(ImportError) {
    let count = failures.withLock { count in
      count += 1
      return count
    }
    guard let delay = policy.delay(after: count, error) else { throw error }
    do { try await clock.sleep(for: delay) } catch { throw .cancelled }
  }
}
