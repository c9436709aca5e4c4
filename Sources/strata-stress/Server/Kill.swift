import Strata
import StrataFaults

/// The end of a process in the middle of its work, without ending this one: from one of its writes
/// on nothing reaches a file any more, and no request leaves.
///
/// What the process wrote before stays, as it does when the system ends a process.
final class Kill: FileObserver {
  private struct State: Sendable {
    /// The writes that are still done; nil for all of them.
    var writes: Int?
    var isDead = false
  }

  private let state = Lock(State())

  /// Whether the process has ended.
  var isDead: Bool { state.withLock { $0.isDead } }

  /// Ends the process at a write from now on.
  func arm(after writes: Int) { state.withLock { $0.writes = writes } }

  /// - Returns: whether the process has ended.
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

  /// SQLite's code of an error of the disk.
  private static let inputOutput: Int32 = 10
}
