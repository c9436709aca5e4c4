internal import CStrataSQLite

/// Values packed into one blob, which SQL reads as the table `strata_list(blob)`.
///
/// A statement takes at most 32,766 parameters. JSON would round numbers, cut texts at a NUL and
/// have no blobs.
package struct ValueList {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  // `strata_list` in shim.h reads the same tags.

  package mutating func append(_ value: Int64) {
    bytes.append(1)
    append(raw: value)
  }

  package mutating func append(_ value: Double) {
    bytes.append(2)
    append(raw: value)
  }

  package mutating func append(text: String) {
    bytes.append(3)
    append(raw: UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  package mutating func append(blob: some Collection<UInt8>) {
    bytes.append(4)
    append(raw: UInt32(blob.count))
    bytes.append(contentsOf: blob)
  }

  /// Appends the bytes in the machine's byte order, because the list never leaves its statement.
  private mutating func append<Value>(raw value: Value) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }

  static func register(on connection: OpaquePointer) -> Int32 { strata_register_list(connection) }
}
