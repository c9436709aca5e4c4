#if Postgres
  internal import StrataReplica

  extension ServerTables {
    /// Compares the tables with the mappings, in the transaction that is open.
    ///
    /// - Throws: ``ReplicaError`` with code `unsuitableServer` if they differ.
    func check(_ session: PostgresSession) throws(ReplicaError) {
      let shapes = ServerShape.all(try session.run(select))
      if fit(shapes) { return }
      var new = self
      try new.take(shapes)
      throw new.mappings[0].hasChanged
    }

    /// Returns the rules that the server does not enforce.
    func missingConstraints(_ session: PostgresSession) throws(ReplicaError) -> [MissingConstraint]
    {
      let all = constraints.map(\.constraint)
      let found = try session.pipeline(all.map(\.search))
      return zip(all, found).filter { $0.1.count == 0 }.map(\.0.missing)
    }
  }
#endif
