#if Postgres
  import Foundation
  import Strata

  /// A psql that writes to the server at random. The sum of the money always stays the same.
  actor PostgresWriter {
    private let process: StartedProcess
    private let number: Int
    private var random: SplitMix64
    private var batches = 0
    private var prepared: [String] = []

    private let isAsynchronous: Bool

    /// - Parameter isAsynchronous: whether no commit waits for the server's disk.
    init(_ target: String, number: Int, seed: UInt64, isAsynchronous: Bool) throws {
      self.number = number
      self.isAsynchronous = isAsynchronous
      random = SplitMix64(seed: seed)
      // A psql whose connection ends makes another one, which has these settings, too.
      let options = "-c lock_timeout=300ms" + (isAsynchronous ? " -c synchronous_commit=off" : "")
      process = try StartedProcess(
        ["PGOPTIONS=\(options)", "psql", "-qAtX", target],
        of: "/usr/bin/env", printsErrors: false)
    }

    /// The tables and their first rows.
    static let setUp = """
      INSERT INTO purses SELECT i, 1000 FROM generate_series(1, 20) i;
      INSERT INTO tallies SELECT i, 0, '' FROM generate_series(0, 4) i;
      ALTER TABLE nicknames ADD UNIQUE (name);
      ALTER TABLE offers ADD CONSTRAINT positive CHECK (amount >= 0), ALTER amount TYPE int4;
      INSERT INTO pouches SELECT i, 0 FROM generate_series(1, 50) i;
      INSERT INTO sheets SELECT gen_random_uuid(), 'doc ' || i, i, now() FROM generate_series(1, 200) i;
      INSERT INTO leaves SELECT gen_random_uuid(), id, 'first' FROM sheets;
      """
    static let money = 20_000

    /// Runs one transaction, and waits for its end.
    ///
    /// - Returns: whether the server was there.
    func step() async -> Bool {
      batches += 1
      // The echo comes even after an error.
      process.send("\(transaction())\n\\echo done \(batches)")
      while let line = await process.output.next() { if line == "done \(batches)" { return true } }
      return false
    }

    /// Ends psql. A replica may hold the lock that psql waits for, and needs the threads of this pool.
    func end() async {
      process.closeInput()
      while await process.output.next() != nil {}
      process.end()
    }

    private func transaction() -> String {
      let (a, p, amount) = (1 + random.below(20), 1 + random.below(60), 1 + random.below(9))
      let pause = random.oneIn(8) ? "SELECT pg_sleep(\(Double(random.below(200)) / 1000));" : ""
      let mode = random.oneIn(4) ? "SET LOCAL synchronous_commit = off;" : ""
      let begin = "BEGIN; \(mode)"
      // Money moves only if there is a pocket to move it to.
      let move = """
        WITH moved AS (UPDATE pouches SET amount = amount + \(amount) WHERE id = \(p) RETURNING 1)
        UPDATE purses SET balance = balance - \(amount) WHERE id = \(a) AND EXISTS (SELECT FROM moved);
        """
      switch random.below(24) {
      case 0..<4: return "\(begin) \(move) \(pause) COMMIT;"
      case 4: return "\(begin) \(move) \(pause) ROLLBACK;"
      case 5: return "\(begin) SAVEPOINT s; \(move) ROLLBACK TO s; \(move) \(pause) COMMIT;"
      case 6:
        return """
          WITH gone AS (DELETE FROM pouches WHERE id = \(p) RETURNING amount)
          UPDATE purses SET balance = balance + (SELECT coalesce(sum(amount), 0) FROM gone) WHERE id = \(a);
          """
      case 7: return "INSERT INTO pouches VALUES (\(p), 0) ON CONFLICT DO NOTHING;"
      case 8:
        return
          "UPDATE pouches SET id = id + 1000 WHERE id = \(p) AND NOT EXISTS (SELECT FROM pouches WHERE id = \(p + 1000));"
      case 9:
        return
          "UPDATE pouches SET id = id - 1000 WHERE id = \(p + 1000) AND NOT EXISTS (SELECT FROM pouches WHERE id = \(p));"
      case 10:
        return random.oneIn(6)
          ? "BEGIN; TRUNCATE sheets CASCADE; INSERT INTO sheets SELECT gen_random_uuid(), 'again', i, now() FROM generate_series(1, 50) i; COMMIT;"
          : "DELETE FROM sheets WHERE length % 17 = \(random.below(17));"
      case 11:
        return "COPY sheets (id, title, length, at) FROM STDIN;\n"
          + (0..<random.below(20)).map { _ in
            "\(UUID())\té \"quoted\" \(random.below(99))\t\(random.oneIn(3) ? "\\N" : "\(random.below(999))")\t2026-01-02 03:04:05.678901+00"
          }.joined(separator: "\n") + "\n\\."
      case 12:
        return
          "\(mode.isEmpty ? "" : "SET synchronous_commit = off;") UPDATE sheets SET title = title || 'x', at = now() WHERE length % 23 = \(random.below(23)); SET synchronous_commit = \(isAsynchronous ? "off" : "on");"
      case 13:
        return
          "\(begin) UPDATE tallies SET count = count + 1 WHERE id = \(random.below(5)); INSERT INTO deeds VALUES (gen_random_uuid(), 'psql'); \(pause) COMMIT;"
      case 14: return "UPDATE tallies SET note = 'psql \(batches)' WHERE id = \(random.below(5));"
      case 15:
        return
          "INSERT INTO nicknames VALUES (gen_random_uuid(), 'label \(random.below(12))') ON CONFLICT DO NOTHING;"
      case 16:
        return random.oneIn(2)
          ? "DELETE FROM nicknames WHERE name = 'label \(random.below(12))';"
          : "UPDATE nicknames SET name = 'label \(random.below(12))' WHERE name = 'label \(random.below(12))';"
      case 17:
        return
          "INSERT INTO leaves SELECT gen_random_uuid(), id, 'psql' FROM sheets ORDER BY random() LIMIT 3;"
      case 18:
        return """
          UPDATE leaves SET sheet = (SELECT id FROM sheets ORDER BY random() LIMIT 1)
          WHERE id IN (SELECT id FROM leaves ORDER BY random() LIMIT 3);
          """
      case 19: return "DELETE FROM leaves WHERE random() < 0.05;"
      case 20:
        return
          "\(begin) UPDATE sheets SET length = length + \(random.oneIn(2) ? 60 : -60) WHERE length % 13 = \(random.below(13)); \(pause) COMMIT;"
      case 21:
        return """
          INSERT INTO purses_sheets (owner, target)
          SELECT \(1 + random.below(20)), id FROM sheets ORDER BY random() LIMIT 3 ON CONFLICT DO NOTHING;
          """
      case 22: return "DELETE FROM purses_sheets WHERE random() < 0.1;"
      default:
        if let name = prepared.popLast() { return "COMMIT PREPARED '\(name)';" }
        let name = "w\(number) \(batches)"
        prepared.append(name)
        return "BEGIN; SET LOCAL strata.signal = off; \(move) PREPARE TRANSACTION '\(name)';"
      }
    }
  }
#endif
