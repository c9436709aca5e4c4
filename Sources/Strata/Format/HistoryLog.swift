internal import Foundation
internal import StrataSQLite

/// The writer's side of the history: one row for each commit, in the commit's own transaction.
///
/// The numbers of the kept entries never have a gap. So a reader sees from the numbers alone
/// whether it missed a commit. After commits that were not recorded, the older entries are removed
/// and a new run of numbers begins, because no reader could get past the gap.
struct HistoryLog {
  /// The largest number of commits between two prunings.
  static let pruneInterval = 64
  /// The largest number of entries that one pruning removes.
  ///
  /// It exceeds the number of entries between two prunings. It is small enough that no commit waits
  /// long.
  static let pruneLimit = 256
  /// The approximate size of an entry without its changes, in bytes.
  private static let overhead = 48

  private static let append = SQL(
    "INSERT INTO strata_history (number, time, author, total, parts, changes) "
      + "VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
  private static let appendPart = SQL(
    "INSERT INTO strata_history_part (number, part, changes) VALUES (?1, ?2, ?3)")
  private static let newest = SQL(
    "SELECT number, total FROM strata_history ORDER BY number DESC LIMIT 1")
  private static let oldest = SQL(
    "SELECT number, time, total FROM strata_history ORDER BY number LIMIT \(pruneLimit)")
  private static let remove = SQL("DELETE FROM strata_history WHERE number <= ?1")
  private static let removeParts = SQL("DELETE FROM strata_history_part WHERE number <= ?1")

  private let options: HistoryOptions
  private let now: @Sendable () -> Date
  private var encoder: HistoryEncoder
  /// The newest entry, as far as this process knows.
  private var last: (number: Int64, total: Int64)?
  private var commitsUntilPruning = 0
  private var bytesUntilPruning: Int64 = 0

  init(_ options: HistoryOptions, _ layout: HistoryLayout, now: @escaping @Sendable () -> Date) {
    self.options = options
    self.now = now
    encoder = HistoryEncoder(layout)
  }

  /// Forgets the newest entry, because its transaction may have been rolled back.
  mutating func forget() { last = nil }

  /// Writes the entry of a commit, in its transaction.
  mutating func append(
    _ changes: [TableID: TableChanges], number: Int64, author: String, _ connection: Connection
  ) throws(StoreError) {
    if last?.number != number - 1 { last = try lookUp(before: number, connection) }
    let now = self.now().timeIntervalSinceReferenceDate
    var total = (last?.total ?? 0) + Int64(Self.overhead)
    var parts: Int64 = 0
    try encoder.encode(changes) { (bytes, isLast) throws(StoreError) in
      // An encoding is never empty, because it begins with its version.
      guard let base = bytes.baseAddress else { return }
      total += Int64(bytes.count)
      if isLast {
        let statement = try connection.prepared(Self.append)
        statement.bind(1, number)
        statement.bind(2, now)
        statement.bind(3, author)
        statement.bind(4, total)
        statement.bind(5, parts)
        statement.bindStaticBlob(6, base, bytes.count)
        try statement.perform()
      } else {
        let statement = try connection.prepared(Self.appendPart)
        statement.bind(1, number)
        statement.bind(2, parts)
        statement.bindStaticBlob(3, base, bytes.count)
        try statement.perform()
        parts += 1
      }
    }
    let written = total - (last?.total ?? 0)
    last = (number, total)
    commitsUntilPruning -= 1
    bytesUntilPruning -= written
    if commitsUntilPruning < 0 || bytesUntilPruning < 0 { try prune(now, total, connection) }
  }

  /// Returns the newest entry if it belongs to the commit right before this commit.
  ///
  /// Otherwise, or if adding to the entry's total could overflow, this empties the history and
  /// returns nil.
  private func lookUp(
    before number: Int64, _ connection: Connection
  ) throws(StoreError) -> (number: Int64, total: Int64)? {
    let found = try connection.prepared(Self.newest).first {
      (number: $0.integer(0), total: $0.integer(1))
    }
    guard let found else { return nil }
    if found.number == number - 1, (0...Int64.max / 2).contains(found.total) { return found }
    try remove(upTo: .max, connection)
    return nil
  }

  // MARK: - Pruning

  private mutating func prune(
    _ now: Double, _ total: Int64, _ connection: Connection
  ) throws(StoreError) {
    commitsUntilPruning = Self.pruneInterval
    bytesUntilPruning = options.bytes.map { Int64(max(1, $0 / 16)) } ?? .max
    let statement = try connection.prepared(Self.oldest)
    var removed: Int64?
    do {
      defer { statement.reset() }
      while try statement.next() {
        // The newest entry always stays: its age is zero, and no bytes follow it.
        let isOld = options.age.map { now - statement.real(1) > $0 / .seconds(1) } ?? false
        let later = total - max(0, statement.integer(2))
        let isPushedOut = options.bytes.map { later >= Int64($0) } ?? false
        guard isOld || isPushedOut else { break }
        removed = statement.integer(0)
      }
    }
    if let removed { try remove(upTo: removed, connection) }
  }

  private func remove(upTo number: Int64, _ connection: Connection) throws(StoreError) {
    for sql in [Self.remove, Self.removeParts] { try connection.run(sql, .integer(number)) }
  }
}
