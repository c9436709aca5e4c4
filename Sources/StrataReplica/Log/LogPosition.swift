/// A position in the server's write-ahead log (`pg_lsn`).
package struct LogPosition: Sendable, Hashable, Comparable {
  package let value: UInt64

  /// Reads PostgreSQL's form, two hexadecimal numbers with a slash between them.
  package init(_ text: String) throws(ReplicaError) {
    let parts = text.split(separator: "/")
    guard parts.count == 2, let high = UInt64(parts[0], radix: 16),
      let low = UInt64(parts[1], radix: 16), high < 1 << 32, low < 1 << 32
    else { throw .unreadable("the log position \(text)") }
    value = high << 32 | low
  }

  package static func < (left: LogPosition, right: LogPosition) -> Bool { left.value < right.value }
}
