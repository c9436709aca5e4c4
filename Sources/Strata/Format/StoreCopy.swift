internal import StrataSQLite

/// Makes a copy of a store, as of the commit that a connection has pinned.
///
/// The copy is one file, without a log. It is checked before it gets its name, so damage of the store
/// is an error of the copy, and is not found only when the copy is needed.
struct StoreCopy: Sendable {
  let target: String
  let meter: CopyMeter

  /// The number of pages between two looks at the cancellation flag: a megabyte at most pages' size.
  private static let pagesAtOnce: Int32 = 256

  /// - Parameters:
  ///   - source: a connection that has a read transaction open; raising its flag ends the copy.
  ///   - commit: the commit that the connection has pinned.
  /// - Throws: `fileExists`, `cancelled`, `notADatabase` if the store is damaged, `diskFull`,
  ///   `cannotOpen`, or one of SQLite's. Then there is no copy.
  func make(from source: Connection, at commit: Int64) throws(StoreError) {
    let file = UnfinishedFile(for: target)
    try file.checkTarget()
    file.removeLeftovers()
    do throws(StoreError) {
      try write(file, from: source, at: commit)
      try file.publish()
    } catch {
      file.remove()
      throw error.making(file)
    }
  }

  private func write(
    _ file: UnfinishedFile, from source: Connection, at commit: Int64
  ) throws(StoreError) {
    let copy = try Connection.open(.alone, path: file.path)
    let pageSize = Int(try source.prepared("PRAGMA page_size").firstInteger() ?? 0)
    try translatingErrors { () throws(SQLiteError) in
      try copy.copyPages(from: source, atOnce: Self.pagesAtOnce) { done, total in
        meter.report(.copying, done * pageSize, of: total * pageSize)
      }
      // The pages are those of a file with a log.
      try copy.keepAlone()
    }
    guard try StoredCommit.read(copy) == commit else {
      throw StoreError(
        .inputOutput, "the copy is not of the commit \(commit)", advice: "copy the store again")
    }
    try StoredCommit.write(LogMark(after: nil, over: [], at: file.path), copy)
    try copy.stopping(with: source) { () throws(StoreError) in
      try StoreCheck(meter: meter).check(copy)
    }
    if source.isCancelled { throw .cancelled }
  }
}

/// The check of a file that is about to become a store.
struct StoreCheck {
  let meter: CopyMeter

  /// Reads and checks every page.
  ///
  /// - Throws: `notADatabase` if the file is damaged.
  func check(_ connection: Connection) throws(StoreError) {
    let size = try connection.byteCount()
    meter.report(.checking, 0, of: size)
    let finding = try connection.prepared("PRAGMA quick_check(1)").first { $0.string(0) }
    guard finding == "ok" else {
      var error = StoreError(
        .notADatabase, "the file is damaged: \(finding ?? "it cannot be checked")",
        advice: StoreError.restoring)
      error.sqliteCode = ResultCode.corrupt
      throw error
    }
    meter.report(.checking, size, of: size)
  }
}

extension Connection {
  /// Returns the size of the database in bytes, unused pages included.
  func byteCount() throws(StoreError) -> Int {
    let pages = try prepared("PRAGMA page_count").firstInteger() ?? 0
    return Int(pages * (try prepared("PRAGMA page_size").firstInteger() ?? 0))
  }
}
