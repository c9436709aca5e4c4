internal import Foundation
internal import StrataSQLite

/// All tables of a stack, checked against each other.
package final class Model: Sendable {
  let tables: [Table]
  /// Whether a save may need to read rows other than its own.
  let hasReferences: Bool
  /// Whether a save may need to validate records.
  let hasRules: Bool
  private let byType: [ObjectIdentifier: Table]
  /// The tables of the many-to-many relationships, by name.
  private let joins: [String: JoinTable]
  /// The SQL of queries by text, so that equal texts share a prepared statement.
  private let texts = Lock<[String: SQL]>([:])

  /// Checks the entities' schemas and resolves their names.
  ///
  /// - Throws: ``StoreError`` with code `invalidSchema`, naming entity and attribute.
  init(_ types: [any Entity.Type]) throws(StoreError) {
    var drafts: [TableDraft] = []
    var ids: [ObjectIdentifier: TableID] = [:]
    for type in types {
      guard ids[ObjectIdentifier(type)] == nil else {
        throw .schema("\(type) is given twice", entity: "\(type)")
      }
      ids[ObjectIdentifier(type)] = TableID(index: drafts.count)
      drafts.append(try TableDraft(Self.definition(of: type), TableID(index: drafts.count)))
    }
    var names: Set<[UInt8]> = []
    for draft in drafts where !names.insert(draft.name.folded).inserted {
      throw .schema("the table \"\(draft.name)\" belongs to two entities", entity: draft.entity)
    }
    var referrers = [[Referrer]](repeating: [], count: drafts.count)
    for index in drafts.indices {
      try drafts[index].resolveReferences(ids, drafts)
      for reference in drafts[index].references {
        referrers[reference.target.index].append(
          Referrer(table: drafts[index].id, column: reference.column, rule: reference.rule))
      }
    }
    joins = try Self.joinTables(drafts, ids)
    // An element with a mistake says more than the property that it leaves out.
    for draft in drafts { try draft.checkProperties() }
    let joinTables = joins.values.map(\.table).sorted { $0.id < $1.id }
    for table in joinTables {
      for reference in table.references {
        referrers[reference.target.index].append(
          Referrer(table: table.id, column: reference.column, rule: reference.rule))
      }
    }
    tables = drafts.map { $0.table(referrers: referrers[$0.id.index]) } + joinTables
    hasReferences = tables.contains { !$0.references.isEmpty }
    hasRules = tables.contains { $0.rules != nil }
    byType = ids.mapValues { [tables] in tables[$0.index] }
  }

  private static func definition<E: Entity>(of _: E.Type) -> EntityDefinition {
    E.schema.definition
  }

  /// Returns the SQL of a query's text, which is the same object for equal texts.
  func sql(_ text: String) -> SQL {
    texts.withLock { texts in
      if let known = texts[text] { return known }
      // Texts differ by the shape of the query, not by its values. A program with more shapes
      // generates them at random.
      if texts.count >= 1024 { texts.removeAll() }
      let sql = SQL(text)
      texts[text] = sql
      return sql
    }
  }

  subscript(id: TableID) -> Table { tables[id.index] }

  /// Returns the table of an entity of this stack.
  package func table<E: Entity>(of _: E.Type) -> Table {
    guard let table = byType[ObjectIdentifier(E.self)] else {
      fatalError("\(E.self) is not in this stack: list it in Stack.open(\(E.self).self, …)")
    }
    return table
  }

  /// Returns an end of a many-to-many relationship, or nil if no schema of this stack lists it.
  func join(_ reference: LinkReference) -> JoinTable.End? {
    joins[reference.definition.tableName]?.end(isInverse: reference.isInverse)
  }

  /// Returns the table of an entity, or nil if the stack does not have the entity.
  func table(ofType type: any Any.Type) -> Table? { byType[ObjectIdentifier(type)] }
}

extension StoreError {
  static func schema(
    _ message: String, advice: String = "correct the schema", entity: String,
    attribute: String? = nil
  ) -> StoreError {
    StoreError(
      .invalidSchema, message, advice: advice, entity: entity,
      attributes: attribute.map { [$0] } ?? [])
  }
}
