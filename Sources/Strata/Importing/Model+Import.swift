/// The tables to which an import's records refer.
extension Model {
  /// Returns the table of an entity and the record of a new one; nil if the stack lacks the entity.
  package func importTarget(
    _ type: any Entity.Type
  ) throws(StoreError) -> (table: Table, defaults: NewEntity)? {
    guard let table = table(ofType: type) else { return nil }
    do throws(CodingFailure) { return (table, try NewEntity(type, table)) } catch {
      throw table.error(error, key: nil)
    }
  }

  /// Returns the entities to which a table's columns refer, with these columns.
  package func references(of table: Table) -> [(column: Int, target: any Entity.Type)] {
    table.references.compactMap { reference in
      self[reference.target].entityType.map { (reference.column, $0) }
    }
  }

  /// Returns the columns that refer to a table's key, with their entities.
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
