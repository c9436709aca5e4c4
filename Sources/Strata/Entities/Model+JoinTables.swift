extension Model {
  /// Returns the tables of the many-to-many relationships that the schemas list, by name.
  ///
  /// The schema of either end may list a relationship. The identifiers of these tables follow those
  /// of the entities' tables, in the order of the tables' names.
  static func joinTables(
    _ drafts: [TableDraft], _ ids: [ObjectIdentifier: TableID]
  ) throws(StoreError) -> [String: JoinTable] {
    var listed: [String: ManyToManyDefinition] = [:]
    for draft in drafts {
      for element in draft.definition.elements {
        guard case .manyToMany(let definition) = element.content else { continue }
        try check(definition, listedBy: draft, ids)
        let name = definition.tableName
        if let other = listed.updateValue(definition, forKey: name), other != definition {
          throw .schema(
            "\(definition.source) and \(other.source) declare two relationships with one join "
              + "table; name one: manyToMany(\(definition.target).self, \"name\")",
            entity: draft.entity)
        }
      }
    }
    var tables: [String: JoinTable] = [:]
    var folded: Set<[UInt8]> = []
    for (name, definition) in listed.sorted(by: { $0.key < $1.key }) {
      guard let owner = ids[ObjectIdentifier(definition.owner)],
        let target = ids[ObjectIdentifier(definition.target)]
      else { continue }
      if !folded.insert(name.folded).inserted {
        throw .schema(
          "\(definition.source): two join tables are named \"\(name)\"",
          entity: "\(definition.owner)")
      }
      tables[name] = JoinTable.make(
        definition, TableID(index: drafts.count + tables.count), owner: drafts[owner.index],
        target: drafts[target.index])
    }
    return tables
  }

  private static func check(
    _ definition: ManyToManyDefinition, listedBy draft: TableDraft,
    _ ids: [ObjectIdentifier: TableID]
  ) throws(StoreError) {
    for end in [definition.owner, definition.target] where ids[ObjectIdentifier(end)] == nil {
      throw .schema(
        "\(definition.source): \(draft.entity) is linked with \(end), which is not in this stack",
        advice: "list \(end).self in Stack.open", entity: draft.entity)
    }
    if let name = definition.name, name.isEmpty || name.utf8.contains(0) {
      throw .schema(
        "\(definition.source): a relationship of \(draft.entity) needs a name without a NUL",
        entity: draft.entity)
    }
  }
}

extension ManyToManyDefinition: Equatable {
  static func == (left: Self, right: Self) -> Bool {
    left.owner == right.owner && left.target == right.target && left.name == right.name
      && left.isOrdered == right.isOrdered && left.source.description == right.source.description
  }
}
