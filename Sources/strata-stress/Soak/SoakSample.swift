import Foundation
import Strata

/// What a process under load has and takes at one time.
struct SoakSample: Sendable {
  /// In seconds since the start.
  let time: Int
  /// In kilobytes: the process's memory, the write-ahead log, the database.
  let memory: Int
  let log: Int
  let file: Int
  let descriptors: Int
  let threads: Int
  /// How long a turn of the main actor takes to come, in microseconds.
  let hopP50: Int
  let hopP99: Int
  /// The longest that the main actor was held, in microseconds of its own computing.
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

  /// Watches for a while.
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

/// What the system says of this process; 0 where it does not say so in a file.
enum ProcessState {
  /// The memory that it has, in bytes.
  static var memory: Int {
    let status = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = status.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  static var threads: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? 0
  }
}
