import Strata
import StrataImport

/// The store, its view context and the authors of changes, which all pages share.
@MainActor final class World {
  /// The state of the last import.
  private enum Import {
    case none
    case running(ImportMonitor, Task<Void, Never>)
    case finished(ImportResult)
    case failed(String)
  }

  let stack: Stack
  let tally = Tally()
  let pulse = Pulse()
  /// The badges of rows; nil without badges.
  var badge: (@MainActor (Sighting) -> RowBadge?)?
  private let feed: Feed
  private let importer: Importer
  private let winds: Winds
  private var lastImport = Import.none
  private var setting = Winds.Setting()
  private var isAwaited: Bool
  private var visits: [Visit] = []
  private var counting: Task<Void, Never>?

  /// A weak reference, so that the number of visits tells whether sessions really end.
  private struct Visit {
    weak var session: Session?
  }

  /// - Parameter isQuiet: whether the first page finds the store as it is.
  init(_ stack: Stack, feed: Feed, sites: [LaunchSite], isQuiet: Bool) {
    self.stack = stack
    self.feed = feed
    isAwaited = !isQuiet
    importer = Importer(stack)
    winds = Winds(stack, sites: sites, tally: tally)
    counting = Task.detached { [tally, changes = stack.changes] in
      for await change in changes { tally.addRows(change.count) }
    }
  }

  func end() async {
    stopImport()
    pulse.end()
    await winds.rest()
    await stack.close()
    counting?.cancel()
  }

  // MARK: Pages

  /// Notes a new page. The first page finds an import and balloons on their way.
  func welcome(_ session: Session) {
    visits.append(Visit(session: session))
    pulse.begin()
    pulse.reset()
    if isAwaited {
      isAwaited = false
      startImport()
      setting = Winds.first
      Task { await winds.set(setting) }
    } else if pageCount == 1 {
      Task { await winds.resume() }
    }
  }

  /// Notes the end of a page. Without a page the winds rest.
  func bidFarewell(to session: Session) async {
    visits.removeAll { $0.session == nil || $0.session === session }
    guard visits.isEmpty else { return }
    pulse.end()
    await winds.rest()
  }

  private var pageCount: Int {
    visits.removeAll { $0.session == nil }
    return visits.count
  }

  // MARK: Changes

  func startImport() {
    if case .running = lastImport { return }
    let monitor = ImportMonitor()
    let task = Task {
      do {
        lastImport = .finished(try await importer.refresh(from: feed, monitor: monitor))
      } catch {
        let isStopped = (error as? ImportError)?.code == .cancelled
        lastImport = .failed(isStopped ? "Stopped; what was read is kept" : "\(error)")
      }
    }
    lastImport = .running(monitor, task)
  }

  func stopImport() {
    if case .running(_, let task) = lastImport { task.cancel() }
  }

  /// Imports the feed at its full speed, after the import under way.
  func importAgain() async throws -> ImportResult {
    if case .running(_, let task) = lastImport { await task.value }
    let result = try await importer.refresh(from: feed, isFast: true)
    try await stack.viewContext.waitUntilMerged(result.commit)
    lastImport = .finished(result)
    return result
  }

  func restWinds() async { await winds.rest() }

  func resumeWinds() async { await winds.resume() }

  func setWinds(count: Int?, movesPerSecond: Int?, areUnderWay: Bool = false) async {
    setting.areUnderWay = areUnderWay
    if let count { setting.count = min(max(0, count), Winds.limits.count) }
    if let movesPerSecond {
      setting.movesPerSecond = min(max(0, movesPerSecond), Winds.limits.movesPerSecond)
    }
    await winds.set(setting)
  }

  /// Makes the winds blow, unless they do.
  func stirWinds() async {
    await setWinds(
      count: max(setting.count, Winds.first.count),
      movesPerSecond: max(setting.movesPerSecond, Winds.first.movesPerSecond))
  }

  // MARK: Numbers

  var status: Status {
    var status = Status()
    status.pages = pageCount
    status.commit = stack.viewContext.commit
    status.hasUnsavedEdits = stack.viewContext.hasChanges
    status.rowsChanged = tally.rowsChanged
    status.movesSaved = tally.movesSaved
    status.balloons = setting.count
    status.movesPerSecond = setting.movesPerSecond
    status.feed = feedStatus
    status.longestTurnMilliseconds = pulse.longest / .milliseconds(1)
    return status
  }

  private var feedStatus: Status.Feed {
    var status = Status.Feed(name: feed.name)
    switch lastImport {
    case .none: break
    case .running(let monitor, _):
      let progress = monitor.progress
      status.isRunning = true
      status.fraction = progress.fraction
      status.result = progress.result.counts
    case .finished(let result): status.result = result.counts
    case .failed(let problem): status.problem = problem
    }
    return status
  }
}
