/// What a server was told while an import runs, which may read an answer that the server gave
/// before.
///
/// Until the import ends it leaves those rows alone, as if they still waited.
package final class PushedRows: Sendable {
  private let rows = Lock<[TableID: [RecordKey: AttributeSet]]>([:])

  init() {}

  var isEmpty: Bool { rows.withLock { $0.isEmpty } }

  func hasRows(of table: TableID) -> Bool { rows.withLock { $0[table] != nil } }

  /// The attributes of a row that the import may have older; nil if nothing of it was pushed.
  func attributes(_ table: TableID, _ key: RecordKey) -> AttributeSet? {
    rows.withLock { $0[table]?[key] }
  }

  fileprivate func note(_ attributes: AttributeSet, _ table: TableID, _ key: RecordKey) {
    rows.withLock { $0[table, default: [:]][key, default: AttributeSet()].formUnion(attributes) }
  }
}

/// The imports of a store that run, each known as long as it keeps what it was given.
final class ImportsUnderWay: Sendable {
  private struct Import: Sendable {
    weak var pushed: PushedRows?
  }

  private let imports = Lock<[Import]>([])

  /// Notes for an import what is pushed from now on: called before anything of its feed is asked
  /// for.
  func begin() -> PushedRows {
    let pushed = PushedRows()
    imports.withLock { imports in
      imports.removeAll { $0.pushed == nil }
      imports.append(Import(pushed: pushed))
    }
    return pushed
  }

  /// Tells every import of what was pushed.
  ///
  /// Before its entry leaves the outbox: an import that begins later gets a later answer.
  func notePushed(_ attributes: AttributeSet, _ table: TableID, _ key: RecordKey) {
    for pushed in imports.withLock({ $0.compactMap(\.pushed) }) {
      pushed.note(attributes, table, key)
    }
  }
}
