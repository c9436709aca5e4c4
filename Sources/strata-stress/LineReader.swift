import Foundation

/// The lines of a file handle, in order of arrival.
///
/// A thread of its own waits for the lines.
actor LineReader {
  private var lines: AsyncStream<String>.Iterator

  /// - Parameter onEnd: called at the end of the handle's data, even if lines are still unread.
  init(_ handle: FileHandle, onEnd: @escaping @Sendable () -> Void = {}) {
    let (stream, continuation) = AsyncStream<String>.makeStream()
    lines = stream.makeAsyncIterator()
    Thread.detachNewThread {
      var rest = Data()
      while case let data = handle.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: 10) {
          continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeSubrange(...end)
        }
      }
      continuation.finish()
      onEnd()
    }
  }

  /// Returns the next line, or nil at the end.
  func next() async -> String? {
    var iterator = lines
    let line = await iterator.next(isolation: #isolation)
    lines = iterator
    return line
  }
}
