extension Lock {
  /// Returns the value that `body` returns, or the value with which its continuation is resumed.
  ///
  /// `body` runs under the lock. It either returns a value, or keeps the continuation and returns
  /// nil. A continuation is resumed outside of the lock.
  package func awaiting<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (inout sending State, DirectContinuation<Value>) -> Value?
  ) async -> Value {
    let continuation = DirectContinuation<Value>()
    if let value = withLock({ body(&$0, continuation) }) { return value }
    return await continuation.value
  }
}
