/// The keys of a layer that are edited, noted for readers that keep something up to date with them.
///
/// Each reader has a number of its own. The notes are part of the layer: a layer that takes the place
/// of another one has other notes, so a reader notices that it has to begin anew.
struct LayerNotes: Sendable {
  private struct Reader {
    let number: Int
    let tables: [TableID]
    var keys: [TableID: Set<RecordKey>] = [:]
    var count = 0
  }

  /// The number of keys after which a reader is dropped, because it begins anew at a lower cost.
  static let limit = 1_000

  private var readers: [Reader] = []

  /// Notes the keys of some tables for a reader from now on.
  mutating func begin(_ number: Int, _ tables: [TableID]) {
    readers.append(Reader(number: number, tables: tables))
  }

  /// Ends the notes for a reader.
  mutating func end(_ number: Int) { readers.removeAll { $0.number == number } }

  /// Returns whether keys are noted for a reader.
  func has(_ number: Int) -> Bool { readers.contains { $0.number == number } }

  /// Returns the keys that were edited since the reader took them last; nil if they are not noted.
  mutating func take(_ number: Int) -> [TableID: Set<RecordKey>]? {
    guard let index = readers.firstIndex(where: { $0.number == number }) else { return nil }
    defer { (readers[index].keys, readers[index].count) = ([:], 0) }
    return readers[index].keys
  }

  mutating func note(_ table: TableID, _ key: RecordKey) {
    if readers.isEmpty { return }
    for index in readers.indices where readers[index].tables.contains(table) {
      readers[index].keys[table, default: []].insert(key)
      readers[index].count += 1
    }
    readers.removeAll { $0.count > Self.limit }
  }
}
