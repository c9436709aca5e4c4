#if Postgres
  internal import StrataReplica

  extension ServerNames {
    /// - Throws: ``ReplicaError`` with code `unsuitableServer` if a table of links lacks the column that
    ///   the server computes from the two ends.
    func checkLinks(_ session: PostgresSession) throws(ReplicaError) {
      let found = try session.run(
        .init(
          "SELECT 1 FROM pg_attribute WHERE attrelid = $1::regclass AND attname = $2 "
            + "AND attgenerated = 's'", [table, key]))
      if found.count == 0 { throw lacksLinkKey }
    }
  }
#endif
