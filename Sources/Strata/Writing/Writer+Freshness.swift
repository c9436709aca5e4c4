internal import StrataSQLite

extension Writer {
  /// Makes one cache entry stale, or all: a server is asked for the whole of it again.
  func forgetFreshness(_ entry: CacheIdentity?) throws(StoreError) {
    _ = try transaction(isCounted: true) { connection throws(StoreError) in
      try FreshnessTable.forget(entry, connection)
      try ValidatorTable.forget(entry, connection)
      return [:]
    }
  }
}
