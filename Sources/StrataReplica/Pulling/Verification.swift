internal import Strata

/// A comparison of all rows with the server's, while both go on to change.
///
/// Pages of the server are younger than the store, so a row that differs from its page may only have
/// changed since. Such rows are read again by a pull, with all of its rows. Right after it the store has
/// the state of the server that the pull has read.
///
/// ```
/// requested ─the store has a state of the server→ reading
/// reading ─page→ reading;  reading ─last page→ checking
/// checking ─pull→ done;  checking ─copy→ checking
/// ```
enum Verification {
  case requested
  case reading(CopyProgress, suspects: Suspects)
  case checking(Suspects)
  case done([RowDifference])

  /// The keys of rows that differ from their pages, by the name of the table.
  typealias Suspects = [String: Set<RecordKey>]

  /// The rows that the next pull reads again.
  var suspects: Suspects { if case .checking(let suspects) = self { suspects } else { [:] } }

  var result: [RowDifference]? { if case .done(let found) = self { found } else { nil } }

  /// Begins to read, from a state of the server that the store has.
  mutating func begin(_ cursor: ReplicaCursor) {
    if case .requested = self { self = .reading(CopyProgress(cursor), suspects: [:]) }
  }

  /// Notes the rows that a pull has found to differ.
  mutating func end(_ found: [RowDifference]) {
    if case .checking = self { self = .done(found) }
  }

  /// Notes the rows that differ from a page.
  ///
  /// - Parameter tables: all tables to read.
  mutating func read(
    _ count: Int, of table: Table, through key: RecordKey?, differing: Set<RecordKey>,
    tables: [Table]
  ) {
    guard case .reading(var progress, var suspects) = self else { return }
    progress.read(count, of: table, through: key)
    if !differing.isEmpty { suspects[table.name, default: []].formUnion(differing) }
    let isRead = tables.allSatisfy(progress.isFinished)
    self = isRead ? .checking(suspects) : .reading(progress, suspects: suspects)
  }
}
