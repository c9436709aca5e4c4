public import Observation

/// A value that is computed from a query's entities and stays up to date.
///
/// It is the number of entities, a sum, an average, the least or greatest value of an attribute, or
/// a dictionary of such values by group. Commits change it row by row. The view context's unsaved
/// edits count in the same turn. A change that leaves the value equal wakes neither observers nor
/// streams.
///
/// The live value drops the query's order, unless a limit or an offset needs it. It shares its rows
/// in memory with a ``LiveQuery`` of the remaining query. Holding the live value keeps it up to
/// date; releasing it ends it.
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
  private let registrar = ObservationRegistrar()
  private let view: ViewContext
  private let result: LiveResult
  private let read: ([[Cell]]) throws(StoreError) -> Value
  private var cells: Set<[Cell]>?
  private var shown: Value?
  /// The cells from which `shown` was decoded; `cells` may be newer, but unreadable.
  private var shownCells: Set<[Cell]>?
  private var failure: StoreError?
  private let streams = NewestStreams<Value>()

  init(
    _ view: ViewContext, _ result: LiveResult,
    _ read: @escaping ([[Cell]]) throws(StoreError) -> Value
  ) {
    self.view = view
    self.result = result
    self.read = read
    failure = result.error
    _ = result.observe { [weak self] _ in self?.update() }
    result.onFinish { [streams] in streams.finish() }
    if result.isFinished { streams.finish() }
  }

  /// The value, unsaved edits included; nil until it is loaded.
  public var value: Value? {
    registrar.access(self, keyPath: \.value)
    return shown
  }

  /// Why there is no value, or no newer value: for example, a load failed or a sum is out of range.
  ///
  /// The next commit and ``waitUntilLoaded()`` try a failed load again.
  public var error: StoreError? {
    registrar.access(self, keyPath: \.value)
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
  /// A slow consumer gets only the newest value. The stream ends with the live value or its stack,
  /// or when the consuming task is cancelled.
  public var updates: AsyncStream<Value> { streams.add(shown) }

  /// The statistics of the live value; its wakes count changed values and errors.
  public var statistics: LiveStatistics {
    var statistics = result.counters.statistics
    statistics.wakes = wakes
    return statistics
  }

  /// The monitor that shows whether the live value reads rows that it lacks.
  public var activity: ActivityMonitor { result.activity }

  private var wakes = 0

  private func update() {
    let rows = result.isLoaded ? result.shownFold?.rows : nil
    let new = rows.map { Set($0) }
    if new == cells && result.error == nil && failure == nil { return }
    var value = shown
    var error = result.error
    var isOther = false
    if let rows {
      do throws(StoreError) {
        value = try read(rows)
        isOther = new != shownCells
      } catch let unreadable {
        error = error ?? unreadable
      }
    }
    wakes += 1
    registrar.willSet(self, keyPath: \.value)
    cells = new
    if isOther { shownCells = new }
    shown = value
    failure = error
    registrar.didSet(self, keyPath: \.value)
    if isOther, let value { streams.yield(value) }
  }
}
