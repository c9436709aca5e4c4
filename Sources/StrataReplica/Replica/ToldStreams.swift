internal import Strata

/// Streams of elements that no consumer may miss.
///
/// The first stream has all elements from the beginning, and each later one those from its making on. A slow
/// consumer gets the newest 1,000.
struct ToldStreams<Element: Sendable>: Sendable {
  private let streams = NewestStreams<Element>(limit: 1_000)
  /// The stream from the beginning, until a consumer takes it.
  private let first: Lock<AsyncStream<Element>?>

  init() { first = Lock(streams.add(nil)) }

  func next() -> AsyncStream<Element> {
    let taken = first.withLock { first in
      defer { first = nil }
      return first
    }
    return taken ?? streams.add(nil)
  }

  func yield(_ element: Element) { streams.yield(element) }

  func finish() { streams.finish() }
}
