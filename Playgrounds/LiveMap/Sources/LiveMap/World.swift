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
  private let feed: Feed
  private let importer: Importer
  private let winds: Winds
  private var lastImport = Import.none
  private var setting = Winds.Setting()
  private var visits: [Visit] = []

  /// A weak reference, so that the number of visits tells whether sessions really end.
  private struct Visit {
    weak var session: Session?
  }

  init(_ stack: Stack, feed: Feed, sites: [LaunchSite]) {
    self.stack = stack
    self.feed = feed
    importer = Importer(stack)
    winds = Winds(stack, sites: sites)
  }

  func welcome(_ session: Session) { visits.append(Visit(session: session)) }

  func end() async {
    stopImport()
    await winds.stop()
    await stack.close()
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

  func setWinds(count: Int?, movesPerSecond: Int?) async {
    if let count { setting.count = min(max(0, count), Winds.limits.count) }
    if let movesPerSecond {
      setting.movesPerSecond = min(max(0, movesPerSecond), Winds.limits.movesPerSecond)
    }
    await winds.set(setting)
  }

  // MARK: Numbers

  var status: Status {
    visits.removeAll { $0.session == nil }
    var status = Status()
    status.pages = visits.count
    status.commit = stack.viewContext.commit
    status.canUndo = stack.viewContext.canUndo
    status.balloons = setting.count
    status.movesPerSecond = setting.movesPerSecond
    status.feed = feedStatus
    return status
  }

  private var feedStatus: Status.Feed {
    switch lastImport {
    case .none: return Status.Feed()
    case .running(let monitor, _):
      let progress = monitor.progress
      return Status.Feed(
        isRunning: true, fraction: progress.fraction, result: progress.result.counts)
    case .finished(let result): return Status.Feed(result: result.counts)
    case .failed(let problem): return Status.Feed(problem: problem)
    }
  }
}
