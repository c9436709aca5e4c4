/// The result of an eviction.
///
/// ```swift
/// let report = try await stack.evict(.older(than: .seconds(30 * 86_400), by: \Quake.time))
/// print(report.evicted, report.keptReferenced, report.keptEdited, report.keptUnpushed)
/// ```
public struct EvictionReport: Sendable, Hashable {
  /// The number of deleted rows, without the rows that a delete rule deleted with them.
  public internal(set) var evicted = 0
  /// The number of rows that stayed because other rows refer to them.
  public internal(set) var keptReferenced = 0
  /// The number of rows that stayed because of unsaved edits in the view context.
  ///
  /// Such an edit changes the row, a row that refers to it, or a row that would be deleted with it.
  public internal(set) var keptEdited = 0
  /// The number of rows that stayed because they were changed after the eviction had begun.
  public internal(set) var keptChanged = 0
  /// The number of rows that stayed because an ``Outbox`` has not pushed an edit.
  ///
  /// The edit is of the row, or of a row in which the delete rules would delete or overwrite it.
  public internal(set) var keptUnpushed = 0
  /// The commit of the last batch that deleted a row; nil if no row was deleted.
  public internal(set) var commit: Int64?

  /// The number of rows that stayed, for any reason.
  var kept: Int { keptReferenced + keptEdited + keptChanged + keptUnpushed }

  mutating func add(_ batch: EvictionReport) {
    evicted += batch.evicted
    keptReferenced += batch.keptReferenced
    keptEdited += batch.keptEdited
    keptChanged += batch.keptChanged
    keptUnpushed += batch.keptUnpushed
  }
}
