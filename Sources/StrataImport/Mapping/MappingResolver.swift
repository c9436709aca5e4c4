internal import Strata

/// Resolves the mappings of one plan: names to columns and slots, types to tables.
struct MappingResolver {
  private let model: Model
  private var columns: [JSONColumn] = []
  /// The slots by their columns, of which only `isRequired` may differ.
  private var slots: [SlotName: Int] = [:]
  /// Whether the records are the members of an object, whose names are keys by convention.
  private let recordsAreMembers: Bool

  /// The parts of a column by which two readers of one path share a slot.
  private struct SlotName: Hashable {
    let path: JSONPath
    let kind: JSONColumn.Kind
    let allowsNumberInString: Bool
    let takesAny: Bool
  }
  /// The enclosing entities, which the convention does not nest again.
  private var around: [ObjectIdentifier]

  init(
    _ model: Model, inside around: [ObjectIdentifier] = [], recordsAreMembers: Bool = false
  ) {
    self.model = model
    self.around = around
    self.recordsAreMembers = recordsAreMembers
  }

  /// Returns the plan of all mappings that were resolved.
  func plan(of table: Table) throws(ImportError) -> JSONPlan {
    do throws(JSONPlanError) { return try JSONPlan(columns) } catch {
      throw .mapping("\(table.entity): \(error)")
    }
  }

  /// Resolves the mapping of an entity.
  ///
  /// - Parameters:
  ///   - objectPaths: the paths where the entity may be in the record.
  ///   - isRoot: whether the entity is a record of the feed or an element of an array, and thus
  ///     always present.
  mutating func entity(
    _ mapping: MappingDefinition, at objectPaths: [JSONPath], isRoot: Bool
  ) throws(ImportError) -> EntityMapper {
    let (table, defaults) = try model.mappingTarget(mapping.entity)
    around.append(ObjectIdentifier(mapping.entity))
    defer { around.removeLast() }
    var sources = [ColumnSource?](repeating: nil, count: table.columns.count)
    var objects: [EntityMapper.Object] = []
    var arrays: [EntityMapper.Elements] = []
    var linkages: [EntityMapper.Linkage] = []
    let parts = mapping.parts ?? convention(table)
    let tombstones = parts.compactMap { part in
      if case .tombstone(let key, let sign) = part { (key, sign) } else { nil }
    }
    for part in parts {
      switch part {
      case .tombstone: break
      case .links(let links): linkages.append(try linkage(links, of: table, at: objectPaths))
      case .field(let field):
        let column = try field.attribute.column(of: table)
        guard sources[column] == nil else {
          throw .mapping("\(table.entity).\(table.columns[column].name) is mapped twice")
        }
        // A deletion needs only its key, so the mapper checks the other required fields.
        let isScanned = isRoot && (tombstones.isEmpty || column == Table.keyColumn)
        sources[column] = try source(
          field, column, of: table, at: objectPaths, isRoot: isRoot, isScanned: isScanned)
      case .object(let reference, let keys, let mapping):
        let mapper = try entity(mapping, at: try inside(objectPaths, keys, table), isRoot: false)
        objects.append(
          EntityMapper.Object(column: try reference.column(of: table), mapper: mapper))
      case .array(let keys, let mapping, let membership):
        arrays.append(try elements(keys, mapping, membership, of: table, at: objectPaths))
      }
    }
    guard sources[Table.keyColumn] != nil else {
      throw .mapping("the mapping of \(table.entity) has no field for its key")
    }
    let deletion = try deletion(tombstones, of: table, at: objectPaths)
    let relationships = (linkages.map(\.links) + arrays.compactMap(\.links)).map(\.number)
    guard Set(relationships).count == relationships.count else {
      throw .mapping(
        "\(table.entity): two arrays give the same relationship, and the second would replace the "
          + "first")
    }
    return EntityMapper(
      table, defaults: defaults, constants: try constants(of: mapping, table),
      match: try match(of: mapping, table), sources: sources, objects: objects, arrays: arrays,
      linkages: linkages, columns: columns, pathCount: objectPaths.count, deletion: deletion)
  }

  /// Returns the values that every record has, by column.
  private func constants(
    of mapping: MappingDefinition, _ table: Table
  ) throws(ImportError) -> [Int: Cell] {
    var constants: [Int: Cell] = [:]
    for constant in mapping.constants {
      let column = try constant.attribute.column(of: table)
      guard column != Table.keyColumn else {
        throw .mapping("\(table.entity): one value cannot be the key of every record")
      }
      do throws(ValueError) { constants[column] = try constant.cell() } catch {
        throw .mapping("\(table.entity).\(table.columns[column].name): \(error.message)")
      }
    }
    return constants
  }

  /// Returns the column by which a row that was made here is found.
  private func match(
    of mapping: MappingDefinition, _ table: Table
  ) throws(ImportError) -> Int? {
    guard let match = mapping.match else { return nil }
    let column = try match.column(of: table)
    guard table.isUnique(column) else {
      throw .mapping(
        "\(table.entity).\(table.columns[column].name) is not unique, so it finds no single row; "
          + "declare it as unique in the schema")
    }
    return column
  }

  private mutating func linkage(
    _ definition: LinksDefinition, of table: Table, at objectPaths: [JSONPath]
  ) throws(ImportError) -> EntityMapper.Linkage {
    guard let links = definition.links(model) else {
      throw .mapping("no schema of this stack lists the relationship at \"\(definition.key)\"")
    }
    var slots: [Int] = []
    for path in try inside(objectPaths, [definition.key], table) {
      slots.append(slot(path, .json, isRequired: false, false))
    }
    let plan: JSONPlan
    let kind =
      definition.allowsNumberInString ? definition.kind.takingNumbers : definition.kind
    do throws(JSONPlanError) {
      plan =
        try definition.member.map { member throws(JSONPlanError) in
          try JSONPlan([
            JSONColumn(
              try JSONPath(member), kind, isRequired: true,
              allowsNumberInString: definition.allowsNumberInString)
          ])
        }
        ?? JSONPlan(
          value: kind, allowsNumberInString: definition.allowsNumberInString)
    } catch {
      throw .mapping("\(table.entity), keys at \"\(definition.key)\": \(error)")
    }
    return EntityMapper.Linkage(
      member: ArrayMember(slots: slots, plan: plan), convert: definition.convert,
      links: links)
  }

  /// Resolves the tombstone. Runs after the fields, so that both can read one slot.
  private mutating func deletion(
    _ tombstones: [(key: String, sign: TombstoneSign)], of table: Table, at objectPaths: [JSONPath]
  ) throws(ImportError) -> DeletionRule? {
    guard let tombstone = tombstones.first else { return nil }
    let paths = try inside(objectPaths, [tombstone.key], table)
    guard tombstones.count == 1, paths.count == 1 else {
      throw .mapping("\(table.entity): one member at one path can say that a record is gone")
    }
    if tombstone.sign == .isThere, let slot = columns.firstIndex(where: { $0.path == paths[0] }) {
      return .when(slot: slot, tombstone.sign)
    }
    let slot = slot(paths[0], tombstone.sign.kind, isRequired: false, false)
    return .when(slot: slot, tombstone.sign)
  }

  // MARK: Parts

  private mutating func source(
    _ field: FieldDefinition, _ column: Int, of table: Table, at objectPaths: [JSONPath],
    isRoot: Bool,
    isScanned: Bool
  ) throws(ImportError) -> ColumnSource {
    let isKey = column == Table.keyColumn
    guard field.positionKey == nil || (isKey && isRoot) else {
      throw .mapping("\(table.entity).\(table.columns[column].name): only a key can be a position")
    }
    guard field.unknown == nil || !isKey else {
      throw .mapping(
        "\(table.entity).\(table.columns[column].name): all values that cannot be read would be one "
          + "key, so a key has no `unknown(as:)`")
    }
    guard
      field.separator.map({ !$0.isEmpty && !field.keys.isEmpty && objectPaths.count == 1 }) != false
    else {
      throw .mapping(
        "\(table.entity).\(table.columns[column].name): a value is joined from members of one object, "
          + "with a separator between them")
    }
    let isRequired =
      field.isRequired || field.separator != nil || (isKey && field.positionKey == nil)
    var paths = try inside(objectPaths, field.keys, table)
    if field.readsRecord { paths += objectPaths }
    if field.readsName {
      guard isRoot else {
        throw .mapping(
          "\(table.entity).\(table.columns[column].name): a nested object has no member's name; only a "
            + "record and an element of an array have one")
      }
      paths.append(JSONPath([.memberName]))
    }
    let isChecked =
      isScanned && !field.readsName && (paths.count == 1 || field.separator != nil)
    let takesAny = field.unknown != nil
    var found: [Int] = []
    for path in paths {
      // A name is a text, whatever it stands for. If an earlier key has the value, any name will do.
      let isName = path.steps == [.memberName]
      let takesNumbers = field.allowsNumberInString || isName
      found.append(
        slot(
          path, takesNumbers ? field.kind.takingNumbers : field.kind,
          isRequired: isRequired && isChecked, takesNumbers, takesAny: takesAny || isName))
    }
    let fallback: Cell?
    do throws(ValueError) { fallback = try field.fallback?() } catch {
      throw .mapping("\(table.entity).\(table.columns[column].name): \(error.message)")
    }
    return ColumnSource(
      field, slots: found, fallback: fallback, isRequired: isRequired && !isChecked)
  }

  private mutating func elements(
    _ keys: [String], _ mapping: MappingDefinition, _ membership: MappingDefinition.Membership,
    of table: Table, at objectPaths: [JSONPath]
  ) throws(ImportError) -> EntityMapper.Elements {
    var inner = MappingResolver(model, inside: around)
    let mapper = try inner.entity(mapping, at: [JSONPath([])], isRoot: true)
    if mapper.hasPositionKey {
      throw .mapping(
        "\(mapper.table.entity) is inside of an array of \(table.entity), where positions begin "
          + "again with every record: they are no keys")
    }
    var slots: [Int] = []
    for path in try inside(objectPaths, keys, table) {
      slots.append(slot(path, .json, isRequired: false, false))
    }
    let (column, links) = try self.membership(membership, of: mapper.table, keys, in: table)
    return EntityMapper.Elements(
      member: ArrayMember(slots: slots, plan: try inner.plan(of: mapper.table)), mapper: mapper,
      column: column, links: links)
  }

  /// Returns the elements' column that refers to the record, and the links that the array replaces.
  private func membership(
    _ membership: MappingDefinition.Membership, of elements: Table, _ keys: [String],
    in table: Table
  ) throws(ImportError) -> (column: Int?, links: ImportLinks?) {
    let column = try membership.column(of: elements, in: model)
    switch membership {
    case .reference: return (column, nil)
    case .relationship(let deletesOthers, let find):
      guard let links = find(model) else {
        throw .mapping("no schema of this stack lists the relationship at \(keys)")
      }
      if let column, !deletesOthers, !elements.columns[column].isOptional {
        throw .mapping(
          "\(elements.entity).\(elements.columns[column].name) is required: what \(keys) of "
            + "\(table.entity) does not have is deleted (`deletingOthers`), or stays (an array "
            + "that is declared by the reference)")
      }
      return (column, links)
    }
  }

  /// Returns the paths of keys inside objects, ordered by key, then by object.
  private func inside(
    _ objectPaths: [JSONPath], _ keys: [String], _ table: Table
  ) throws(ImportError) -> [JSONPath] {
    var paths: [JSONPath] = []
    for key in keys {
      let path = try table.path(of: key)
      for object in objectPaths { paths.append(JSONPath(object.steps + path.steps)) }
    }
    return paths
  }

  /// Returns the slot of a path. Two requests for one path that read it in the same way get one slot.
  private mutating func slot(
    _ path: JSONPath, _ kind: JSONColumn.Kind, isRequired: Bool, _ allowsNumberInString: Bool,
    takesAny: Bool = false
  ) -> Int {
    let name = SlotName(
      path: path, kind: kind, allowsNumberInString: allowsNumberInString, takesAny: takesAny)
    if let known = slots[name] {
      columns[known].isRequired = columns[known].isRequired || isRequired
      return known
    }
    slots[name] = columns.count
    columns.append(
      JSONColumn(
        path, kind, isRequired: isRequired, allowsNumberInString: allowsNumberInString,
        takesAny: takesAny))
    return columns.count - 1
  }
}

extension Model {
  /// Returns the table of an entity, and the defaults of a new entity.
  func mappingTarget(
    _ type: any Entity.Type
  ) throws(ImportError) -> (table: Table, defaults: NewEntity) {
    let target: (table: Table, defaults: NewEntity)?
    do throws(StoreError) { target = try importTarget(type) } catch { throw .store(error) }
    guard let target else { throw .mapping("\(type) is not in this stack") }
    return target
  }
}

extension Table {
  /// Returns the path that a key of a mapping names.
  func path(of key: String) throws(ImportError) -> JSONPath {
    do throws(JSONPlanError) { return try JSONPath(key) } catch {
      throw .mapping("\(entity), key \"\(key)\": \(error)")
    }
  }
}

// MARK: - Convention

extension MappingResolver {
  /// Returns the parts that the schema of a table suggests.
  fileprivate func convention(_ table: Table) -> [MappingDefinition.Part] {
    var parts: [MappingDefinition.Part] = []
    var names: Set<String> = []
    for (index, column) in table.columns.enumerated() {
      guard let type = column.valueType else { continue }
      let keys = MappingNames.variants(of: column.name)
      names.formUnion(keys)
      var field = Self.field(type, .column(index), keys)
      // The feed's own records are members; those of arrays inside have resolvers of their own.
      field.readsName = index == Table.keyColumn && recordsAreMembers && around.count == 1
      parts.append(.field(field))
    }
    for (column, target) in model.references(of: table) where !isAround(target) {
      guard let name = MappingNames.target(ofReference: table.columns[column].name) else {
        continue
      }
      let keys = MappingNames.variants(of: name)
      if names.isDisjoint(with: keys) {
        names.formUnion(keys)
        parts.append(.object(.column(column), keys: keys, Self.automatic(target)))
      }
    }
    let referrers = model.referrers(to: table)
    for (entity, other, column) in referrers where !isAround(entity) {
      let keys = MappingNames.variants(of: other.name)
      if referrers.count(where: { $0.table === other }) == 1, names.isDisjoint(with: keys) {
        names.formUnion(keys)
        parts.append(.array(keys: keys, Self.automatic(entity), .reference(.column(column))))
      }
    }
    return parts
  }

  private func isAround(_ type: any Entity.Type) -> Bool { around.contains(ObjectIdentifier(type)) }

  private static func automatic(_ type: any Entity.Type) -> MappingDefinition {
    MappingDefinition(entity: type, parts: nil)
  }

  private static func field<Value: AttributeValue>(
    _: Value.Type, _ attribute: MappedAttribute, _ keys: [String]
  ) -> FieldDefinition {
    let conversion = Conversion<Value>.automatic
    return FieldDefinition(
      attribute: attribute, keys: keys, kind: conversion.kind, convert: conversion.convert)
  }
}
