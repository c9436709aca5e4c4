import Foundation

/// The lines of a file handle, as they come; a thread of its own waits for them.
actor LineReader {
  private var lines: AsyncStream<String>.Iterator

  /// - Parameter onEnd: called when nothing more comes, whatever is still to be read.
  init(_ handle: FileHandle, onEnd: @escaping @Sendable () -> Void = {}) {
    let (stream, continuation) = AsyncStream<String>.makeStream()
    lines = stream.makeAsyncIterator()
    let descriptor = handle.fileDescriptor
    Thread.detachNewThread {
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
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

  /// The next line; nil at the end.
  func next() async -> String? {
    var iterator = lines
    let line = await iterator.next(isolation: #isolation)
    lines = iterator
    return line
  }
}
