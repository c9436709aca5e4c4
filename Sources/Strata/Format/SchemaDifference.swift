/// The changes that turn the stored tables into the model's tables.
struct SchemaDifference {
  /// The model's tables that are new or differ from the stored tables, in the model's order.
  private(set) var migrations: [TableMigration] = []
  /// The stored tables that a declaration removes.
  private(set) var removed: [SchemaDescription.Table] = []
  /// The changes that are not declared and therefore refuse the store.
  private(set) var problems: [StoreError] = []

  /// The columns (`table.column`) that keep their values but become required references, or
  /// required references to another table.
  private(set) var newReferences: Set<String> = []

  /// Whether there is nothing to change or check.
  var isEmpty: Bool {
    migrations.isEmpty && removed.isEmpty && problems.isEmpty && newReferences.isEmpty
  }

  init(from stored: SchemaDescription, to model: Model, removedTables: Set<String>) {
    let matches = FormerNames.match(
      model.tables.map { .init(name: $0.name, former: $0.evolution.formerNames) },
      stored.tables.map { .init(name: $0.name, former: $0.formerNames) })
    var claimed: [Int: Table] = [:]
    for (table, match) in zip(model.tables, matches) {
      if let match, let other = claimed.updateValue(table, forKey: match) {
        problems.append(
          .schema(
            "\(other.entity) and \(table.entity) were both formerly the table "
              + "\"\(stored.tables[match].name)\"", entity: table.entity))
        continue
      }
      var migration = TableMigration(table, from: match.map { stored.tables[$0] })
      problems += migration.resolve()
      newReferences.formUnion(migration.newReferences)
      if !migration.isEmpty { migrations.append(migration) }
    }
    checkReferrers(model)
    let isRemoved = { (name: String) in removedTables.contains { $0.isSameName(as: name) } }
    for (position, table) in stored.tables.enumerated() where claimed[position] == nil {
      // The links of a relationship are removed with either of its ends.
      if isRemoved(table.name)
        || table.isJoin && table.columns.compactMap(\.target).contains(where: isRemoved)
      {
        removed.append(table)
      } else {
        problems.append(.unclaimed(table))
      }
    }
  }
}

extension SchemaDifference {
  /// Adds a problem for each reference that keeps its values although the key it refers to changes.
  ///
  /// References hold keys, so they cannot stay as they are if the keys become others.
  fileprivate mutating func checkReferrers(_ model: Model) {
    for migration in migrations where migration.hasNewKey || migration.hasConvertedKey {
      for referrer in migration.table.referrers {
        let table = model[referrer.table]
        // New tables, new columns, and columns with a conversion of their own hold no old keys.
        let other = migrations.first { $0.table.id == referrer.table }
        if let other, other.old == nil || !other.keepsValues(referrer.column) { continue }
        let name = table.columns[referrer.column].name
        problems.append(
          StoreError(
            .schemaMismatch,
            "\(migration.table.attributeName(Table.keyColumn)) has other values than the stored key, "
              + "but \(table.attributeName(referrer.column)) refers to it and keeps its values",
            advice: "convert the reference, too, or change both in a MigrationStep",
            entity: table.entity, attributes: [name]))
      }
    }
  }
}

extension StoreError {
  fileprivate static func unclaimed(_ table: SchemaDescription.Table) -> StoreError {
    let remedies =
      table.isJoin
      ? "still there: list the manyToMany in a schema; renamed: manyToMany(…, formerly: "
        + "[\"\(table.name.split(separator: ".").last ?? "")\"])"
      : "still there: list \(table.entity).self in Stack.open; renamed: Schema(…, formerly: "
        + "[\"\(table.name)\"], …)"
    return StoreError(
      .schemaMismatch,
      "table \"\(table.name)\" of \(table.entity) is claimed by no "
        + (table.isJoin ? "relationship" : "entity"),
      advice: "\(remedies); gone: options.removedTables = [\"\(table.name)\"]",
      entity: table.entity)
  }
}
