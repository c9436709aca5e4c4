/// The transactions that a transaction of PostgreSQL sees, in the form of `pg_current_snapshot()`.
///
/// It sees every transaction below ``end`` that was not running.
package struct ServerSnapshot: Sendable, Hashable {
  /// The least number that no transaction had yet (`xmax`).
  package let end: UInt64
  /// The transactions below ``end`` that were running (`xip`), in ascending order.
  package let running: [UInt64]
  /// The form that PostgreSQL reads and writes, `xmin:xmax:xip,…`.
  package let text: String

  package init(_ text: String) throws(ReplicaError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, UInt64(parts[0]) != nil, let end = UInt64(parts[1]) else {
      throw .unreadable("the snapshot \(text)")
    }
    self.text = text
    self.end = end
    running = parts[2].split(separator: ",").compactMap { UInt64($0) }
  }

  package func sees(_ transaction: UInt64) -> Bool {
    transaction < end && !running.contains(transaction)
  }

  /// Returns whether a later snapshot sees everything that this one sees.
  package func isContained(in later: ServerSnapshot) -> Bool {
    let mine = Set(running)
    return end <= later.end && later.running.allSatisfy { $0 >= end || mine.contains($0) }
  }
}
