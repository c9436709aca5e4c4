/// What an import has to know of the tables that its records refer to.
extension Model {
  /// The table of an entity, and what a new one is; nil if the stack does not have the entity.
  package func importTarget(
    _ type: any Entity.Type
  ) throws(StoreError) -> (table: Table, defaults: NewEntity)? {
    guard let table = table(ofType: type) else { return nil }
    do throws(CodingFailure) { return (table, try NewEntity(type, table)) } catch {
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
