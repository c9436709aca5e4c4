#if Postgres
  internal import Strata
  internal import StrataReplica

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #else
    internal import Darwin
  #endif

  /// The time until which a session may wait for its server.
  final class Interruption: Sendable {
    private let deadline = Lock<ContinuousClock.Instant?>(nil)

    /// Lets all waits end after some time.
    func interrupt(after duration: Duration) {
      deadline.withLock { $0 = min($0 ?? .now + duration, .now + duration) }
    }

    /// Waits for an event of a socket.
    ///
    /// - Throws: ``ReplicaError`` with code `unreachable` if the time is over.
    func wait(
      for socket: Int32, _ events: Int16, atMost patience: Duration
    ) throws(ReplicaError) {
      let end = ContinuousClock.now + patience
      while true {
        let left = min(end, deadline.withLock(\.self) ?? end) - .now
        if left <= .zero { throw .silent }
        var descriptor = pollfd(fd: socket, events: events, revents: 0)
        // The deadline may come during the wait.
        let slice = min(100, max(1, Int32(left / .milliseconds(1))))
        if poll(&descriptor, 1, slice) != 0 { return }
      }
    }
  }
#endif
