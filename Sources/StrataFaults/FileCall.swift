/// What SQLite asks a file system for.
package enum FileCall: String, Sendable, Hashable, CaseIterable {
  case open, read, write, truncate, sync, lock, delete
  /// A lock of the write-ahead log's index.
  case sharedLock
  /// A part of the write-ahead log's index in memory.
  case sharedMap
}

/// Looks on while SQLite works with the files of one store, and decides what fails.
///
/// Called on the thread that works with the file. `file` is the file's whole path, or empty for one
/// without a name.
package protocol FileObserver: AnyObject, Sendable {
  /// The result code of a call that is to fail; nil if it is to be done.
  func failure(of call: FileCall, _ file: String) -> Int32?
  func didWrite(_ file: String, at offset: Int64, _ bytes: UnsafeRawBufferPointer)
  func didTruncate(_ file: String, to size: Int64)
  /// - Parameter isFull: whether what is on its way in the disk's own cache is waited for, too.
  func didSync(_ file: String, isFull: Bool)
  func didDelete(_ file: String)
  /// Whether connections can share memory, without which there is no write-ahead log.
  var sharesMemory: Bool { get }
}

extension FileObserver {
  package func didWrite(_ file: String, at offset: Int64, _ bytes: UnsafeRawBufferPointer) {}
  package func didTruncate(_ file: String, to size: Int64) {}
  package func didSync(_ file: String, isFull: Bool) {}
  package func didDelete(_ file: String) {}
  package var sharesMemory: Bool { true }
}
