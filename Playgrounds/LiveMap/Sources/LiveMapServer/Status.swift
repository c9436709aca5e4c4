import StrataImport
import StrataMap

/// The numbers of a page's dashboard.
struct Status: Encodable, Sendable, Hashable {
  /// The number of pages with a registry.
  var pages = 0
  /// The newest commit that the view context shows.
  var commit: Int64 = 0
  var feed = Feed()
  var balloons = 0
  var movesPerSecond = 0
  /// The number of rows that commits have changed since the server began.
  var rowsChanged = 0
  /// The number of moves that the winds have saved.
  var movesSaved = 0
  var canUndo = false
  var hasUnsavedEdits = false

  var isHolding = false
  var clustersLag = false
  var shown = 0
  var pending = 0
  var added = 0
  var moved = 0
  var restyled = 0
  var removed = 0
  var coalesced = 0
  var suppressed = 0
  var highWater = 0
  var slices = 0
  var worstSliceMilliseconds = 0.0
  /// The longest turn that took a piece of a difference.
  var longestTakeMilliseconds = 0.0
  /// An upper bound of the longest turn of the main actor since the last page connected.
  var longestTurnMilliseconds = 0.0

  struct Feed: Encodable, Sendable, Hashable {
    var name = ""
    var isRunning = false
    /// The part of the feed that is read, 0 to 1; nil if its size is not known.
    var fraction: Double?
    var result: ImportResult.Counts?
    var problem: String?
  }

  /// Takes the state and the counters of a registry.
  @MainActor mutating func describe(_ registry: AnnotationRegistry<Sighting>) {
    let counters = registry.counters
    isHolding = !registry.isGateOpen
    clustersLag = registry.clustersLag
    shown = registry.shownCount
    pending = registry.pendingOperationCount
    added = counters.added
    moved = counters.moved
    restyled = counters.restyled
    removed = counters.removed
    coalesced = counters.coalesced
    suppressed = counters.suppressed
    highWater = counters.highWater
    slices = counters.slices
    worstSliceMilliseconds = counters.worstSlice / .milliseconds(1)
  }
}

extension ImportResult {
  /// The numbers of an import that a page shows.
  struct Counts: Encodable, Sendable, Hashable {
    let records: Int
    let inserted: Int
    let updated: Int
    let unchanged: Int
    let deleted: Int
  }

  var counts: Counts {
    Counts(
      records: records, inserted: inserted, updated: updated, unchanged: unchanged,
      deleted: deleted)
  }
}
