extension Lock {
  /// Returns the value that `body` returns, or the value with which its continuation is resumed.
  ///
  /// `body` runs under the lock. It either returns a value, or keeps the continuation and returns
  /// nil. A continuation is resumed outside of the lock.
  package func awaiting<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (inout sending State, UnsafeContinuation<Value, Never>) -> Value?
  ) async -> Value {
    let value = await withUnsafeContinuation(isolation: isolation) { continuation in
      if let value = withLock({ body(&$0, continuation) }) {
        continuation.resume(returning: value)
      }
    }
    #if TSAN
      // A continuation that is resumed before its task suspends is ordered by an atomic state that
      // ThreadSanitizer does not see. It sees this lock.
      withLock { _ in }
    #endif
    return value
  }
}
