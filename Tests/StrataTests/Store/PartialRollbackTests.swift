import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// Transactions that roll back a part of themselves, go on and commit.
@Suite(.inTurn) struct PartialRollbackTests {
  private struct Refusal: Error {}

  /// A migration caught an error of a conversion and committed, and so did the saves after it. When
  /// the process died, all of that was gone: SQLite up to 3.50.1 had written frames without sums to
  /// the log, and recovery stops at such a frame. Only a transaction that is larger than the page
  /// cache and writes a page twice before the rollback meets this.
  @Test func `commits after the rollback of a part survive the process`() throws {
    var random = SeededRandom.printingSeed()
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    for history in 0..<40 {
      let path = folder.url.appendingPathComponent("\(history)").path
      let connection = try store(at: path, rows: 300 + random.below(1_700))
      try connection.run("BEGIN IMMEDIATE")
      if random.oneIn(5) { try connection.run(change(&random)) }
      for _ in 0...random.below(2) {
        _ = try? connection.atomically { () throws(StoreError) in
          let changes =
            random.oneIn(4)
            ? [change(&random), change(&random)]
            : [
              "UPDATE rows SET text = text || 'x' WHERE id < \(random.below(1_000))",
              "UPDATE rows SET text = text || 'y' WHERE id > \(random.below(1_000))",
            ]
          // Pages that are written once come before pages that are written twice.
          for text in changes + changes.suffix(1) { try connection.run(text) }
          // Rows that have one value twice prevent the index when nearly all of it is made.
          if random.oneIn(2) { try connection.run("CREATE UNIQUE INDEX refused ON rows (pair)") }
          throw StoreError.cancelled
        }
        if random.oneIn(3) { try connection.run(change(&random)) }
      }
      try connection.run("INSERT INTO acknowledged VALUES (1); COMMIT")
      try connection.run("INSERT INTO acknowledged VALUES (2)")
      // A kill leaves these two files.
      let copy = path + "-killed"
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
      }
      let killed = try Connection.open(.existing, path: copy)
      let sums =
        "SELECT count(*) + 1000 * (SELECT count(*) FROM acknowledged) + "
        + "1000000 * (SELECT number FROM strata_commit) + total(length(text)) FROM rows"
      let expected = try connection.prepared(sums).firstInteger()
      #expect(try killed.prepared(sums).firstInteger() == expected, "history \(history)")
      #expect(try killed.prepared("PRAGMA integrity_check").first { $0.string(0) } == "ok")
    }
  }

  private func store(at path: String, rows: Int) throws -> Connection {
    let connection = try Connection.open(.readWrite, path: path)
    try connection.run(
      """
      PRAGMA cache_size = 10;
      CREATE TABLE strata_commit (number INTEGER NOT NULL);
      INSERT INTO strata_commit VALUES (0);
      CREATE TABLE acknowledged (number INTEGER);
      CREATE TABLE rows (id INTEGER PRIMARY KEY, code TEXT UNIQUE, pair INTEGER, text TEXT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO rows SELECT i, hex(randomblob(8)), min(i, \(rows - 1)), hex(randomblob(60)) FROM n;
      """)
    return connection
  }

  /// Returns a statement that changes many rows.
  private func change(_ random: inout SeededRandom) -> String {
    switch random.below(4) {
    case 0: return "UPDATE rows SET text = text || 'x' WHERE id < \(random.below(2_000))"
    case 1: return "UPDATE rows SET text = text || 'x' WHERE id > \(random.below(2_000))"
    case 2: return "UPDATE rows SET code = hex(randomblob(8)) WHERE id > \(random.below(1_000))"
    default: return "UPDATE rows SET text = text || 'y' WHERE id % 5 = \(random.below(5))"
    }
  }
}
