public import Foundation
internal import StrataSQLite

extension Stack {
  /// Makes a copy of the store at `url`, while the stack and other processes go on writing.
  ///
  /// The copy is the store as of one commit, the newest one when the call begins to read. It has
  /// everything that the store has: the rows, the edits that wait in the ``Outbox``, the history, the
  /// freshness of feeds and the identity. Unsaved edits of contexts are not in it. It is one file, and
  /// opens as a store.
  ///
  /// A reader makes the copy, so neither saves nor the main actor wait for it. The copy has another
  /// name, `.NAME.unfinished-…` in the same folder, until it is whole, checked and on the disk. It never
  /// replaces a file. If the call throws, there is no copy, also after a cancellation. A process that
  /// is killed leaves the unfinished file, and a copy to the same `url` a minute later removes it.
  ///
  /// While the copy is made, the write-ahead log is not started again, so it grows by what is written.
  /// A suspended stack makes the copy after its resumption, and a suspension in between begins the copy
  /// anew after it. See <doc:BackUpAndRestore>.
  ///
  /// ```swift
  /// try await stack.copy(to: url.appendingPathExtension("copy"))
  /// ```
  ///
  /// - Parameters:
  ///   - url: the place of the copy, whose folder must exist.
  ///   - progress: called after each megabyte, on the executor that makes the copy.
  /// - Throws: ``StoreError`` with code `fileExists` if a file, or the log or journal of one, is at
  ///   `url`, `cannotOpen`, `diskFull`, `inputOutput`, `notADatabase` if the store is damaged,
  ///   `schemaChanged`, `cancelled`, `deadlineExceeded`, `closed`, or one of SQLite's.
  /// - Complexity: O(*n*) time and space on the disk for a store of *n* bytes, unused space included,
  ///   and constant memory.
  public nonisolated(nonsending) func copy(
    to url: URL, progress: (@Sendable (CopyProgress) -> Void)? = nil
  ) async throws {
    let copy = StoreCopy(
      target: StorePath(try url.storePath).canonical, meter: CopyMeter(handler: progress))
    try await store.reading { snapshot throws(StoreError) in
      let commit = snapshot.commit
      do throws(StoreError) {
        try await snapshot.readOnce(isAwaited: true) { _, connection throws(StoreError) in
          try copy.make(from: connection, at: commit)
        }
      } catch {
        if error.code == .cancelled, snapshot.isEnded, !Task.isCancelled { throw .closed }
        throw error
      }
    }
  }

  /// Writes the store's file anew without unused space, and gives that space back to the system.
  ///
  /// Rows that are deleted leave space in the file, which later rows use. Call this after a large
  /// deletion, if the store will not grow again. Nothing else changes: no change is reported in this
  /// process, and the commit number stays.
  ///
  /// The whole store is one transaction: saves of all processes wait until its end, and reading goes on.
  /// The call waits for other writers up to ``StackOptions/busyTimeout``. Other processes read their tables
  /// again.
  ///
  /// The space comes back as soon as no reader needs the earlier state. Most often that is before the
  /// call returns. A scratch context that has not been refreshed, an iteration of the history or a
  /// process that is busy with reading may hold it back. The write-ahead log has the store once more. It
  /// is emptied, unless another process has a view context. Then it is cut to ``StackOptions/logLimit`` when
  /// it is started again.
  ///
  /// If the call throws, the store is as it was. Cancelling the task stops it.
  ///
  /// - Returns: the number of bytes by which the store is smaller.
  /// - Throws: ``StoreError`` with code `diskFull`, `busy`, `replaced`, `schemaChanged`, `cancelled`,
  ///   `deadlineExceeded`, `closed`, or one of SQLite's.
  /// - Complexity: O(*n*) time for a store whose rows have *n* bytes, and the space of these rows twice
  ///   meanwhile: in the log, and in the temporary folder.
  @discardableResult
  public nonisolated(nonsending) func compact() async throws -> Int {
    let flag = CancellationFlag(deadline: StoreDeadline.current)
    let writer = store.writer
    let freed: Int
    do throws(StoreError) {
      freed = try await withCancellationHandling { () async throws(StoreError) in
        try await writer.submit(.bulk) { writer throws(StoreError) in try writer.compact(flag) }
      } onCancel: {
        flag.raise()
      }
    } catch {
      throw error.code == .diskFull ? error.compacting : error
    }
    // The view contexts of other processes take a moment to move on.
    for _ in 0..<Self.attempts {
      if (try? await writer.submit(.bulk) { $0.cutFileOff() }) != false { break }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return freed
  }

  private static let attempts = 20
}

extension StoreError {
  fileprivate var compacting: StoreError {
    var copy = StoreError(
      code, message,
      advice: "free as much space as the store takes, and compact it again: nothing was lost")
    copy.sqliteCode = sqliteCode
    copy.sql = sql
    return copy
  }
}
