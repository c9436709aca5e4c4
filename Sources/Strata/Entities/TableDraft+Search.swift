extension TableDraft {
  /// The indexes of words and places.
  var search: TableSearch? {
    TableSearch(described, columns: names, weights: attributes.compactMap(\.fullTextWeight))
  }

  /// The description of the table, as far as the indexes of words and places need it.
  private var described: SchemaDescription.Table {
    SchemaDescription.Table(
      name,
      columns: zip(names, attributes).map { name, attribute in
        SchemaDescription.Column(name, attribute.storage, isOptional: attribute.isOptional)
      }, fullText: fullText, spatial: spatial)
  }

  /// Finds the columns of the words and places.
  mutating func resolveSearch() throws(StoreError) {
    try resolveFullText()
    for element in definition.elements {
      guard case .spatial(let place) = element.content else { continue }
      spatial.append(try resolve(place))
    }
    if Set(spatial).count < spatial.count {
      throw .schema("\(entity) lists a place twice", entity: entity)
    }
    if (fullText != nil || !spatial.isEmpty) && described.rowIDName == nil {
      throw .schema(
        "\(entity) has attributes named rowid, _rowid_ and oid: an index of words or places needs "
          + "one of these names", entity: entity)
    }
  }

  private mutating func resolveFullText() throws(StoreError) {
    var rules: FullTextRules?
    for element in definition.elements {
      guard case .fullText(let given, let source) = element.content else { continue }
      if rules != nil {
        throw .schema("\(source): \(entity) lists FullText twice", entity: entity)
      }
      rules = given
      if !given.prefixes.allSatisfy((1...999).contains) || given.prefixes.count > 31 {
        throw .schema(
          "\(source): the prefixes of \(entity) must be 31 lengths of 1 to 999 characters at most",
          entity: entity)
      }
      if given.tokenizer.option.utf8.contains(0) {
        throw .schema("\(source): the tokenizer of \(entity) has a NUL", entity: entity)
      }
    }
    var columns: [String] = []
    for (name, attribute) in zip(names, attributes) {
      guard let weight = attribute.fullTextWeight else { continue }
      if attribute.storage != .text {
        throw .schema(
          "\(entity).\(name) is not stored as text and cannot be searched for words",
          entity: entity, attribute: name)
      }
      if !(weight > 0 && weight.isFinite) {
        throw .schema(
          "\(entity).\(name) has the weight \(weight); it must be more than 0", entity: entity,
          attribute: name)
      }
      if name.isSameName(as: "rank") || name.isSameName(as: "rowid") {
        throw .schema(
          "\(entity).\(name) cannot be searched for words under this name, which SQLite's index "
            + "uses itself: name the column, Attribute(\\.\(name), \"…\")",
          entity: entity, attribute: name)
      }
      columns.append(name)
    }
    if columns.isEmpty {
      if rules == nil { return }
      throw .schema(
        "\(entity) lists FullText, but no attribute is .fullText()", entity: entity)
    }
    let used = rules ?? FullTextRules()
    fullText = SchemaDescription.FullText(
      columns, tokenizer: used.tokenizer.option, prefixes: used.prefixes)
  }

  private func resolve(
    _ place: SpatialDefinition
  ) throws(StoreError) -> SchemaDescription.Spatial {
    var columns: [String] = []
    for path in [place.latitude, place.longitude] {
      guard let column = column(for: path) else {
        throw .schema(
          "\(place.source): a place of \(entity) names something that is no attribute",
          entity: entity)
      }
      if attributes[column].storage != .real {
        throw .schema(
          "\(place.source): \(entity).\(names[column]) is not stored as REAL and cannot be degrees",
          entity: entity, attribute: names[column])
      }
      columns.append(names[column])
    }
    return SchemaDescription.Spatial(latitude: columns[0], longitude: columns[1])
  }
}
