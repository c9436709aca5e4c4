#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#endif

/// Tells whether another stack, of this process or of another process, has a file open.
///
/// On Linux every stack holds a shared lock of its open file description. A lock of the process
/// would not do: it cannot tell two stacks of one process apart, and a `close` by the other stack
/// would release it. On other systems another stack is presumed to be there.
enum FileAudience {
  #if os(Linux) || os(Android)
    // The numbers are the same on every architecture; the C library's module hides them.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37

    static func join(_ file: Int32) {
      var lock = flock()
      lock.l_type = Int16(F_RDLCK)
      _ = fcntl(file, setLock, &lock)
    }

    static func isAlone(_ file: Int32) -> Bool {
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      return fcntl(file, getLock, &lock) == 0 && lock.l_type == Int16(F_UNLCK)
    }
  #else
    static func join(_ file: Int32) {}
    static func isAlone(_ file: Int32) -> Bool { false }
  #endif
}
