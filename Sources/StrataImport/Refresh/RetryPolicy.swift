internal import Foundation
internal import Strata

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The number and the delays of a refresh's retries after failures that may pass.
///
/// Such failures are a connection that cannot be made or is lost, a time-out, and the statuses 408,
/// 425, 429, 500, 502, 503 and 504. The wait doubles from failure to failure, less a random part.
/// So when a server comes back, its clients do not return all at once ("Exponential Backoff And
/// Jitter", M. Brooker, 2015). A `Retry-After` header replaces the wait, up to ``longestDelay``.
///
/// ```swift
/// let patient = Refresher(stack, retries: RetryPolicy(limit: 5, longestDelay: .seconds(60)))
/// let once = Refresher(stack, retries: .never)
/// ```
public struct RetryPolicy: Sendable, Hashable {
  /// The number of failures that a refresh survives, over all its pages; 0 for none.
  public var limit: Int
  /// The wait after the first failure.
  public var firstDelay: Duration
  /// The longest wait.
  public var longestDelay: Duration
  /// The part of each wait that is random, from 0 to 1.
  public var jitter: Double

  /// Creates a policy. Each parameter sets the property of its name.
  public init(
    limit: Int = 3, firstDelay: Duration = .milliseconds(500),
    longestDelay: Duration = .seconds(30), jitter: Double = 0.5
  ) {
    self.limit = limit
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.jitter = jitter
  }

  /// A policy without retries: the first failure ends the refresh.
  public static let never = RetryPolicy(limit: 0)

  /// Returns the wait after a failure, whose number counts from 1.
  ///
  /// - Returns: nil if the number exceeds the limit or a retry is useless.
  func delay(after count: Int, _ error: ImportError) -> Duration? {
    guard count <= limit, error.code == .source, Self.mayPass(error.underlying) else {
      return nil
    }
    if let wait = (error.underlying as? HTTPStatusError)?.retryAfter {
      return min(wait, longestDelay)
    }
    // NaN counts as no jitter.
    let jitter = jitter > 0 ? min(jitter, 1) : 0
    let delay = firstDelay.doubled(count - 1, atMost: longestDelay)
    return delay * (1 - jitter * Double.random(in: 0...1))
  }

  private static func mayPass(_ error: (any Error)?) -> Bool {
    switch error {
    case let error as HTTPStatusError: [408, 425, 429, 500, 502, 503, 504].contains(error.status)
    case let error as URLError: passing.contains(error.code)
    default: false
    }
  }

  private static let passing: Set<URLError.Code> = [
    .timedOut, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .networkConnectionLost,
    .notConnectedToInternet, .badServerResponse, .resourceUnavailable,
  ]
}
