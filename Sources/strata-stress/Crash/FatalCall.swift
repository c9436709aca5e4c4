import Strata
import StrataFaults

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A call that SQLite makes of the file system and that the process does not live to see done.
///
/// A kill from outside comes at any time; this one comes where it is wanted, and again with the same
/// seed.
struct FatalCall: Sendable {
  enum Kind: Int, CaseIterable, Sendable {
    /// A frame is written to the log: a commit, or a part of a long one.
    case logWrite = 1
    /// A page is written back to the database: nothing but a checkpoint does that.
    case checkpointWrite
    /// The disk is waited for: before and after a checkpoint's pages.
    case sync

    fileprivate func matches(_ call: FileCall, _ file: String) -> Bool {
      switch self {
      case .logWrite: call == .write && file.hasSuffix("-wal")
      case .checkpointWrite: call == .write && !file.hasSuffix("-wal")
      case .sync: call == .sync
      }
    }
  }

  let kind: Kind
  /// From 1 on.
  let number: Int

  /// Kills this process at the call.
  func arm(forStoreAt path: String) {
    ObservedFileSystem.observe(path, with: Observer(self))
  }

  private final class Observer: FileObserver {
    private let call: FatalCall
    private let calls = Lock(0)

    init(_ call: FatalCall) { self.call = call }

    func failure(of made: FileCall, _ file: String) -> Int32? {
      guard call.kind.matches(made, file) else { return nil }
      let number = calls.withLock { calls in
        calls += 1
        return calls
      }
      if number == call.number { kill(getpid(), SIGKILL) }
      return nil
    }

  }
}
