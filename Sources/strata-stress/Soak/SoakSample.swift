import Foundation
import Strata

/// The resources and delays of a process under load at one time.
struct SoakSample: Sendable {
  /// The time in seconds since the start.
  let time: Int
  /// The process's memory in kilobytes.
  let memory: Int
  /// The size of the write-ahead log in kilobytes.
  let log: Int
  /// The size of the database in kilobytes.
  let file: Int
  let descriptors: Int
  let threads: Int
  /// The median wait for a turn of the main actor, in microseconds.
  let hopP50: Int
  /// The 99th percentile of the wait for a turn of the main actor, in microseconds.
  let hopP99: Int
  /// The longest time that the main actor was held, in microseconds of its own processor time.
  let stall: Int
  let saves: Int

  static let header =
    "     s  memory KB  log KB  store KB  files  threads  hop p50  p99 µs  stall µs    saves"

  var row: String {
    let columns = [
      (time, 6), (memory, 11), (log, 8), (file, 10), (descriptors, 7), (threads, 9), (hopP50, 9),
      (hopP99, 8), (stall, 10), (saves, 9),
    ]
    return columns.map { value, width in
      let text = "\(value)"
      return String(repeating: " ", count: max(1, width - text.count)) + text
    }.joined()
  }

  /// Measures a sample during an interval.
  @MainActor
  init(
    _ store: URL, at time: Duration, _ load: SoakLoad, during interval: Duration
  ) async throws {
    let beats = try await Heartbeat.beats { try await Task.sleep(for: interval) }
    self.time = Int(time / .seconds(1))
    hopP50 = Int(beats.waits.quantile(0.5) / .microseconds(1))
    hopP99 = Int(beats.waits.quantile(0.99) / .microseconds(1))
    stall = Int(beats.held.quantile(1) / .microseconds(1))
    memory = ProcessState.memory / 1024
    threads = ProcessState.threads
    descriptors = Descriptors.count
    log = Self.kilobytes(store.path + "-wal")
    file = Self.kilobytes(store.path)
    saves = await load.saves
  }

  private static func kilobytes(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return ((attributes?[.size] as? NSNumber)?.intValue ?? 0) / 1024
  }
}
