internal import StrataSQLite

/// The cost of statements since the stack was opened, by their text.
///
/// The ledger is bounded. When it has too many texts, it forgets the cheaper half. If a forgotten
/// statement runs again, its earlier cost is missing.
final class StatementLedger: Sendable {
  /// The number of texts that remain when the ledger forgets the cheaper half.
  static let capacity = 256

  private struct Key: Hashable {
    let sql: String
    let isOfWriter: Bool
  }

  fileprivate struct Cost {
    var runs = 0
    var total = Duration.zero
    var longest = Duration.zero
    var rows = 0
    var scannedRows = 0
  }

  private let costs = Lock<[Key: Cost]>([:])

  func note(_ ended: EndedStatement, isOfWriter: Bool) {
    // A report runs `EXPLAIN` statements, which are not the app's.
    if ended.sql.hasPrefix("EXPLAIN ") { return }
    let key = Key(sql: ended.sql, isOfWriter: isOfWriter)
    costs.withLock { costs in
      costs[key, default: Cost()].add(ended)
      if costs.count <= 2 * Self.capacity { return }
      let costliest = costs.sorted { $0.value.total > $1.value.total }.prefix(Self.capacity)
      costs = Dictionary(uniqueKeysWithValues: costliest.map { ($0.key, $0.value) })
    }
  }

  /// Returns the statements that took the most time in all, the costliest first.
  func costliest(_ count: Int) -> [StackDiagnostics.Statement] {
    let all = costs.withLock { costs in
      costs.map { key, cost in
        StackDiagnostics.Statement(
          sql: key.sql, isOfWriter: key.isOfWriter, runs: cost.runs, total: cost.total,
          longest: cost.longest, rows: cost.rows, scannedRows: cost.scannedRows)
      }
    }
    return Array(all.sorted { ($1.total, $0.sql) < ($0.total, $1.sql) }.prefix(count))
  }
}

extension StatementLedger.Cost {
  fileprivate mutating func add(_ ended: EndedStatement) {
    runs += 1
    total += ended.duration
    longest = max(longest, ended.duration)
    rows += ended.rows
    scannedRows += ended.scannedRows
  }
}
