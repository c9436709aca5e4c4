internal import CStrataSQLite

/// A search for bytes in bytes with the C library's `memmem`, which Swift's overlay hides on Linux.
package enum ByteSearch {
  package static func contains(
    _ bytes: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer
  ) -> Bool {
    strata_find(bytes.baseAddress, bytes.count, part.baseAddress, part.count) != nil
  }
}
