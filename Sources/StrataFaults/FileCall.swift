/// A request that SQLite makes to a file system.
package enum FileCall: String, Sendable, Hashable, CaseIterable {
  case open, read, write, truncate, sync, lock, delete
  /// A lock on the write-ahead log's index.
  case sharedLock
  /// The mapping of a part of the write-ahead log's index into memory.
  case sharedMap
}

/// Observes SQLite's work on the files of one store, and decides which calls fail.
///
/// SQLite calls the observer on the thread that works on the file. `file` is the file's whole path.
package protocol FileObserver: AnyObject, Sendable {
  /// Returns the result code that a call fails with, or nil if the call is carried out.
  func failure(of call: FileCall, _ file: String) -> Int32?
  func didWrite(_ file: String, at offset: Int64, _ bytes: UnsafeRawBufferPointer)
  func didTruncate(_ file: String, to size: Int64)
  /// - Parameter isFull: whether the sync also waits for the bytes in the disk's own cache.
  func didSync(_ file: String, isFull: Bool)
  func didDelete(_ file: String)
  /// Whether connections can share memory. The write-ahead log needs shared memory.
  var sharesMemory: Bool { get }
}

extension FileObserver {
  package func didWrite(_ file: String, at offset: Int64, _ bytes: UnsafeRawBufferPointer) {}
  package func didTruncate(_ file: String, to size: Int64) {}
  package func didSync(_ file: String, isFull: Bool) {}
  package func didDelete(_ file: String) {}
  package var sharesMemory: Bool { true }
}
