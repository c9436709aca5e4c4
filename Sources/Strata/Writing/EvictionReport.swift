/// What an eviction did.
public struct EvictionReport: Sendable, Hashable {
  /// Rows that went, without those that a delete rule took along.
  public internal(set) var evicted = 0
  /// Rows that stayed because other rows refer to them.
  public internal(set) var keptReferenced = 0
  /// Rows that stayed because the view context has unsaved edits of them, or of a row that refers
  /// to them or would go with them.
  public internal(set) var keptEdited = 0
  /// Rows that stayed because somebody changed them after the eviction had begun.
  public internal(set) var keptChanged = 0
  /// Rows that stayed because an ``Outbox`` has not pushed what was edited of them, or of a row
  /// that would go with them.
  public internal(set) var keptUnpushed = 0
  /// The commit of the last batch; nil if nothing went.
  public internal(set) var commit: Int64?

  /// Rows that stayed, for whatever reason.
  var kept: Int { keptReferenced + keptEdited + keptChanged + keptUnpushed }

  mutating func add(_ batch: EvictionReport) {
    evicted += batch.evicted
    keptReferenced += batch.keptReferenced
    keptEdited += batch.keptEdited
    keptChanged += batch.keptChanged
    keptUnpushed += batch.keptUnpushed
  }
}
