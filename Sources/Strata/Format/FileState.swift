/// The state of a store's files, which shows writes while this process has them closed.
///
/// Every commit of Strata changes the commit number in the store. The file state shows the writes
/// of other programs, which do not count their commits.
struct FileState: Sendable {
  private let database: FileStatus?
  /// The log; nil if it is missing or empty. Opening the database makes an empty log.
  private let log: FileStatus?

  /// The number that tells the database file from every other file that exists at the same time;
  /// nil if there is no database file.
  var number: UInt64? { database?.id.number }

  init(ofDatabaseAt path: String) {
    database = FileStatus(path)
    let log = FileStatus(path + "-wal")
    self.log = log?.size == 0 ? nil : log
  }

  /// Whether no program has written to the files since `earlier`.
  ///
  /// A missing log alone is no change, because the last connection that closes the database removes
  /// the log. If frames were left in it, that connection writes them to the database file first,
  /// which then differs.
  func isUnchanged(since earlier: FileState) -> Bool {
    database == earlier.database && (log == nil || log == earlier.log)
  }
}
