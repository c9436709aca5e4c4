internal import Foundation
public import Strata

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// An object that brings feeds of a server up to date: pull to refresh.
///
/// ```swift
/// let refresher = Refresher(stack)
/// try await refresher.refresh(songs, ifOlderThan: .seconds(60))
/// // The view context shows the server's rows.
/// ```
///
/// - Callers that refresh one feed at the same time share a request. A caller that is cancelled
///   stops waiting. When the last caller is cancelled, the request is cancelled, too.
/// - The refresher sends a feed's validators, `ETag` and `Last-Modified`, with its request. If the
///   feed is unchanged, the server sends no body and the refresher parses none. The store keeps the
///   validators. They are written with the last row of the import if the import left nothing out,
///   and forgotten by every event that takes away what the feed has given; <doc:Refreshing> lists the events.
///   They are ignored when the mapping's paths, the format, the rule for absent rows or the store's
///   schema change.
/// - A ``RetryPolicy`` repeats requests after failures that may pass. A second import of the same
///   records writes nothing, so an import whose connection breaks begins anew.
///
/// A stack needs only one refresher. Two refreshers do not share requests.
public final class Refresher: Sendable {
  private let stack: Stack
  private let transport: HTTPTransport
  private let retries: RetryPolicy
  private let clock: any Clock<Duration>
  private let flights = Flights()

  /// Creates a refresher of a stack's feeds.
  ///
  /// - Parameters:
  ///   - stack: the stack that imports the feeds.
  ///   - transport: the transport that sends requests.
  ///   - retries: the policy by which a failed request is sent again.
  ///   - clock: the clock for the waits between requests.
  public init(
    _ stack: Stack, transport: HTTPTransport = .urlSession(),
    retries: RetryPolicy = RetryPolicy(), clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.stack = stack
    self.transport = transport
    self.retries = retries
    self.clock = clock
  }

  /// Imports a feed if it has changed, and returns when the view context shows the result.
  ///
  /// - Parameters:
  ///   - feed: the feed. A call that joins a running request gets that request's result, even if
  ///     its own feed differs.
  ///   - age: the age of the last import up to which no request is sent; nil to send a request in
  ///     any case.
  ///   - monitor: a monitor that publishes the progress and its end, also if another call began the
  ///     request.
  /// - Throws: ``ImportError``. If its code is `source`, its ``ImportError/underlying`` is an
  ///   ``HTTPStatusError``, a ``PagingError``, or the error of the transport, from the last
  ///   attempt.
  @discardableResult
  @concurrent
  public func refresh(
    _ feed: Feed, ifOlderThan age: Duration? = nil, monitor: ImportMonitor? = nil
  ) async throws -> RefreshResult {
    defer { monitor?.finish() }
    if let age {
      do {
        if try await !stack.isStale(feed.entry, olderThan: age) { return .fresh }
      } catch let error as StoreError {
        throw ImportError.store(error)
      }
    }
    return try await flights.join(feed.name, monitor) { [self] onProgress in
      do throws(ImportError) { return .success(try await load(feed, onProgress)) } catch {
        return .failure(error)
      }
    }
  }

  /// Returns the number of callers that wait for a feed.
  func passengers(of name: String) -> Int { flights.passengers(of: name) }

  /// Tries again until the feed is imported or no retry is left.
  private nonisolated(nonsending) func load(
    _ feed: Feed, _ onProgress: @escaping @Sendable (ImportProgress) -> Void
  ) async throws(ImportError) -> RefreshResult {
    if feed.options.checkpoint != nil {
      throw .mapping("a feed is refreshed from its beginning: it has no checkpoint to go on at")
    }
    if feed.request.url == nil { throw .source(URLError(.badURL)) }
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

  /// The number of attempts for a feed whose pages change whenever they are read.
  private static let steadyAttempts = 3

  /// The outcome of an attempt.
  private enum Attempt {
    case done(RefreshResult)
    /// A page changed while other pages were read.
    case changedMeanwhile
    /// The validators were forgotten while the server answered, or a suspension took the pin of the
    /// rows from before the first request.
    case again
  }

  /// Imports the feed once.
  ///
  /// - Parameter isLast: whether the attempt succeeds even if pages change.
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
    let scratch = stack.makeScratch()
    // Before the first request: the answer need not have rows that are saved or pushed later.
    let monitor = ImportMonitor { progress in
      var progress = progress
      progress.attempt = number
      onProgress(progress)
    }
    let prepared = try feed.prepare(feed, scratch, claim, monitor)
    prepared.session.noteWalk(readsPages: feed.paging.isPaged)
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
    await stack.store.viewMerged(result.commit)
    return .done(.imported(result))
  }
}

/// The outcome of a refresh.
///
/// ```swift
/// switch try await Refresher(stack).refresh(songs, ifOlderThan: .seconds(300)) {
/// case .fresh: print("not asked")
/// case .notModified: print("nothing new")
/// case .imported(let result): print(result.inserted, "new songs")
/// }
/// ```
public enum RefreshResult: Sendable, Hashable {
  /// The store's copy is young enough, so no request was sent.
  case fresh
  /// The server answered that the feed is unchanged.
  case notModified
  /// The server's records were imported.
  case imported(ImportResult)
}

/// The state of a ``RetryPolicy`` during a refresh.
final class Patience: Sendable {
  private let policy: RetryPolicy
  private let clock: any Clock<Duration>
  private let failures = Lock(0)

  init(_ policy: RetryPolicy, _ clock: any Clock<Duration>) {
    self.policy = policy
    self.clock = clock
  }

  /// Waits until a failed request may be sent again.
  ///
  /// - Throws: the error itself if no retry is left or a retry is useless; `cancelled`.
  nonisolated(nonsending) func wait(after error: ImportError) async throws(ImportError) {
    let count = failures.withLock { count in
      count += 1
      return count
    }
    guard let delay = policy.delay(after: count, error) else { throw error }
    do { try await clock.sleep(for: delay) } catch { throw .cancelled }
  }
}
