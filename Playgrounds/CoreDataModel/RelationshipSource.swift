/// A relationship as Swift source.
///
/// Core Data stores both ends of a relationship, each with the delete rule for its own deletion.
/// Strata stores one end: a key, or the links of a many-to-many relationship. The delete rule
/// belongs to the stored reference, so it is the rule of the inverse.
struct RelationshipSource {
  private(set) var properties: [String] = []
  private(set) var member: String?
  /// The elements of the schema, by name.
  private(set) var elements: [String] = []
  private(set) var notes: [String] = []

  init(_ relationship: DataRelationship, of entity: EntityPlan, in plan: ModelPlan) {
    let name = relationship.name
    if let former = relationship.renamingIdentifier {
      notes.append("\(name) was \(former) in an earlier model.")
    }
    notes += relationship.userInfo.map { "User info of \(name): \($0.key) = \($0.value)" }
    guard !relationship.isTransient, let target = plan.home(of: relationship.destination) else {
      notes.append(
        relationship.isTransient
          ? "\(name) was transient: compute it."
          : "\(name) led to \(relationship.destination), which this model does not have.")
      return
    }
    if target.root.name != relationship.destination, !target.kinds.isEmpty {
      notes.append(
        "\(name): only those of the kind \(SwiftNames.enumCase(relationship.destination)).")
    }
    let label = SwiftNames.relationship(name)
    let inverse = plan.inverse(of: relationship)?.1
    if relationship.isToMany {
      addMany(relationship, label, of: entity, to: target, inverse, in: plan)
    } else if entity.stores(relationship, inverse: inverse, in: target) {
      addReference(relationship, label, of: entity, to: target, inverse)
    } else if let inverse {
      notes.append("\(name) has one element at most.")
      let key = target.reference(inverse)
      member = "static let \(label) = toMany(\\\(target.name).\(key))"
    }
    elements.append(label)
  }

  private mutating func addReference(
    _ relationship: DataRelationship, _ label: String, of entity: EntityPlan, to target: EntityPlan,
    _ inverse: DataRelationship?
  ) {
    let key = entity.reference(relationship)
    let rule = inverse?.deleteRule ?? .nullify
    var onDelete =
      rule == .cascade ? ", onDelete: .cascade" : rule == .deny ? ", onDelete: .deny" : ""
    if relationship.isOptional {
      properties.append("var \(key): \(target.name).ID?")
    } else {
      properties.append("var \(key): \(target.name).ID = \(target.anyKey)")
      if onDelete == "" {
        onDelete = ", onDelete: .deny"
        notes.append("\(relationship.name) is required: it cannot be deleted before this.")
      }
    }
    if relationship.deleteRule == .cascade {
      notes.append("Core Data deleted \(relationship.name) with this: delete it yourself.")
    } else if relationship.deleteRule == .deny {
      notes.append("Core Data kept this from being deleted while it had \(relationship.name).")
    }
    member = "static let \(label) = toOne(\\.\(key), \(target.name).self\(onDelete))"
    if let inverse, inverse.isToMany, inverse.isOrdered {
      let position = entity.position(relationship)
      properties.append("var \(position) = 0.0")
      elements.append("Attribute(\\.\(position))")
    }
    if let inverse, !inverse.isToMany, inverse != relationship {
      elements.append("Unique(\\.\(key))")
    }
  }

  private mutating func addMany(
    _ relationship: DataRelationship, _ label: String, of entity: EntityPlan, to target: EntityPlan,
    _ inverse: DataRelationship?, in plan: ModelPlan
  ) {
    if let inverse, !inverse.isToMany {
      let order =
        relationship.isOrdered ? ", orderedBy: \\\(target.name).\(target.position(inverse))" : ""
      member = "static let \(label) = toMany(\\\(target.name).\(target.reference(inverse))\(order))"
      return
    }
    if relationship.deleteRule == .cascade || relationship.deleteRule == .deny {
      notes.append(
        "The rule of \(relationship.name) was \(relationship.deleteRule.rawValue): here links go with "
          + "either end, and nothing else does.")
    }
    if let inverse, !entity.declares(relationship, inverse: inverse, in: target) {
      if relationship.isOrdered {
        notes.append("\(relationship.name) had an order, too: one end can have one.")
      }
      let other = SwiftNames.relationship(inverse.name)
      member = "static let \(label) = manyToMany(inverseOf: \\\(target.name).Type.\(other))"
      return
    }
    if inverse == relationship, target.name == entity.name {
      notes.append("\(relationship.name) was its own inverse: link both ways.")
    }
    let siblings = entity.relationships.filter {
      $0.isToMany && plan.home(of: $0.destination)?.name == target.name
        && plan.inverse(of: $0)?.1.isToMany != false
    }
    let distinction = siblings.count > 1 ? ", \(SwiftNames.literal(relationship.name))" : ""
    let order = relationship.isOrdered ? ", ordered: true" : ""
    member = "static let \(label) = manyToMany(\(target.name).self\(distinction)\(order))"
  }
}

extension EntityPlan {
  /// Returns the name of the property with the key of a to-one relationship.
  func reference(_ relationship: DataRelationship) -> String {
    free(relationship.name + "ID", or: relationship.name + "Key")
  }

  /// Returns the name of the property that orders the other end of a to-one relationship.
  func position(_ relationship: DataRelationship) -> String {
    free(relationship.name + "Position", or: relationship.name + "Order")
  }

  func free(_ name: String, or other: String) -> String {
    attributes.contains { $0.name == name } ? other : name
  }

  /// Returns whether this end of a to-one relationship has the key.
  ///
  /// Of two to-one ends, the end that is deleted with the other has it, else the required end, else
  /// the first by name.
  func stores(
    _ relationship: DataRelationship, inverse: DataRelationship?, in target: EntityPlan
  ) -> Bool {
    guard let inverse, !inverse.isToMany, inverse != relationship || target.name != name else {
      return true
    }
    let (mine, theirs) = (relationship.deleteRule == .cascade, inverse.deleteRule == .cascade)
    if mine != theirs { return theirs }
    if relationship.isOptional != inverse.isOptional { return !relationship.isOptional }
    return (name, relationship.name) < (target.name, inverse.name)
  }

  /// Returns whether this end declares a many-to-many relationship.
  ///
  /// The end with an order declares it, else the first by name.
  func declares(
    _ relationship: DataRelationship, inverse: DataRelationship, in target: EntityPlan
  ) -> Bool {
    if relationship.isOrdered != inverse.isOrdered { return relationship.isOrdered }
    return (name, relationship.name) <= (target.name, inverse.name)
  }

  /// The literal of a key that no entity has, for a new entity that requires a reference.
  var anyKey: String {
    switch key?.type {
    case "String": "\"\""
    case "Integer 16", "Integer 32", "Integer 64": "0"
    default: "\(name).ID()"
    }
  }
}
