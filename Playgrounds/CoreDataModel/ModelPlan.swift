/// Which Strata entity keeps what of a model.
///
/// Strata has no inheritance. An abstract entity that nothing refers to is only a list of
/// attributes: its children get them. Any other parent is one entity with its children, and a kind
/// that tells them apart, as in Core Data's own tables: relationships to the parent and fetches of
/// it stay what they were.
struct ModelPlan {
  private(set) var entities: [EntityPlan] = []
  /// Abstract entities whose attributes went to their children.
  private(set) var flattened: [(name: String, children: [String])] = []
  private let byName: [String: DataEntity]
  private var homes: [String: String] = [:]

  init(_ model: DataModel) {
    byName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
    let targets = Set(model.entities.flatMap(\.relationships).map(\.destination))
    let parents = Set(model.entities.compactMap(\.parent))
    func isShared(_ entity: DataEntity) -> Bool {
      parents.contains(entity.name) && (!entity.isAbstract || targets.contains(entity.name))
    }
    for entity in model.entities {
      let line = lineage(of: entity)
      if let root = line.first(where: isShared) {
        homes[entity.name] = root.name
      } else if entity.isAbstract, parents.contains(entity.name) {
        let children = model.entities.filter { $0.parent == entity.name }.map(\.name)
        flattened.append((entity.name, children))
      } else {
        homes[entity.name] = entity.name
      }
    }
    for entity in model.entities where homes[entity.name] == entity.name {
      entities.append(
        EntityPlan(
          root: entity, ancestors: lineage(of: entity).dropLast(),
          members: model.entities.filter { homes[$0.name] == entity.name }))
    }
  }

  /// The entity that keeps the rows of `entity`; nil for what is not in the model.
  func home(of entity: String) -> EntityPlan? {
    homes[entity].flatMap { home in entities.first { $0.root.name == home } }
  }

  /// The inverse of a relationship, with the entity that keeps it; one that was transient is none.
  func inverse(of relationship: DataRelationship) -> (EntityPlan, DataRelationship)? {
    guard let name = relationship.inverse, let home = home(of: relationship.destination),
      let destination = byName[relationship.destination]
    else { return nil }
    return lineage(of: destination).lazy.flatMap(\.relationships)
      .first { $0.name == name && !$0.isTransient }
      .map { (home, $0) }
  }

  /// The entity behind its ancestors, the topmost first; a parent that is not there, or its own
  /// child, ends the line.
  private func lineage(of entity: DataEntity) -> [DataEntity] {
    var line = [entity]
    while let parent = line[0].parent.flatMap({ byName[$0] }),
      !line.contains(where: { $0.name == parent.name })
    {
      line.insert(parent, at: 0)
    }
    return line
  }
}

/// A Strata entity: the Core Data entities whose rows it keeps.
struct EntityPlan {
  /// The entity that gives its name.
  let root: DataEntity
  /// The root and those below it that are kept with it, in the order of the model.
  let members: [DataEntity]
  let attributes: [DataAttribute]
  let relationships: [DataRelationship]
  /// Properties of the same name that two members have and that differ: only the first one is kept.
  let clashes: [String]
  let key: DataAttribute?
  /// The constraints of ancestors whose attributes are here.
  private let inherited: [[String]]

  init(root: DataEntity, ancestors: some Sequence<DataEntity>, members: [DataEntity]) {
    self.root = root
    self.members = members
    var attributes: [DataAttribute] = []
    var relationships: [DataRelationship] = []
    var clashes: [String] = []
    for entity in Array(ancestors) + [root] + members.filter({ $0.name != root.name }) {
      // What only some of the kinds have is nil in the others.
      let isOwn = !members.contains { $0.name == entity.name } || entity.name == root.name
      for var attribute in entity.attributes {
        if !isOwn { attribute.isOptional = true }
        if !isOwn { attribute.isScalar = false }
        if let known = attributes.first(where: { $0.name == attribute.name }) {
          if known.type != attribute.type { clashes.append(attribute.name) }
        } else {
          attributes.append(attribute)
        }
      }
      for var relationship in entity.relationships {
        if !isOwn { relationship.isOptional = true }
        if let known = relationships.first(where: { $0.name == relationship.name }) {
          if known.destination != relationship.destination { clashes.append(relationship.name) }
        } else {
          relationships.append(relationship)
        }
      }
    }
    inherited = ancestors.flatMap(\.uniquenessConstraints)
    self.attributes = attributes
    self.relationships = relationships
    self.clashes = clashes
    key = Self.key(
      attributes, constraints: (Array(ancestors) + [root]).flatMap(\.uniquenessConstraints))
  }

  var name: String { SwiftNames.type(root.name) }
  /// The kinds that rows have; none where there is only one.
  var kinds: [DataEntity] {
    let kinds = members.filter { !$0.isAbstract }
    return kinds.count > 1 ? kinds : []
  }
  var constraints: [[String]] { inherited + members.flatMap(\.uniquenessConstraints) }
  var indexes: [DataIndex] { members.flatMap(\.indexes) }

  /// What identifies a row in the model: a property `id`, or a required attribute that is unique by
  /// itself.
  private static func key(
    _ attributes: [DataAttribute], constraints: [[String]]
  ) -> DataAttribute? {
    let usable = attributes.filter {
      ["UUID", "String", "Integer 16", "Integer 32", "Integer 64"].contains($0.type)
        && !$0.isTransient && $0.derivation == nil
    }
    if let id = usable.first(where: { $0.name == "id" }) { return id }
    // A property `id` of another kind leaves no room for a computed one.
    return usable.first { !$0.isOptional && constraints.contains([$0.name]) }
  }
}
