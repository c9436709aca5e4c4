/// The rows that were pushed while an import runs.
///
/// The import may read an answer that the server gave before it received these rows. So until its
/// end the import leaves their pushed attributes alone, as if the rows still waited.
package final class PushedRows: Sendable {
  private let rows = Lock<[TableID: [RecordKey: AttributeSet]]>([:])

  init() {}

  var isEmpty: Bool { rows.withLock { $0.isEmpty } }

  func hasRows(of table: TableID) -> Bool { rows.withLock { $0[table] != nil } }

  /// Returns the attributes of a row that the import may read with older values; nil if nothing of
  /// the row was pushed.
  func attributes(_ table: TableID, _ key: RecordKey) -> AttributeSet? {
    rows.withLock { $0[table]?[key] }
  }

  fileprivate func note(_ attributes: AttributeSet, _ table: TableID, _ key: RecordKey) {
    rows.withLock { $0[table, default: [:]][key, default: AttributeSet()].formUnion(attributes) }
  }
}

/// The running imports of a store.
///
/// An import is known as long as it keeps the ``PushedRows`` that it was given.
final class ImportsUnderWay: Sendable {
  private struct Import: Sendable {
    weak var pushed: PushedRows?
  }

  private let imports = Lock<[Import]>([])

  /// Starts to note the pushed rows for an import.
  ///
  /// Call this before any data of the import's feed is requested.
  func begin() -> PushedRows {
    let pushed = PushedRows()
    imports.withLock { imports in
      imports.removeAll { $0.pushed == nil }
      imports.append(Import(pushed: pushed))
    }
    return pushed
  }

  /// Notes a pushed row for every running import.
  ///
  /// Call this before the row's entry leaves the outbox. An import that begins later gets a later
  /// answer of the server.
  func notePushed(_ attributes: AttributeSet, _ table: TableID, _ key: RecordKey) {
    for pushed in imports.withLock({ $0.compactMap(\.pushed) }) {
      pushed.note(attributes, table, key)
    }
  }
}
