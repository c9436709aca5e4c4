package import Foundation

extension Stack {
  /// The author of the commits that bring the store to the rows of a server.
  package static let replicaAuthor = "strata.replica"

  /// The tables of all entities, and of the links between them.
  package var replicableTables: [Table] { store.model.tables }

  /// Returns some tables, each with its filter, and the tables of the links between their rows.
  package func withLinks(
    _ followed: [(table: Table, filter: RowFilter?)]
  ) -> [(table: Table, filter: RowFilter?)] {
    store.model.withLinks(followed)
  }

  /// Returns the table of an entity; nil if the stack does not have the entity.
  package func replicableTable(of entity: any Entity.Type) -> Table? {
    store.model.table(ofType: entity)
  }

  /// Returns the filter of a query.
  ///
  /// - Parameter path: the reference that has to lead to a row that is followed; nil for none.
  /// - Returns: nil for all rows.
  /// - Throws: ``StoreError`` with code `invalidQuery` if the query reads other rows, or has a limit, or
  ///   if the path is no reference.
  package func rowFilter<E: Entity>(
    _ query: Query<E>, following path: (any PartialKeyPath<E> & Sendable)? = nil
  ) throws(StoreError) -> RowFilter? {
    let plan = try QueryPlan(query, store.model)
    guard let path else { return try RowFilter(plan) }
    let column = plan.table.column(for: path)
    guard let reference = plan.table.references.first(where: { $0.column == column }) else {
      throw .query("a replica follows a path that is no reference", entity: plan.table.entity)
    }
    return try RowFilter(
      plan,
      following: FollowedReference(
        column: reference.column, target: store.model[reference.target]))
  }

  /// Returns the rows of some tables whose edits wait, by the name of the table.
  ///
  /// - Complexity: O(*n*) of the rows that wait.
  package func waitingRows(
    of tables: [Table]
  ) async throws(StoreError) -> [String: [RecordKey: WaitingRow]] {
    try await store.reading { snapshot throws(StoreError) in
      try await snapshot.read { reader, connection throws(StoreError) in
        var rows: [String: [RecordKey: WaitingRow]] = [:]
        try OutboxTable.forEach(reader.model, connection) { table, key, entry in
          if tables.contains(where: { $0 === table }) {
            rows[table.name, default: [:]][key] = WaitingRow(
              commit: entry.commit, isRefused: entry.refusal != nil)
          }
        }
        return rows
      }
    }
  }

  /// The outbox of a replica, which lists refused edits.
  package var replicaOutbox: Outbox { Outbox(store) }

  /// Returns the numbers of edited rows that wait and that were refused.
  package func outboxCounts() async throws(StoreError) -> OutboxCounts {
    try await store.outboxCounts()
  }

  /// Opens the store for a replica, and returns the state that the last pull stored.
  ///
  /// From here on, edits of the tables wait to be pushed. When a table is followed for the first time,
  /// all of its rows wait, too: nobody else has them.
  ///
  /// - Parameters:
  ///   - isReadOnly: whether edits of the tables are refused instead, and no rows wait.
  ///   - first: the state to store if the store has none.
  package func openReplica(
    of tables: [Table], isReadOnly: Bool = false, first: Data
  ) async throws(StoreError) -> Data {
    let names = Set(tables.map(\.name))
    return try await store.writer.submit(.normal) { writer throws(StoreError) in
      let connection = try writer.connection
      let state = try ReplicaTable.state(connection)
      let known = try OutboxTable.replicatedTables(connection)
      let followed = ReplicatedTables(
        pushed: names.union(known?.pushed ?? []), readOnly: isReadOnly ? names : [])
      if let state, known == followed { return state }
      return try writer.transaction(author: Stack.replicaAuthor) { transaction throws(StoreError) in
        let connection = transaction.connection
        try OutboxTable.open(
          for: followed, ignoring: [Stack.replicaAuthor, Stack.evictionAuthor], connection)
        transaction.isCounted = true
        // A store of an older version has no list, and follows its tables already.
        let isOld = state != nil && known == nil
        let new = isOld ? [] : tables.filter { known?.pushed.contains($0.name) != true }
        if !isReadOnly { try transaction.offerAllRows(of: new) }
        if state == nil { try ReplicaTable.set(first, connection) }
        return state ?? first
      }.result
    }
  }

  /// Brings rows of the store to the server's rows, and stores a replica's state, in one commit.
  ///
  /// A row that is equal already is neither written nor announced. Edits that wait to be pushed
  /// stay: attributes without an edit take the server's values.
  ///
  /// - Parameters:
  ///   - followed: the tables that the store follows, with the filters of their rows.
  ///   - isStaged: whether the staged rows are applied, too, after the others. A row that is followed with
  ///     another row needs it in the store. If all rows of a table are staged, so are those of the tables
  ///     that follow it.
  ///   - marked: the rows in which edits of other stores have replaced values in a conflict.
  ///   - verdicts: the refused edits of a push that the server has made; nil if it has not made one.
  @discardableResult
  package func apply(
    _ pulled: [ServerRows], of followed: FollowedTables, isStaged: Bool = false,
    marked: Set<PushOrder.Row> = [], confirming verdicts: [ServerVerdict]? = nil, state: Data
  ) async throws(StoreError) -> AppliedRows {
    let imports = store.imports
    let told = Set(followed.tables.map(\.id))
    return try await store.writer.submit(.normal) { writer throws(StoreError) in
      try writer.transaction(author: Stack.replicaAuthor) {
        transaction throws(StoreError) in
        if let verdicts { try transaction.confirmPush(except: verdicts, of: told, imports) }
        var applied = AppliedRows()
        try transaction.apply(pulled, of: followed, marked: marked, &applied)
        if isStaged { try transaction.applyStage(of: followed, marked: marked, &applied) }
        applied.hasWithheld = try WithheldTable.hasRows(transaction.connection)
        try ReplicaTable.set(state, transaction.connection)
        transaction.isCounted = true
        return applied
      }.result
    }
  }

  /// Returns the number of rows of a server that the store cannot have.
  package func withheldCount() async throws(StoreError) -> Int {
    try await store.reading { snapshot throws(StoreError) in
      try await snapshot.read { _, connection throws(StoreError) in
        try WithheldTable.count(connection)
      }
    }
  }

  /// Removes all staged rows.
  package func clearStage() async throws(StoreError) {
    try await store.writer.submit(.normal) { writer throws(StoreError) in
      try StagedRows.clear(try writer.connection)
    }
  }

  /// Keeps rows of a server on the disk until ``apply(_:of:isStaged:marked:confirming:state:)``.
  ///
  /// They are gone if the connection of the writer is lost. Then `apply` fails, and the pull begins anew.
  package func stage(_ rows: ServerRows) async throws(StoreError) {
    try await store.writer.submit(.normal) { writer throws(StoreError) in
      try StagedRows.add(rows, try writer.connection)
    }
  }

  /// Returns the rows of a server that the store cannot have.
  ///
  /// - Complexity: O(*n*) of these rows.
  package func withheldRows(of tables: [Table]) async throws(StoreError) -> [WithheldEntry] {
    try await store.reading { snapshot throws(StoreError) in
      try await snapshot.read { _, connection throws(StoreError) in
        var rows: [WithheldEntry] = []
        for table in tables { rows += try WithheldTable.rows(of: table, connection) }
        return rows
      }
    }
  }

  /// Returns the rows that are not what the server's rows and the waiting edits make of them.
  ///
  /// - Complexity: O(*n*) rows are read and compared, as in ``apply(_:of:isStaged:marked:confirming:state:)``.
  package func differences(
    from pulled: [ServerRows], of followed: FollowedTables
  ) async throws(StoreError) -> [ServerDifference] {
    try await store.reading { snapshot throws(StoreError) in
      try await snapshot.read { reader, connection throws(StoreError) in
        var met = MetServerRows(followed, reader.access(connection))
        return try met.differences(from: pulled)
      }
    }
  }

  /// Returns those of some rows of a server that the store does not follow, as far as it knows.
  package func unfollowed(
    _ keys: Set<RecordKey>, in table: Table, of tables: FollowedTables
  ) async throws(StoreError) -> Set<RecordKey> {
    try await store.reading { snapshot throws(StoreError) in
      try await snapshot.read { reader, connection throws(StoreError) in
        var followed = FollowedRows(tables, reader.access(connection))
        var missing: Set<RecordKey> = []
        for key in keys {
          if try !followed.isFollowed(key, of: table) { missing.insert(key) }
        }
        return missing
      }
    }
  }

  /// Hands over edits that the server may make, and stores a replica's state, in one commit.
  ///
  /// - Parameter limit: the number of bytes of values that one push has at most. A greater row is alone.
  /// - Returns: the edits in the order in which the server can make them. If there are none, nothing
  ///   is written.
  package func handOver(
    of tables: [Table], limit: Int, state: Data
  ) async throws(StoreError) -> HandedOverEdits {
    let ids = Set(tables.map(\.id))
    return try await store.writer.submit(.normal) { writer throws(StoreError) in
      guard try OutboxTable.hasUnrefused(writer.connection) else { return HandedOverEdits() }
      return try writer.transaction(author: Stack.replicaAuthor) {
        transaction throws(StoreError) in
        let handed = try transaction.handOver(of: ids, limit: limit)
        if !handed.edits.isEmpty { try ReplicaTable.set(state, transaction.connection) }
        return handed
      }.result
    }
  }
}

/// A row whose edits wait to be pushed.
package struct WaitingRow: Sendable, Equatable {
  /// The last commit that edited the row.
  package let commit: Int64
  /// Whether the server has refused the edits.
  package let isRefused: Bool
}

extension ScratchContext {
  /// The keys of the edited rows, by the name of their table.
  package var editedKeys: [String: Set<RecordKey>] { edits.layer.keys(in: store.model) }
}

extension ViewContext {
  /// The keys of the edited rows, by the name of their table.
  package var editedKeys: [String: Set<RecordKey>] { layers.pending.layer.keys(in: store.model) }
}

extension Layer {
  fileprivate func keys(in model: Model) -> [String: Set<RecordKey>] {
    Dictionary(uniqueKeysWithValues: keys.map { (model[$0.key].name, $0.value) })
  }
}

extension Table {
  /// Returns the tables of some entities, and of the links between them.
  package static func tables(of entities: [any Entity.Type]) throws(StoreError) -> [Table] {
    try Model(entities).tables
  }
}

extension Model {
  /// Returns some tables, each with its filter, and the tables of the links between their rows.
  ///
  /// Where a filter chooses the rows at an end, links are followed together with these rows. If that
  /// is so at both ends, some links that are followed lead to a row that is not.
  func withLinks(
    _ followed: [(table: Table, filter: RowFilter?)]
  ) -> [(table: Table, filter: RowFilter?)] {
    let ids = Set(followed.map(\.table.id))
    let filtered = Set(followed.filter { $0.filter != nil }.map(\.table.id))
    let links = tables.filter { table in
      table.isJoin && table.references.allSatisfy { ids.contains($0.target) }
    }
    return followed
      + links.map { table in
        let end = table.references.first { filtered.contains($0.target) }
        let filter = end.map { end in
          RowFilter(
            of: table, following: FollowedReference(column: end.column, target: self[end.target]))
        }
        return (table, filter)
      }
  }
}
