/// The migration of one table.
struct TableMigration {
  /// The source of a column's cells.
  enum Source {
    case column(String)
    case converted(String, ColumnConversion)
    /// A declared value, which is the same for every row.
    case value(Cell)
    /// The value of a new entity, made separately for each row.
    case newEntity
    /// The key of a link, made of the keys of its two ends.
    case linkKey
    /// The row's position in the table, for links that get an order.
    case rowPosition
  }

  let table: Table
  let new: SchemaDescription.Table
  /// The stored table; nil for a new table.
  let old: SchemaDescription.Table?
  /// The source of each column of the model's table.
  private(set) var sources: [Source] = []
  /// The stored columns that are dropped.
  private(set) var removed: [String] = []
  /// Whether rows must be copied, because SQLite cannot make the change in place.
  private(set) var isCopy = false

  init(_ table: Table, from old: SchemaDescription.Table?) {
    self.table = table
    new = table.described
    self.old = old
  }

  /// The stored columns that have another name in the model.
  var renamed: [(from: String, to: String)] {
    zip(sources, table.columns).compactMap { source, column in
      switch source {
      case .column(let name), .converted(let name, _):
        name == column.name ? nil : (name, column.name)
      case .value, .newEntity, .linkKey, .rowPosition: nil
      }
    }
  }

  /// The new columns.
  var added: [Column] {
    zip(sources, table.columns).compactMap { source, column in
      switch source {
      case .column, .converted, .linkKey: nil
      case .value, .newEntity, .rowPosition: column
      }
    }
  }

  /// The columns whose type or optionality changes.
  var changed: [Column] {
    zip(sources, table.columns).compactMap { source, column in
      switch source {
      case .converted: column
      case .column(let name):
        old?[column: name]?.isOptional == column.isOptional ? nil : column
      case .value, .newEntity, .linkKey, .rowPosition: nil
      }
    }
  }

  /// Whether a declared conversion changes the key's values.
  var hasConvertedKey: Bool {
    if case .converted(_, let conversion) = sources.first {
      conversion.conversion != nil
    } else {
      false
    }
  }

  /// Whether a column keeps its stored values.
  func keepsValues(_ column: Int) -> Bool {
    if case .column = sources[column] { true } else { false }
  }

  /// Whether the key gets the values of another column, or new values.
  var hasNewKey: Bool {
    guard let old, let source = sources.first else { return false }
    switch source {
    case .column(let name), .converted(let name, _): return !name.isSameName(as: old.key)
    // A key for which no source was found is already refused.
    case .value(.null): return false
    case .value, .newEntity: return true
    // Nothing refers to a link.
    case .linkKey, .rowPosition: return false
    }
  }

  /// Whether the key gets the values of another column.
  var takesKeyOfColumn: Bool {
    switch sources.first {
    case .column, .converted: hasNewKey
    case .value, .newEntity, .linkKey, .rowPosition, nil: false
    }
  }

  /// The columns (`table.column`) that keep their values but become required references, or
  /// required references to another table.
  var newReferences: [String] {
    guard let old else { return [] }
    return zip(sources, new.columns).compactMap { source, column in
      guard case .column(let name) = source, !column.isOptional, let target = column.target,
        old[column: name]?.target != target
      else { return nil }
      return "\(new.name).\(column.name)"
    }
  }

  var isRenamed: Bool { old.map { $0.name != new.name } ?? false }

  /// The indexes to drop; all indexes of a table that is copied or renamed.
  var indexesToDrop: [TableIndex] { indexes(\.indexes, \.columns).gone }
  /// The indexes to create.
  var indexesToCreate: [TableIndex] { indexes(\.indexes, \.columns).new }
  /// The search indexes to drop; SQLite does not drop them with their table.
  var searchIndexesToDrop: [SearchIndex] { indexes(\.searchIndexes, \.columns).gone }
  /// The search indexes to create.
  var searchIndexesToCreate: [SearchIndex] { indexes(\.searchIndexes, \.columns).new }

  /// Returns the indexes to drop and to create.
  ///
  /// An index can stay if it is unchanged and its columns keep their names.
  private func indexes<Index: Hashable>(
    _ indexes: (SchemaDescription.Table) -> [Index], _ columns: (Index) -> [String]
  ) -> (gone: [Index], new: [Index]) {
    guard let old else { return ([], indexes(new)) }
    var kept: Set<Index> = []
    if !isCopy && !isRenamed {
      let moved = renamed.flatMap { [$0.from, $0.to] }
      kept = Set(indexes(old)).intersection(indexes(new)).filter { index in
        !columns(index).contains { column in moved.contains { $0.isSameName(as: column) } }
      }
    }
    return (indexes(old).filter { !kept.contains($0) }, indexes(new).filter { !kept.contains($0) })
  }

  var isEmpty: Bool {
    old != nil && !isCopy && !isRenamed && renamed.isEmpty && added.isEmpty
      && indexesToDrop.isEmpty && indexesToCreate.isEmpty && searchIndexesToDrop.isEmpty
      && searchIndexesToCreate.isEmpty
  }

  // MARK: - Columns

  /// Finds the source of every column, and returns the changes that are not declared.
  mutating func resolve() -> [StoreError] {
    guard let old else { return [] }
    let former = table.evolution.columns.map(\.evolution.formerNames)
    let matches = FormerNames.match(
      table.columns.enumerated().map { position, column in
        .init(name: column.name, former: former.indices.contains(position) ? former[position] : [])
      }, old.columns.map { .init(name: $0.name, former: $0.formerNames) })
    var problems: [StoreError] = []
    for (position, match) in matches.enumerated() {
      do throws(StoreError) {
        sources.append(try source(position, match.map { old.columns[$0] }))
      } catch {
        sources.append(.value(.null))
        problems.append(error)
      }
    }
    let claimed = Set(matches.compactMap { $0 })
    for (position, column) in old.columns.enumerated() where !claimed.contains(position) {
      isCopy = true
      removed.append(column.name)
      if table.evolution.removed.contains(where: { $0.isSameName(as: column.name) }) { continue }
      problems.append(
        error(
          column.name,
          "column \"\(column.name)\" (\(column.valueType)) is claimed by no attribute of "
            + table.entity,
          advice: "renamed: Attribute(\\.…).formerly(\"\(column.name)\"); gone: "
            + "Removed<\(table.entity)>(\"\(column.name)\")"))
    }
    if table.isJoin {
      let isConverted = [JoinTable.owner, JoinTable.target].contains { position in
        if case .converted = sources[position] { true } else { false }
      }
      if isConverted { sources[Table.keyColumn] = .linkKey }
    }
    let key = sources.first.flatMap { source -> String? in
      if case .column(let name) = source { name } else { nil }
    }
    if key.map({ !$0.isSameName(as: old.key) }) ?? true { isCopy = true }
    return problems
  }

  private mutating func source(
    _ position: Int, _ stored: SchemaDescription.Column?
  ) throws(StoreError) -> Source {
    let column = table.columns[position]
    guard let stored else { return try newSource(position) }
    let described = new.columns[position]
    let evolution =
      table.evolution.columns.indices.contains(position)
      ? table.evolution.columns[position].evolution : AttributeEvolution()
    let becomesRequired = stored.isOptional && !column.isOptional
    let named = evolution.conversion(from: stored.type)
    var conversion: AttributeConversion?
    if stored.storage != column.storage {
      guard let found = named ?? evolution.conversion(fromStorageOf: stored.type) else {
        throw error(
          column.name,
          "\(table.attributeName(position)) is \(stored.shown) in the store and "
            + "\(described.shown) in the schema",
          advice: "declare .converted(from: "
            + "\(column.isOptional ? stored.valueType : "\(stored.type)").self) { … } on the attribute"
        )
      }
      conversion = found
    } else if becomesRequired {
      conversion = named ?? evolution.conversion(fromStorageOf: stored.type)
      if conversion == nil && evolution.fallback == nil {
        throw error(
          column.name,
          "\(table.attributeName(position)) is optional in the store and required in the schema",
          advice:
            "declare .converted(from: \(stored.type).self) { … } or .migrationDefault(…) "
            + "on the attribute")
      }
    } else if stored.valueType != described.valueType
      || named?.from == stored.type && stored.isOptional != column.isOptional
    {
      conversion = named
    }
    if stored.storage != column.storage || stored.isOptional != column.isOptional
      || conversion != nil
    {
      isCopy = true
    }
    guard conversion != nil || becomesRequired else { return .column(stored.name) }
    do throws(ValueError) {
      return .converted(
        stored.name,
        ColumnConversion(
          conversion: conversion, isOptional: column.isOptional,
          fallback: try evolution.fallback?.get()))
    } catch {
      throw self.error(
        column.name, "\(table.attributeName(position)): \(error.message)",
        advice: "declare another migrationDefault")
    }
  }

  /// Returns the source of a new column's values for the rows that exist already.
  private mutating func newSource(_ position: Int) throws(StoreError) -> Source {
    let column = table.columns[position]
    if table.isJoin && position == JoinTable.position {
      isCopy = true
      return .rowPosition
    }
    do throws(ValueError) {
      let value = try table.evolution.value(for: position)
      if column.isOptional, case .null = value { return .value(.null) }
      isCopy = true
      if case .null = value { throw ValueError("rows that are there need a value") }
      let isDeclared =
        table.evolution.columns.indices.contains(position)
        && table.evolution.columns[position].evolution.fallback != nil
      return isDeclared ? .value(value) : .newEntity
    } catch {
      throw self.error(
        column.name, "the new attribute \(table.attributeName(position)): \(error.message)",
        advice: "declare .migrationDefault(…) on the attribute")
    }
  }

  private func error(_ column: String, _ message: String, advice: String) -> StoreError {
    StoreError(
      .schemaMismatch, message, advice: advice, entity: table.entity, attributes: [column])
  }
}

extension SchemaDescription.Column {
  var type: StoredType {
    StoredType(name: valueType, storage: storage, isOptional: isOptional)
  }

  /// The type for messages, such as `optional Double (REAL)`.
  var shown: String { (isOptional ? "optional " : "") + "\(valueType) (\(storage.rawValue))" }
}

/// The conversion of a stored cell into a cell of the model's column.
struct ColumnConversion: Sendable {
  /// The declared conversion; nil if only nulls are replaced.
  let conversion: AttributeConversion?
  let isOptional: Bool
  let fallback: Cell?

  func callAsFunction(_ cell: Cell) throws -> Cell {
    var result = cell
    if let conversion {
      var isNull = false
      if case .null = cell { isNull = true }
      if !isNull || conversion.from.isOptional { result = try conversion.convert(cell) }
    }
    if case .null = result, !isOptional {
      guard let fallback else { throw ValueError("the attribute is required and has no value") }
      return fallback
    }
    return result
  }
}
