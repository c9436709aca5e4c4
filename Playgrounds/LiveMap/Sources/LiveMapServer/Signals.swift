import Dispatch
import Foundation

/// A wait for a request to end.
public enum Signals {
  /// Returns when one of the signals comes. Until then the signals have no other effect.
  public static func first(of numbers: Int32...) async {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    let sources = numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield() }
      source.activate()
      return source
    }
    for await _ in signals { break }
    for source in sources { source.cancel() }
  }
}
