#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#endif

/// Announces commits to other processes, and hears of theirs, through a file beside the store.
///
/// After commits, one byte of `<store>-notify` is written, and the kernel wakes the processes that
/// watch the file. Nothing polls. It would be cheaper to watch the write-ahead log, but not sound.
/// The bytes of the log are written *before* their commit becomes visible. A word in shared memory
/// makes the commit visible, and writing that word wakes no process. A process that looked in
/// between would not look again.
///
/// Every stack that has the file open holds a shared lock on it. If no other stack holds the lock,
/// a commit costs one check of the lock and wakes no process, not even its own. A stack that opens
/// the store takes the lock first and looks for commits afterwards, so it misses no commit.
///
/// A signal may come without a commit, and one signal may stand for several commits. A signal never
/// comes before its commit can be read. When a process ends, for whatever reason, closing the file
/// is a signal as well (not on Darwin).
final class CommitSignal: Sendable {
  private struct State: Sendable {
    var file: Int32
    var watch: FileWatch?
    var onSignal: (@Sendable () -> Void)?
    var isStopped = false
  }

  private let path: String
  private let state: Lock<State>

  /// Opens the file beside the store, or creates it; nil if that is not possible.
  init?(store: String) {
    path = store + "-notify"
    guard let file = Self.openFile(path, like: store) else { return nil }
    state = Lock(State(file: file))
  }

  deinit { stop() }

  private static func openFile(_ path: String, like store: String) -> Int32? {
    var status = stat()
    // A process that may write to the store may also signal.
    let mode = stat(store, &status) == 0 ? status.st_mode & 0o666 : 0o600
    // A byte is written into the file. Through a link in its place, that byte would go to another
    // file.
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    // Linux also opens a file whose removal is still under way. Exclusive creation waits for the
    // removal to end.
    var file = open(path, flags | O_EXCL, mode)
    if file < 0, errno == EEXIST { file = open(path, flags, mode) }
    guard file >= 0 else { return nil }
    FileAudience.join(file)
    return file
  }

  /// Wakes all watchers of the file; called after a commit.
  ///
  /// Does nothing if no other stack has the file open.
  func post() {
    state.withLock { state in
      if state.isStopped || FileAudience.isAlone(state.file) { return }
      var byte: UInt8 = 1
      _ = pwrite(state.file, &byte, 1, 0)
    }
  }

  /// Calls `onSignal`, on a queue of its own, whenever there may be a new commit.
  ///
  /// - Returns: false if the system has no room for another watch.
  func start(_ onSignal: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      if state.isStopped { return }
      state.onSignal = onSignal
      state.watch = watch()
    }
    // A stack that closes the store removes the file, even between the opening and the watch here.
    renewIfRemoved()
    return state.withLock { $0.watch != nil }
  }

  private func watch() -> FileWatch? { FileWatch(path: path) { [weak self] in self?.didHear() } }

  private func didHear() {
    renewIfRemoved()
    state.withLock { $0.onSignal }?()
  }

  /// Limits the attempts, because some file systems report every file as removed.
  private static let mostRenewals = 100

  /// Creates the file again if it was removed.
  ///
  /// Otherwise a stack that opens the store later would create another file.
  private func renewIfRemoved() {
    // The lock is held for all attempts. Two renewals at once would end each other's watches, and
    // between two attempts the watch is missing.
    let isRenewed = state.withLock { state in
      for attempt in 0..<Self.mostRenewals {
        if !renew(&state) { return attempt > 0 }
      }
      return true
    }
    // A stack that found the new file first has not heard of the commits since then.
    if isRenewed { post() }
  }

  /// - Returns: whether the file had been removed. The new file may also have been removed before
  ///   it was watched.
  private func renew(_ state: inout State) -> Bool {
    var status = stat()
    guard !state.isStopped, fstat(state.file, &status) == 0, status.st_nlink == 0,
      let file = Self.openFile(path, like: String(path.dropLast("-notify".count)))
    else { return false }
    // The old watch ends before its file is closed.
    state.watch?.end()
    close(state.file)
    state.file = file
    state.watch = watch()
    return true
  }

  /// Closes and removes the file, so that a store without an open stack is one file.
  ///
  /// A stack that still has the store open creates the file again.
  func stop() {
    let (file, watch) = state.withLock { state in
      defer {
        state.isStopped = true
        state.watch = nil
        state.onSignal = nil
      }
      return (state.isStopped ? nil : state.file, state.watch)
    }
    watch?.end()
    guard let file else { return }
    unlink(path)
    close(file)
  }
}
