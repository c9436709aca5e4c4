#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#endif

/// Tells other processes of a commit, and hears of theirs, by a file beside the store.
///
/// After every commit one byte of `<store>-notify` is written, and the kernel wakes whoever watches
/// the file: nobody polls. Watching the write-ahead log would be cheaper for the one who commits,
/// but not sound: its bytes are written *before* the commit becomes visible, and what makes it
/// visible, a word in shared memory, wakes nobody. Whoever looked in between would not look again.
///
/// Who has the file open holds a shared lock on it, so that a commit that nobody else could hear of
/// costs one look at the lock and wakes nobody, this process itself included. Whoever opens the
/// store locks first and looks for commits then, so none falls in between.
///
/// A signal may come for nothing, and several as one; it never comes before its commit can be read.
/// When a process ends, however it ends, closing the file is a signal, too (not on Darwin).
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
    guard let file = Self.open(path, like: store) else { return nil }
    state = Lock(State(file: file))
  }

  deinit { stop() }

  private static func open(_ path: String, like store: String) -> Int32? {
    var status = stat()
    // Whoever may write to the store may signal.
    let mode = stat(store, &status) == 0 ? status.st_mode & 0o666 : 0o600
    // A byte is written into the file: a link in its place would lead it into another one.
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    #if canImport(Darwin)
      let file = Darwin.open(path, flags, mode)
    #elseif canImport(Glibc)
      let file = Glibc.open(path, flags, mode)
    #elseif canImport(Musl)
      let file = Musl.open(path, flags, mode)
    #else
      let file = Android.open(path, flags, mode)
    #endif
    guard file >= 0 else { return nil }
    FileAudience.join(file)
    return file
  }

  /// Tells everybody who watches; called after a commit.
  func post() {
    state.withLock { state in
      if state.isStopped || FileAudience.isAlone(state.file) { return }
      var byte: UInt8 = 1
      _ = pwrite(state.file, &byte, 1, 0)
    }
  }

  /// Calls `onSignal`, on a queue of its own, whenever anybody may have committed.
  ///
  /// - Returns: false if the system has no room for another watch.
  func start(_ onSignal: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { $0.onSignal = onSignal }
    watch()
    // Who closes the store removes the file, also between its opening here and its watch.
    renewIfRemoved()
    return state.withLock { $0.watch != nil }
  }

  private func watch() {
    let watch = FileWatch(path: path) { [weak self] in self?.didHear() }
    let superfluous = state.withLock { state in
      if state.isStopped { return watch }
      defer { state.watch = watch }
      return state.watch
    }
    superfluous?.end()
  }

  private func didHear() {
    renewIfRemoved()
    state.withLock { $0.onSignal }?()
  }

  /// Some file systems say of every file that it was removed.
  private static let mostRenewals = 100

  /// Makes the file anew if somebody removed it: who opens the store now would make another one.
  private func renewIfRemoved() {
    for _ in 0..<Self.mostRenewals { if !renewOnce() { return } }
  }

  /// - Returns: whether the file had been removed, as the new one may have been before it was
  ///   watched.
  private func renewOnce() -> Bool {
    let isRemoved = state.withLock { state in
      var status = stat()
      return !state.isStopped && fstat(state.file, &status) == 0 && status.st_nlink == 0
    }
    guard isRemoved, let file = Self.open(path, like: String(path.dropLast("-notify".count))) else {
      return false
    }
    let old: Int32? = state.withLock { state in
      if state.isStopped { return nil }
      defer { state.file = file }
      return state.file
    }
    guard let old else {
      remove(file)
      return false
    }
    // The old watch ends while its file is there.
    watch()
    close(old)
    // Whoever found the new file first has not heard what was committed since.
    post()
    return true
  }

  /// Closes and removes the file, so that a store that nobody has open is one file; whoever else
  /// has it open makes it anew.
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
    if let file { remove(file) }
  }

  private func remove(_ file: Int32) {
    unlink(path)
    close(file)
  }
}
