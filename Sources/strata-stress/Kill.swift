import Strata
import StrataFaults

/// The simulated kill of a process in the middle of its work.
///
/// The process that runs the test goes on. From the fatal write on, every write, truncation, sync
/// and deletion of a file fails, and the history pushes no more requests. Earlier writes
/// stay, as they do when the system kills a process.
final class Kill: FileObserver {
  private struct State: Sendable {
    /// The number of writes that still succeed; nil for no limit.
    var writes: Int?
    var isDead = false
  }

  private let state = Lock(State())

  /// Whether the simulated process is dead.
  var isDead: Bool { state.withLock { $0.isDead } }

  /// Kills the simulated process after a number of further writes.
  func arm(after writes: Int) { state.withLock { $0.writes = writes } }

  /// Removes the limit of writes.
  ///
  /// - Returns: whether the simulated process is dead.
  func disarm() -> Bool {
    state.withLock { state in
      state.writes = nil
      return state.isDead
    }
  }

  func failure(of call: FileCall, _ file: String) -> Int32? {
    state.withLock { state in
      switch call {
      case .write:
        if let writes = state.writes {
          state.isDead = state.isDead || writes == 0
          state.writes = max(0, writes - 1)
        }
      case .truncate, .sync, .delete: break
      case .open, .read, .lock, .sharedLock, .sharedMap: return nil
      }
      return state.isDead ? Self.inputOutput : nil
    }
  }

  /// SQLite's result code for a disk error, `SQLITE_IOERR`.
  private static let inputOutput: Int32 = 10
}
