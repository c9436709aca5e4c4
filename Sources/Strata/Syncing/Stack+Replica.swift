package import Foundation

extension Stack {
  /// The author of the commits that bring the store to the rows of a server.
  package static let replicaAuthor = "strata.replica"

  /// The tables of all entities, without the tables of many-to-many relationships.
  package var replicableTables: [Table] { store.model.tables.filter { !$0.isJoin } }

  /// The state that the last pull stored; nil before the first pull.
  package func replicaState() async throws(StoreError) -> Data? {
    try await store.writer.submit(.normal) { writer throws(StoreError) in
      try ReplicaTable.state(writer.connection)
    }
  }

  /// Brings rows of the store to the server's rows, and stores a replica's state, in one commit.
  ///
  /// A row that is equal already is neither written nor announced. Edits that wait to be pushed
  /// stay: attributes without an edit take the server's values.
  ///
  /// - Returns: the number of the commit.
  @discardableResult
  package func apply(_ pulled: [ServerRows], state: Data) async throws(StoreError) -> Int64 {
    try await store.writer.submit(.normal) { writer throws(StoreError) in
      try writer.transaction(author: Stack.replicaAuthor) { transaction throws(StoreError) in
        try transaction.apply(pulled)
        try ReplicaTable.set(state, transaction.connection)
        transaction.isCounted = true
      }.commit
    }
  }
}
