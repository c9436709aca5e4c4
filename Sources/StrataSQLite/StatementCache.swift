/// SQL text with an identity, which is the key in a connection's statement cache.
///
/// A lookup hashes a pointer, not the text.
package final class SQL: Sendable {
  package let text: String
  package init(_ text: String) { self.text = text }
}

/// The prepared statements of one connection, which drops the least recently used first.
struct StatementCache {
  /// Enough for every form of query in a large app. A full cache drops its older half.
  static let capacity = 256

  private struct Entry {
    /// Retained, so that no other text can get the same identity.
    let sql: SQL
    let statement: Statement
    var lastUse: Int
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  private var clock = 0

  var count: Int { entries.count }

  mutating func find(_ sql: SQL) -> Statement? {
    clock &+= 1
    guard let index = entries.index(forKey: ObjectIdentifier(sql)) else { return nil }
    entries.values[index].lastUse = clock
    return entries.values[index].statement
  }

  mutating func add(_ statement: Statement, for sql: SQL) {
    if entries.count >= Self.capacity {
      let oldest = entries.values.map(\.lastUse).sorted()[Self.capacity / 2]
      entries = entries.filter { $0.value.lastUse > oldest }
    }
    entries[ObjectIdentifier(sql)] = Entry(sql: sql, statement: statement, lastUse: clock)
  }

  mutating func removeAll() { entries.removeAll() }
}
