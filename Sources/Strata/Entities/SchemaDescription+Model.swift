extension Model {
  /// Returns the description of the model's tables.
  func description(version: Int) -> SchemaDescription {
    SchemaDescription(
      version: version,
      tables: tables.map(\.described).sorted {
        $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
      })
  }
}

extension Table {
  /// The description of the table.
  var described: SchemaDescription.Table {
    SchemaDescription.Table(
      name,
      columns: columns.enumerated().map { position, column in
        let evolution =
          evolution.columns.indices.contains(position) ? evolution.columns[position] : nil
        return SchemaDescription.Column(
          column.name, column.storage, isOptional: column.isOptional, isIndexed: column.isIndexed,
          target: evolution?.target, valueType: evolution?.valueType,
          formerNames: evolution?.evolution.formerNames ?? [],
          example: position == Self.keyColumn ? nil : example(position))
      },
      uniques: uniques.map { $0.map { columns[$0].name } },
      compoundIndexes: compoundIndexes.map { $0.map { columns[$0].name } }, entity: entity,
      formerNames: evolution.formerNames, fullText: search?.text?.described,
      spatial: search?.places.map(\.described) ?? [])
  }

  /// Returns a default value that a test could not make up, such as an enumeration's case.
  ///
  /// A default that is new each time is no example, because equal schemas have equal descriptions.
  private func example(_ position: Int) -> Cell? {
    guard evolution.columns.indices.contains(position) else { return nil }
    let type = evolution.columns[position].valueType
    if Self.plainValues.contains(type) || type.hasPrefix("Key<") { return nil }
    guard let value = try? evolution.value(for: position), value != .null,
      let again = try? evolution.value(for: position), value == again
    else { return nil }
    return value
  }

  /// The types of which a test can make values without an example.
  private static let plainValues: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "UInt", "Bool",
    "Double", "Float", "Date", "String", "URL", "Decimal", "Data", "UUID",
  ]
}

extension SchemaDescription.Table {
  /// The SQL texts of the table, in which the key comes first.
  var sql: TableSQL { TableSQL(name: name, columns: storedColumns) }

  /// Whether the table's rows are the links of two entities.
  package var isJoin: Bool { name.hasPrefix(ManyToManyDefinition.prefix) }

  /// A name in the key, a constraint or an index that no column has; nil if every name has a
  /// column.
  var missingColumn: String? {
    let all = Set(columns.map(\.name))
    let searched = (fullText?.columns ?? []) + spatial.flatMap { [$0.latitude, $0.longitude] }
    return ([key] + uniques.joined() + compoundIndexes.joined() + searched)
      .first { !all.contains($0) }
  }

  /// The columns, with the key first.
  var ordered: [SchemaDescription.Column] {
    columns.filter { $0.name == key } + columns.filter { $0.name != key }
  }

  private var storedColumns: [Column] {
    ordered.map {
      Column(
        name: $0.name, storage: $0.storage, isOptional: $0.isOptional, isIndexed: $0.isIndexed)
    }
  }

  /// The indexes that the table should have.
  var indexes: [TableIndex] {
    let names = ordered.map(\.name)
    func positions(_ columns: [[String]]) -> [[Int]] {
      columns.map { $0.compactMap { names.firstIndex(of: $0) } }
    }
    return sql.indexes(uniques: positions(uniques), compound: positions(compoundIndexes))
  }

  /// A name for the row number in SQL; nil if the columns take all of its names.
  var rowIDName: String? {
    // An integer key is the row number itself.
    if self[column: key]?.storage == .integer { return key.quotedIdentifier }
    return TableSQL.rowIDName(columns.map(\.name))
  }
}
