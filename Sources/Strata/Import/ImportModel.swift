/// What an import has to know of the tables that its records refer to.
extension Model {
  /// The table of an entity, and the record of a new one; nil if the stack does not have the entity.
  package func importTarget(
    _ type: any Entity.Type
  ) throws(StoreError) -> (table: Table, defaults: Record)? {
    guard let table = table(ofType: type) else { return nil }
    return (table, try Self.defaults(type, table))
  }

  private static func defaults<E: Entity>(
    _: E.Type, _ table: Table
  ) throws(StoreError) -> Record {
    do throws(CodingFailure) { return try table.encode(E(), RecordBuilder()) } catch {
      throw table.error(error, key: nil)
    }
  }

  /// The entities that a table's columns refer to.
  package func references(of table: Table) -> [(column: Int, target: any Entity.Type)] {
    table.references.compactMap { reference in
      self[reference.target].entityType.map { (reference.column, $0) }
    }
  }

  /// The entities' columns that refer to a table's key.
  package func referrers(
    to table: Table
  ) -> [(entity: any Entity.Type, table: Table, column: Int)] {
    table.referrers.compactMap { referrer in
      let table = self[referrer.table]
      return table.entityType.map { ($0, table, referrer.column) }
    }
  }
}

extension Table {
  /// The entity's type; nil for the links of a many-to-many relationship.
  fileprivate var entityType: (any Entity.Type)? {
    isJoin ? nil : paths.root as? any Entity.Type
  }
}
