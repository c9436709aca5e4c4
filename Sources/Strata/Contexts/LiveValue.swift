public import Observation

/// A value that is computed from a query's entities and stays up to date.
///
/// It is the number of entities, a sum, an average, the least or greatest value of an attribute, or
/// a dictionary of such values by group. Commits change it row by row. The view context's unsaved
/// edits count in the same turn. A change that leaves the value equal wakes neither observers nor
/// streams.
///
/// The live value drops the query's order, unless a limit or an offset needs it. It shares its rows
/// in memory with a ``LiveQuery`` of the remaining query. Holding the live value, or a stream of its
/// ``updates``, keeps it up to date; releasing both ends it.
///
/// `Observable`: reading ``value`` in a SwiftUI body or in `withObservationTracking` is enough.
///
/// ```swift
/// let loved = view.live(.count, of: Song.where { $0.loved })
/// try await loved.waitUntilLoaded()
/// print(loved.value ?? 0)
/// ```
@MainActor
public final class LiveValue<Value: Sendable>: Observable {
  private let observed = ObservedState()
  private let view: ViewContext
  private let result: LiveResult
  private let reader: LiveValueReader<Value>
  private let storeError: (CodingFailure) -> StoreError
  /// The newest cells of each group; nil until they are loaded.
  private var cells: [GroupKey: [Cell]]?
  private var shown: Value?
  private var reading = Reading.current
  private var failure: StoreError?
  private let streams = NewestStreams<Value>()

  private enum Reading {
    /// `shown` was read from the newest cells.
    case current
    /// The newest cells cannot be read. `shown` was read from these, or from none.
    case behind([GroupKey: [Cell]]?)
  }

  init(
    _ view: ViewContext, _ result: LiveResult,
    _ reader: LiveValueReader<Value>,
    _ storeError: @escaping (CodingFailure) -> StoreError
  ) {
    self.view = view
    self.result = result
    self.reader = reader
    self.storeError = storeError
    failure = result.error
    _ = result.observe { [weak self] in self?.update($0) }
    result.onFinish { [streams] in streams.finish() }
    if result.isFinished { streams.finish() }
  }

  /// The value, unsaved edits included; nil until it is loaded.
  public var value: Value? {
    observed.access()
    return shown
  }

  /// Why there is no value, or no newer value: for example, a load failed or a sum is out of range.
  ///
  /// The next commit and ``waitUntilLoaded()`` try a failed load again.
  public var error: StoreError? {
    observed.access()
    return failure
  }

  /// Waits for the first value, and returns it; a first load that has failed is tried again.
  ///
  /// - Throws: the error of a load that failed, `invalidValue` for a sum that is out of range,
  ///   `cancelled` or `closed`.
  @discardableResult
  public func waitUntilLoaded() async throws -> Value {
    try await view.waitUntilLoaded(result)
    if let failure { throw failure }
    guard let shown else { throw StoreError.closed }
    return shown
  }

  /// The value as soon as there is one, then every different value.
  ///
  /// A slow consumer gets only the newest value. A stream keeps the live value alive. It ends when the
  /// consuming task is cancelled, or when the stack ends.
  public var updates: AsyncStream<Value> { streams.add(shown, keeping: self) }

  /// The statistics of the live value; its wakes count changed values and errors.
  public var statistics: LiveStatistics {
    var statistics = result.counters.statistics
    statistics.wakes = wakes
    return statistics
  }

  /// The monitor that shows whether the live value reads rows that it lacks.
  public var activity: ActivityMonitor { result.activity }

  private var wakes = 0

  private func update(_ change: LiveChange) {
    guard result.isLoaded, let fold = result.shownFold else {
      if result.error != nil || failure != nil { show(nil, result.error) }
      return
    }
    let isFirst = cells == nil
    let changes = take(fold, change)
    do throws(CodingFailure) {
      switch reading {
      case .current:
        let patch = try reader.patch(shown, changes)
        if patch == nil, result.error == nil, failure == nil { return }
        show(patch, result.error)
      case .behind(let shownCells):
        let patch = try reader.patch(nil, cells?.values.map { (nil, $0) } ?? [])
        reading = .current
        show(
          shownCells == cells
            ? nil
            : { value in
              value = nil
              patch?(&value)
            }, result.error)
      }
    } catch {
      if case .current = reading { reading = .behind(isFirst ? nil : cells(before: changes)) }
      show(nil, result.error ?? storeError(error))
    }
  }

  /// Takes the newest cells, and returns the groups whose cells differ.
  private func take(_ fold: AggregateFold, _ change: LiveChange) -> [GroupChange] {
    guard cells != nil, case .some(let keys) = change.changed, change.new.isWhole,
      keys.count < fold.groupCount || fold.groupColumns.isEmpty
    else {
      let old = cells ?? [:]
      let width = fold.groupColumns.count
      let new = Dictionary(
        uniqueKeysWithValues: fold.rows.map { (GroupKey($0.prefix(width)), $0) })
      cells = new
      return new.filter { old[$0] != $1 }.map { (old[$0], $1) }
        + old.filter { new[$0.key] == nil }.map { ($1, nil) }
    }
    var groups: Set<GroupKey> = fold.groupColumns.isEmpty ? [GroupKey([])] : []
    for key in keys.distinct {
      for rows in [change.old, change.new] {
        if let record = rows.tree.record(of: key) { groups.insert(fold.group(of: record)) }
      }
    }
    return groups.compactMap { group in
      let (old, new) = (cells?[group], fold.row(of: group))
      if old == new { return nil }
      cells?[group] = new
      return (old, new)
    }
  }

  /// Returns the newest cells without some changes.
  private func cells(before changes: [GroupChange]) -> [GroupKey: [Cell]]? {
    var cells = cells
    let width = result.emptyFold?.groupColumns.count ?? 0
    for (old, new) in changes {
      if let group = (old ?? new)?.prefix(width) { cells?[GroupKey(group)] = old }
    }
    return cells
  }

  /// Shows a changed value, or only another error.
  private func show(_ patch: LiveValueReader<Value>.Patch?, _ error: StoreError?) {
    wakes += 1
    observed.change {
      patch?(&shown)
      failure = error
    }
    if patch != nil, let shown { streams.yield(shown) }
  }
}
