import Strata
import StrataFaults

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A call of SQLite to the file system at which the process kills itself.
///
/// The process ends before the call. A kill from outside comes at any time. This kill comes at a
/// chosen call, and comes there again with the same seed.
struct FatalCall: Sendable {
  enum Kind: Int, CaseIterable, Sendable {
    /// A write of a frame to the log: a commit, or a part of a long commit.
    case logWrite = 1
    /// A write of a page to the database, which only a checkpoint makes.
    case checkpointWrite
    /// A wait for the disk, before and after the pages of a checkpoint.
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
  /// The number of the call among the calls of its kind, from 1 on.
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
