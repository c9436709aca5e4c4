import Dispatch
import Foundation

/// Waiting to be asked to end.
enum Signals {
  /// Returns when one of the signals comes; until then they do nothing else.
  static func first(of numbers: Int32...) async {
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
