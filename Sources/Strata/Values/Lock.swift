#if TSAN
  internal import Foundation

  /// State behind a lock, for a few synchronous lines.
  ///
  /// ThreadSanitizer does not understand `Synchronization.Mutex` on Linux and reports false races.
  /// With `-DTSAN`, the lock is a pthread mutex, which ThreadSanitizer understands.
  package final class Lock<State>: @unchecked Sendable {
    // Guard: `state` is only touched between lock and unlock of `mutex`. It has memory of its own, since
    // a property without a size would have the address of `mutex`.
    private let state: UnsafeMutablePointer<State>
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ state: sending State) {
      self.state = .allocate(capacity: 1)
      self.state.initialize(to: state)
      mutex = .allocate(capacity: 1)
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
      state.deinitialize(count: 1)
      state.deallocate()
    }

    package func withLock<R: Sendable>(_ body: (inout sending State) -> R) -> R {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return body(&state.pointee)
    }
  }
#else
  internal import Synchronization

  /// State behind a lock, for a few synchronous lines.
  ///
  /// Under ThreadSanitizer (`-DTSAN`) the lock is a pthread mutex, which ThreadSanitizer
  /// understands.
  package final class Lock<State>: Sendable {
    private let mutex: Mutex<State>

    package init(_ state: sending State) { mutex = Mutex(state) }

    package func withLock<R: Sendable>(_ body: (inout sending State) -> R) -> R {
      mutex.withLock { body(&$0) }
    }
  }
#endif
