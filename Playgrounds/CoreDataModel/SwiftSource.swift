/// The Strata entities of a Core Data model, as Swift source.
struct SwiftSource {
  private var lines: [String] = []

  static func text(of model: DataModel, named name: String) -> String {
    var source = SwiftSource()
    let plan = ModelPlan(model)
    source.note("The entities of \(name). A note marks each part that could not be carried over.")
    source.lines += ["", "import Foundation", "import Strata"]
    for entity in plan.entities { source.add(entity, in: plan) }
    var rest = plan.flattened.map {
      "\($0.name) was abstract, and nothing referred to it: its attributes are in "
        + $0.children.joined(separator: " and ") + "."
    }
    rest += model.composites.map {
      let parts = $0.attributes.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
      return "The composite \($0.name) was \(parts)."
    }
    rest += model.fetchRequests.map {
      "The fetch request \($0.name) was \($0.rows): write a query."
    }
    rest += model.configurations.map {
      "The configuration \($0.name) was \($0.entities.joined(separator: " and ")): a stack of these "
        + "alone is a file of their own, to which nothing in another one refers."
    }
    if !rest.isEmpty { source.lines.append("") }
    for text in rest { source.note(text) }
    return source.lines.joined(separator: "\n") + "\n"
  }

  /// Adds a comment in lines of at most 100 columns.
  private mutating func note(_ text: String, indentation: String = "") {
    var line = indentation + "//"
    for word in text.split(whereSeparator: \.isWhitespace) {
      if line.count + word.count >= 100, line.count > indentation.count + 2 {
        lines.append(line)
        line = indentation + "//"
      }
      line += " " + word
    }
    lines.append(line)
  }

  private mutating func add(_ entity: EntityPlan, in plan: ModelPlan) {
    lines.append("")
    addNotes(of: entity)
    lines.append("struct \(entity.name): Entity {")
    if !entity.kinds.isEmpty {
      let cases = entity.kinds.map { SwiftNames.enumCase($0.name) }.joined(separator: ", ")
      lines += ["  enum Kind: String, AttributeValue { case \(cases) }", ""]
    }
    var elements: [String] = []
    if let key = entity.key {
      addKey(key, constraints: entity.constraints)
    } else {
      lines.append("  var id = Key<\(entity.name)>()")
    }
    if let first = entity.kinds.first(where: { $0.name == entity.root.name }) ?? entity.kinds.first
    {
      lines.append("  var \(entity.kindProperty) = Kind.\(SwiftNames.enumCase(first.name))")
      elements.append("Attribute(\\.\(entity.kindProperty))")
    }
    let (indexed, compound, indexNotes) = entity.indexedProperties(in: plan)
    for attribute in entity.attributes where attribute != entity.key {
      let source = AttributeSource(
        attribute, name: entity.property(attribute), isKey: false,
        isIndexed: attribute.isIndexed || indexed.contains(attribute.name),
        isUnique: entity.constraints.contains([attribute.name]))
      add(source.property, notes: source.notes)
      if let element = source.element { elements.append(element) }
    }
    let relationships = entity.relationships.map {
      RelationshipSource($0, of: entity, in: plan)
    }
    for source in relationships {
      for property in source.properties { lines.append("  " + property) }
    }
    lines.append("")
    if let key = entity.key, key.name != "id" {
      let type = ValueKind(key)?.rawValue ?? ""
      lines += ["  var id: \(type) { \(SwiftNames.property(key.name)) }", ""]
    }
    for source in relationships {
      add(source.member, notes: source.notes)
      if source.member != nil { elements += source.elements }
    }
    for (name, latitude, longitude) in entity.places {
      lines.append("  static let \(name) = spatial(\\.\(latitude), \\.\(longitude))")
      elements.append(name)
    }
    let (unique, uniqueNotes) = entity.compoundConstraints(in: plan)
    elements += unique + compound
    for text in indexNotes + uniqueNotes { note(text, indentation: "  ") }
    let key = SwiftNames.property(entity.key?.name ?? "id")
    let table = SwiftNames.literal(SwiftNames.table(entity.root.name))
    let parts = ("  static let schema = Schema<\(entity.name)>(", "\(table), key: \\.\(key))")
    let end = elements.isEmpty ? " {}" : " {"
    if parts.0.count + parts.1.count + end.count <= 100 {
      lines.append(parts.0 + parts.1 + end)
    } else {
      lines += [parts.0, "    " + parts.1 + end]
    }
    lines += elements.map { "    " + $0 } + (elements.isEmpty ? ["}"] : ["  }", "}"])
  }

  private mutating func addNotes(of entity: EntityPlan) {
    let root = entity.root.name
    if SwiftNames.hides(entity.name) {
      note(
        "\(entity.name) hides what Swift calls so, as the class did: name one of them otherwise.")
    }
    if entity.members.count > 1 {
      let children = entity.members.map(\.name).filter { $0 != root }.joined(separator: " and ")
      note("\(root), with \(children), which inherited from it: they share a table, as they did.")
    }
    for name in entity.clashes {
      note("Two of them had a \(name), and they differed: one is kept.")
    }
    for member in entity.members {
      if let former = member.renamingIdentifier {
        note("\(member.name) was \(former) in an earlier model.")
      }
      for entry in member.userInfo {
        note("User info of \(member.name): \(entry.key) = \(entry.value)")
      }
      for property in member.fetchedProperties {
        note(
          "The fetched property \(property.name) was \(property.rows): write a query.")
        for entry in property.userInfo {
          note("User info of \(property.name): \(entry.key) = \(entry.value)")
        }
      }
    }
  }

  private mutating func addKey(_ key: DataAttribute, constraints: [[String]]) {
    let source = AttributeSource(
      key, name: key.name, isKey: true, isIndexed: false, isUnique: false)
    let isUnique = constraints.contains([key.name])
    add(
      source.property,
      notes: source.notes
        + (isUnique ? [] : ["Core Data let several have one \(key.name): here they are one."]))
  }

  private mutating func add(_ line: String?, notes: [String]) {
    for text in notes { note(text, indentation: "  ") }
    guard let line else { return }
    guard line.count > 98, let start = line.firstIndex(of: "(") else {
      lines.append("  " + line)
      return
    }
    lines += ["  " + line[...start], "    " + line[line.index(after: start)...]]
  }
}

extension DataFetchRequest {
  /// The rows that the request fetches, in words.
  fileprivate var rows: String {
    predicate.isEmpty ? "every \(entity)" : "\(entity) where \(predicate)"
  }
}

extension EntityPlan {
  /// Returns the name of an attribute's property. Only the key is called `id`.
  func property(_ attribute: DataAttribute) -> String {
    attribute.name == "id" ? free("identifier", or: "oldID") : attribute.name
  }

  /// The name of the property that tells the kinds apart.
  fileprivate var kindProperty: String { free("kind", or: "entityKind") }

  /// Returns the attributes with an index of their own, the indexes of several properties, and notes
  /// about all other indexes.
  fileprivate func indexedProperties(
    in plan: ModelPlan
  ) -> (names: Set<String>, elements: [String], notes: [String]) {
    var names: Set<String> = []
    var elements: [String] = []
    var notes: [String] = []
    for index in indexes where !index.elements.isEmpty && place(index) == nil {
      let all = index.elements.map { path($0, in: plan) }
      let paths = all.indices.filter { !all[..<$0].contains(all[$0]) }.map { all[$0] }
      if index.hasExpressions || index.isTree || paths.count > 1 && paths.contains(nil) {
        let list = index.elements.joined(separator: ", ")
        notes.append("The index \(index.name) of \(list) is not carried over.")
      } else if paths.count > 1 {
        let element = "Index(\(list(paths)))"
        if !elements.contains(element) { elements.append(element) }
      } else {
        names.insert(index.elements[0])
      }
    }
    return (names, elements, notes)
  }

  /// Returns paths as arguments.
  private func list(_ paths: [String?]) -> String {
    paths.compactMap { $0 }.map { "\\.\($0)" }.joined(separator: ", ")
  }

  /// Returns the stored property of an attribute or of a relationship; nil if it is not stored here.
  private func path(_ name: String, in plan: ModelPlan) -> String? {
    if let attribute = attributes.first(where: { $0.name == name }) {
      return attribute.isTransient || attribute.derivation != nil || ValueKind(attribute) == nil
        ? nil : SwiftNames.property(attribute == key ? attribute.name : property(attribute))
    }
    return relationships.first {
      $0.name == name && !$0.isToMany
        && stores($0, inverse: plan.inverse(of: $0)?.1, in: plan.home(of: $0.destination) ?? self)
    }.map(reference)
  }

  /// The indexes of places, each of a latitude and a longitude.
  fileprivate var places: [(name: String, latitude: String, longitude: String)] {
    indexes.compactMap { index in
      place(index).map {
        (SwiftNames.relationship(SwiftNames.enumCase(index.name)), $0.latitude, $0.longitude)
      }
    }
  }

  private func place(_ index: DataIndex) -> (latitude: String, longitude: String)? {
    guard index.isTree, index.elements.count == 2 else { return nil }
    let numbers = attributes.filter {
      index.elements.contains($0.name) && ["Double", "Float"].contains($0.type)
    }.map(\.name)
    guard let latitude = numbers.first(where: { $0.lowercased().contains("lat") }),
      let longitude = numbers.first(where: {
        $0.lowercased().contains("lon") || $0.hasSuffix("lng")
      })
    else { return nil }
    return (SwiftNames.property(latitude), SwiftNames.property(longitude))
  }

  /// Returns the uniqueness constraints of several properties or of a relationship, and notes about
  /// constraints that are not carried over.
  fileprivate func compoundConstraints(in plan: ModelPlan) -> (elements: [String], notes: [String])
  {
    var elements: [String] = []
    var notes: [String] = []
    for constraint in constraints {
      let paths = constraint.map { path($0, in: plan) }
      let isAttribute = constraint.count == 1 && attributes.contains { [$0.name] == constraint }
      if paths.contains(nil) {
        notes.append("Unique was \(constraint.joined(separator: ", ")), which is not stored here.")
      } else if !isAttribute, !constraint.isEmpty {
        elements.append("Unique(\(list(paths)))")
      }
    }
    return (elements, notes)
  }
}
