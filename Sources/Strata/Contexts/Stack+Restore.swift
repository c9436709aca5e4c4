public import Foundation
internal import StrataSQLite

extension Stack {
  /// Puts a copy of a store in the place of the store at `url`, or makes a store there.
  ///
  /// The copy is one that ``copy(to:progress:)`` has made, or the files of a closed or suspended store.
  /// Every page of it is checked first. The copy itself stays as it is.
  ///
  /// The store at `url` must not be open, in no process: close its stacks. It is locked until the end,
  /// so a stack that is opened meanwhile waits. At each moment, also after a kill or a loss of power,
  /// `url` has the earlier store or the restored one, whole. A damaged store can be restored over. If
  /// the call throws, the earlier store is as it was.
  ///
  /// A stack that is opened afterwards has the rows, the waiting edits and the validators of the copy.
  /// All ``HistoryToken``s of before are expired. A stack that was suspended meanwhile, of any process,
  /// reads everything again when it is resumed. See <doc:BackUpAndRestore>.
  ///
  /// Opening migrates a copy of an earlier schema, and refuses one of a newer schema. To know that
  /// beforehand, ask ``plan(_:at:options:)-(Entity....,_,_)`` with the URL of the copy.
  ///
  /// ```swift
  /// await stack.close()
  /// try await Stack.restore(url.appendingPathExtension("copy"), to: url)
  /// let restored = try await Stack.open(Song.self, at: url)
  /// ```
  ///
  /// - Parameters:
  ///   - copy: the URL of the copy.
  ///   - url: the place of the store, whose folder must exist.
  ///   - progress: called after each megabyte, on the executor that restores the copy.
  /// - Throws: ``StoreError`` with code `busy` if the store or the copy is open, `notADatabase` if the
  ///   copy is damaged or no store, or if another program's database is at `url`, `newerStore` or
  ///   `schemaMismatch` for a copy of another format, `replaced` if the log beside the copy belongs to
  ///   another file, `cannotOpen`, `diskFull`, `inputOutput`, `cancelled`, or one of SQLite's.
  /// - Complexity: O(*n*) time, and space on the disk, for a copy of *n* bytes.
  public static func restore(
    _ copy: URL, to url: URL, progress: (@Sendable (CopyProgress) -> Void)? = nil
  ) async throws {
    try await restore(
      StoreRestoration(
        copy: StorePath(try copy.storePath).canonical,
        target: StorePath(try url.storePath).canonical,
        timeout: Options().busyTimeout, meter: CopyMeter(handler: progress),
        flag: CancellationFlag()))
  }

  static func restore(_ restoration: StoreRestoration) async throws(StoreError) {
    if Task.isCancelled { throw .cancelled }
    try await withCancellationHandling { () async throws(StoreError) in
      try await StoreExecutor("strata.restore").run { () throws(StoreError) in
        try restoration.run()
      }
    } onCancel: {
      restoration.flag.raise()
    }
  }
}
