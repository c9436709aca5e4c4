internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// How often and when a refresh tries again what failed for a reason which may pass.
///
/// Such reasons are a connection that cannot be made or is lost, a time-out, and the statuses 408,
/// 425, 429, 500, 502, 503 and 504. The wait doubles from one failure to the next, less a random
/// part, so that the clients of a server that comes back do not come all at once ("Exponential
/// Backoff And Jitter", M. Brooker, 2015). A server that says `Retry-After` is believed, up to
/// ``longestDelay``.
public struct RetryPolicy: Sendable, Hashable {
  /// How many failures one refresh survives, all its pages together; 0 for none.
  public var limit: Int
  /// The wait after the first failure.
  public var firstDelay: Duration
  /// What no wait exceeds.
  public var longestDelay: Duration
  /// The part of each wait that is random, from 0 to 1.
  public var jitter: Double

  /// A policy; each parameter is the property of its name.
  public init(
    limit: Int = 3, firstDelay: Duration = .milliseconds(500),
    longestDelay: Duration = .seconds(30), jitter: Double = 0.5
  ) {
    self.limit = limit
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.jitter = jitter
  }

  /// The first failure is the last.
  public static let never = RetryPolicy(limit: 0)

  /// The wait after a failure, counted from 1; nil if it was one too many or trying again is
  /// useless.
  func delay(after count: Int, _ error: ImportError) -> Duration? {
    guard count <= limit, error.code == .source, Self.mayPass(error.underlying) else {
      return nil
    }
    if let wait = (error.underlying as? HTTPStatusError)?.retryAfter {
      return min(wait, longestDelay)
    }
    // What is no number is no jitter.
    let jitter = jitter > 0 ? min(jitter, 1) : 0
    return fullDelay(after: count) * (1 - jitter * Double.random(in: 0...1))
  }

  private func fullDelay(after count: Int) -> Duration {
    var delay = min(firstDelay, longestDelay)
    var doublings = count - 1
    // Half of the longest first: the double of a long one may be too much for a duration.
    while doublings > 0 && delay > .zero && delay < longestDelay {
      delay = delay > longestDelay / 2 ? longestDelay : delay * 2
      doublings -= 1
    }
    return delay
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
