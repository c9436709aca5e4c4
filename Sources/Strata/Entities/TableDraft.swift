/// A table while its model is being put together.
///
/// The columns are resolved first, then the references.
struct TableDraft {
  let id: TableID
  let name: String
  let entity: String
  let definition: EntityDefinition
  private let layout: StoredProperties
  private(set) var attributes: [AttributeDefinition] = []
  private(set) var names: [String] = []
  private var foldedNames: Set<[UInt8]> = []
  private var paths = ColumnPaths()
  private var uniques: [[Int]] = []
  private var compoundIndexes: [[Int]] = []
  private var removed: [String] = []
  var fullText: SchemaDescription.FullText?
  var spatial: [SchemaDescription.Spatial] = []
  private(set) var references: [Reference] = []
  /// The names of the tables that columns refer to.
  private var targets: [Int: String] = [:]

  /// SQLite's own limit on columns, as it is compiled everywhere.
  private static let columnLimit = 2000

  init(_ definition: EntityDefinition, _ id: TableID) throws(StoreError) {
    self.id = id
    self.definition = definition
    layout = definition.layout()
    name = definition.table
    entity = definition.entity
    try checkName(name, "the table")
    if name.lowercased().hasPrefix("sqlite_") || name.lowercased().hasPrefix("strata_") {
      throw .schema("the table name \"\(name)\" is reserved", entity: entity)
    }
    try add(Self.listedKey(definition) ?? definition.key)
    if definition.key.isOptional {
      throw .schema("the key of \(entity) cannot be optional", entity: entity)
    }
    for element in definition.elements {
      if case .attribute(let attribute) = element.content {
        // The key is already the first column, even if the schema lists it for its name or as a
        // reference.
        if attribute.path as AnyKeyPath == definition.key.path as AnyKeyPath { continue }
        try add(attribute)
      }
    }
    if attributes.count > Self.columnLimit {
      throw .schema(
        "\(entity) has \(attributes.count) attributes, and a table takes \(Self.columnLimit)",
        entity: entity)
    }
    for element in definition.elements {
      if case .unique(let paths, let source) = element.content {
        let columns = try resolve(paths, source, "Unique")
        if !uniques.contains(columns) { uniques.append(columns) }
      }
      if case .index(let paths, let source) = element.content {
        let columns = try resolve(paths, source, "Index")
        try checkIndex(columns, source)
        if !compoundIndexes.contains(columns) { compoundIndexes.append(columns) }
      }
      if case .removed(let columns) = element.content { removed += columns }
    }
    try checkEvolution()
    try resolveSearch()
  }

  /// Checks that every stored property is an attribute or ignored, and none is both.
  func checkProperties() throws(StoreError) {
    var bytes = attributes.compactMap(\.bytes)
    var accessors = attributes.filter { $0.bytes == nil }.map(\.valueType)
    for element in definition.elements {
      guard case .ignored(let property) = element.content else { continue }
      if let column = column(for: property.path) {
        throw .schema(
          "\(property.source): \(entity).\(names[column]) is ignored and listed", entity: entity,
          attribute: names[column])
      }
      if let place = property.bytes { bytes.append(place) } else { accessors.append(property.type) }
    }
    let missing = layout.missing(from: bytes, accessors: accessors)
    guard let first = missing.first else { return }
    throw StoreError(
      .invalidSchema,
      "\(definition.key.source): the schema of \(entity) does not list "
        + missing.joined(separator: ", "),
      advice: missing.count == 1
        ? "add Attribute(\\.\(first)), or Ignored(\\.\(first)) to keep it in memory only"
        : "add these lines, each with Ignored in the place of Attribute if the property is to be in "
          + "memory only:" + missing.map { "\n    Attribute(\\.\($0))" }.joined(),
      entity: entity, attributes: missing)
  }

  /// Checks that no column is both removed and listed, and that no two attributes share a former
  /// name.
  private func checkEvolution() throws(StoreError) {
    for column in removed where names.contains(where: { $0.isSameName(as: column) }) {
      throw .schema("\(entity).\(column) is removed and listed", entity: entity, attribute: column)
    }
    var former: Set<[UInt8]> = []
    for (name, attribute) in zip(names, attributes) {
      let own = StoredType(
        name: attribute.valueName, storage: attribute.storage, isOptional: attribute.isOptional)
      if let problem = attribute.evolution.problem(own: own) {
        throw .schema(
          "\(attribute.source): \(entity).\(name) \(problem)", entity: entity, attribute: name)
      }
      for name in Set(attribute.evolution.formerNames.map(\.folded))
      where !former.insert(name).inserted {
        let name = String(decoding: name, as: UTF8.self)
        throw .schema(
          "two attributes of \(entity) were formerly \"\(name)\"", entity: entity, attribute: name)
      }
    }
  }

  /// Returns the key as the schema lists it among the attributes, or nil if it does not.
  private static func listedKey(_ definition: EntityDefinition) -> AttributeDefinition? {
    for element in definition.elements {
      if case .attribute(let attribute) = element.content,
        attribute.path as AnyKeyPath == definition.key.path as AnyKeyPath
      {
        return attribute
      }
    }
    return nil
  }

  private func checkName(_ name: String, _ what: String) throws(StoreError) {
    if name.isEmpty || name.utf8.contains(0) {
      throw .schema("\(what) of \(entity) needs a name without a NUL", entity: entity)
    }
  }

  private mutating func add(_ attribute: AttributeDefinition) throws(StoreError) {
    let found = attribute.coding.offset.flatMap { layout.name(at: $0, type: attribute.valueType) }
    guard let name = attribute.explicitName ?? found else {
      throw .schema(
        "\(attribute.source): name this attribute of \(entity): Attribute(\\.property, \"name\")",
        entity: entity)
    }
    try checkName(name, "an attribute")
    if !foldedNames.insert(name.folded).inserted {
      throw .schema("\(entity).\(name) is there twice", entity: entity, attribute: name)
    }
    if paths[attribute.path] != nil {
      throw .schema("\(entity).\(name) is stored twice", entity: entity, attribute: name)
    }
    if attribute.isUnique && names.count != Table.keyColumn { uniques.append([names.count]) }
    paths.add(attribute.path, column: names.count)
    names.append(name)
    attributes.append(attribute)
  }

  /// The key's type and its conversions from earlier types.
  var keyEvolution: (valueType: String, conversions: [AttributeConversion]) {
    let key = attributes[Table.keyColumn]
    return (key.valueName, key.evolution.conversions)
  }

  /// The storage type of the key.
  var keyStorage: StorageType { attributes[Table.keyColumn].storage }

  private func resolve(
    _ paths: [SendablePath], _ source: SourceLine, _ what: String
  ) throws(StoreError) -> [Int] {
    var columns: [Int] = []
    for path in paths {
      guard let column = column(for: path) else {
        throw .schema("\(source): \(what) names something that is no attribute", entity: entity)
      }
      columns.append(column)
    }
    return columns
  }

  /// Checks that an index names two or more attributes, each of them once.
  private func checkIndex(_ columns: [Int], _ source: SourceLine) throws(StoreError) {
    if columns.count < 2 {
      throw .schema(
        "\(source): an Index of \(entity) needs two or more attributes",
        advice: "write .indexed() on the attribute", entity: entity,
        attribute: columns.first.map { names[$0] })
    }
    for (position, column) in columns.enumerated() where columns[..<position].contains(column) {
      throw .schema(
        "\(source): an Index names \(entity).\(names[column]) twice", entity: entity,
        attribute: names[column])
    }
  }

  func column(for path: SendablePath) -> Int? { paths[path] }

  /// Finds the target tables of the references.
  mutating func resolveReferences(
    _ ids: [ObjectIdentifier: TableID], _ drafts: [TableDraft]
  ) throws(StoreError) {
    for (column, attribute) in attributes.enumerated() {
      guard let reference = attribute.reference else { continue }
      guard let target = ids[ObjectIdentifier(reference.target)] else {
        throw .schema(
          "\(entity).\(names[column]) refers to \(reference.target), which is not in this stack",
          advice: "list \(reference.target).self in Stack.open", entity: entity,
          attribute: names[column])
      }
      targets[column] = drafts[target.index].name
      references.append(
        Reference(
          column: column, target: target, rule: reference.rule, isRequired: !attribute.isOptional))
    }
    for element in definition.elements {
      guard case .toMany(let relationship) = element.content else { continue }
      guard let draft = ids[ObjectIdentifier(relationship.target)].map({ drafts[$0.index] }) else {
        throw .schema(
          "\(relationship.source): \(entity) has many \(relationship.target), which is not in "
            + "this stack", advice: "list \(relationship.target).self in Stack.open",
          entity: entity)
      }
      guard let column = draft.column(for: relationship.inverse),
        draft.attributes[column].reference?.target == definition.type
      else {
        throw .schema(
          "\(relationship.source): a to-many of \(entity) needs a to-one of "
            + "\(relationship.target) that refers back", entity: entity)
      }
      if let position = relationship.position, draft.column(for: position) == nil {
        throw .schema(
          "\(relationship.source): what orders a to-many of \(entity) is no attribute of "
            + "\(relationship.target)", entity: entity)
      }
    }
  }

  private var evolution: TableEvolution {
    TableEvolution(
      formerNames: definition.formerNames, removed: removed,
      columns: attributes.enumerated().map { position, attribute in
        TableEvolution.Column(
          valueType: attribute.valueName, evolution: attribute.evolution, coding: attribute.coding,
          target: targets[position])
      }, withNewEntity: definition.withNewEntity)
  }

  func table(referrers: [Referrer]) -> Table {
    let referring = Set(references.map(\.column))
    let indexed = referring.union(uniques.compactMap { $0.count == 1 ? $0[0] : nil })
      .union(compoundIndexes.joined()).union([Table.keyColumn])
    return Table(
      id: id, name: name, entity: entity,
      columns: zip(names, attributes).enumerated().map { position, attribute in
        let type = attribute.1.valueType as? any AttributeValue.Type
        let isIndexed = attribute.1.isIndexed || indexed.contains(position)
        return Column(
          name: attribute.0, storage: attribute.1.storage, isOptional: attribute.1.isOptional,
          isIndexed: position != Table.keyColumn
            && (attribute.1.isIndexed || referring.contains(position)),
          valueType: type, spelling: type.flatMap { ValueSpelling($0) },
          isComparedByText: isIndexed)
      },
      paths: paths, references: references, referrers: referrers,
      uniques: uniques, compoundIndexes: compoundIndexes,
      codec: definition.codec(attributes.map(\.coding)),
      rewrite: definition.rewrite,
      rules: TableRules(attributes, definition),
      merges: attributes.enumerated().compactMap { column, attribute in
        attribute.merge.map { (column, $0) }
      }, evolution: evolution, search: search)
  }
}
