internal import CStrataSQLite

extension FaultPlan.Fault {
  /// The next writes fail because the disk is full.
  package static func fullDisk(_ count: Int) -> Self { Self(.write, count, SQLITE_FULL) }

  /// The next writes fail with a plain write error.
  package static func failingWrites(_ count: Int) -> Self {
    Self(.write, count, SQLITE_IOERR | 3 << 8)
  }

  /// The next reads of a file fail.
  package static func failingReads(_ count: Int) -> Self {
    Self(.read, count, SQLITE_IOERR | 1 << 8)
  }

  /// The next files cannot be opened.
  package static func failingOpens(_ count: Int) -> Self { Self(.open, count, SQLITE_CANTOPEN) }

  private init(_ call: FileCall, _ count: Int, _ code: Int32) {
    // The number of the last failing call is computed as number plus length, which must not
    // overflow.
    self.init(call, number: 1, length: min(count, .max - 1), code: code)
  }
}
