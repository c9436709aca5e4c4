/// The Strata entities that keep the entities of a model.
///
/// Strata has no inheritance. An abstract entity to which no relationship leads is only a list of
/// attributes, and its children get them. Any other parent becomes one entity with its children, as
/// in Core Data's own tables, and a kind tells them apart. So relationships to the parent and
/// fetches of it stay the same.
struct ModelPlan {
  private(set) var entities: [EntityPlan] = []
  /// The abstract entities whose attributes went to their children.
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

  /// Returns the entity that keeps the rows of `entity`.
  ///
  /// The result is nil for an entity that is not in the model, or that is only a list of
  /// attributes.
  func home(of entity: String) -> EntityPlan? {
    homes[entity].flatMap { home in entities.first { $0.root.name == home } }
  }

  /// Returns the inverse of a relationship with the entity that keeps it. A transient inverse is
  /// ignored.
  func inverse(of relationship: DataRelationship) -> (EntityPlan, DataRelationship)? {
    guard let name = relationship.inverse, let home = home(of: relationship.destination),
      let destination = byName[relationship.destination]
    else { return nil }
    return lineage(of: destination).lazy.flatMap(\.relationships)
      .first { $0.name == name && !$0.isTransient }
      .map { (home, $0) }
  }

  /// Returns an entity behind its ancestors, the topmost first.
  ///
  /// The line ends at a parent that does not exist, or that is in the line already.
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

/// A Strata entity with the Core Data entities whose rows it keeps.
struct EntityPlan {
  /// The Core Data entity that gives the name.
  let root: DataEntity
  /// The root and its descendants in this entity, in the order of the model.
  let members: [DataEntity]
  let attributes: [DataAttribute]
  let relationships: [DataRelationship]
  /// The names of properties with another type or destination in another member.
  ///
  /// Only the first property is kept.
  let clashes: [String]
  let key: DataAttribute?
  /// The uniqueness constraints of the ancestors whose attributes are in this entity.
  private let inherited: [[String]]

  init(root: DataEntity, ancestors: some Sequence<DataEntity>, members: [DataEntity]) {
    self.root = root
    self.members = members
    var attributes: [DataAttribute] = []
    var relationships: [DataRelationship] = []
    var clashes: [String] = []
    for entity in Array(ancestors) + [root] + members.filter({ $0.name != root.name }) {
      // An attribute of some of the kinds is nil in the rows of all other kinds.
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
  /// The kinds of the rows; empty if there is only one kind.
  var kinds: [DataEntity] {
    let kinds = members.filter { !$0.isAbstract }
    return kinds.count > 1 ? kinds : []
  }
  var constraints: [[String]] { inherited + members.flatMap(\.uniquenessConstraints) }
  var indexes: [DataIndex] { members.flatMap(\.indexes) }

  /// Returns the attribute that identifies a row: a property `id`, or a required attribute that is
  /// unique by itself.
  private static func key(
    _ attributes: [DataAttribute], constraints: [[String]]
  ) -> DataAttribute? {
    let usable = attributes.filter {
      ["UUID", "String", "Integer 16", "Integer 32", "Integer 64"].contains($0.type)
        && !$0.isTransient && $0.derivation == nil
    }
    if let id = usable.first(where: { $0.name == "id" }) { return id }
    // A property `id` of another type cannot be the key. Its property gets another name.
    return usable.first { !$0.isOptional && constraints.contains([$0.name]) }
  }
}
