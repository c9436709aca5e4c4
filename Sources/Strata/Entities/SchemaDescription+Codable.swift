internal import Foundation

// Decoding gives an absent member its default. Encoding leaves out a member with its default.

extension SchemaDescription: Codable {
  private enum CodingKeys: CodingKey { case version, tables }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    version = try values.decode(Int.self, forKey: .version)
    tables = try values.decode([Table].self, forKey: .tables)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(version, forKey: .version)
    try values.encode(tables, forKey: .tables)
  }
}

extension SchemaDescription.Table: Codable {
  private enum CodingKeys: CodingKey {
    case name, entity, key, columns, uniques, compoundIndexes, formerNames, fullText, spatial
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let name = try values.decode(String.self, forKey: .name)
    self.name = name
    entity = try values.decodeIfPresent(String.self, forKey: .entity) ?? name
    key = try values.decode(String.self, forKey: .key)
    columns = try values.decode([SchemaDescription.Column].self, forKey: .columns)
    uniques = try values.decodeIfPresent([[String]].self, forKey: .uniques) ?? []
    compoundIndexes =
      try values.decodeIfPresent([[String]].self, forKey: .compoundIndexes) ?? []
    formerNames = try values.decodeIfPresent([String].self, forKey: .formerNames) ?? []
    fullText = try values.decodeIfPresent(SchemaDescription.FullText.self, forKey: .fullText)
    spatial =
      try values.decodeIfPresent([SchemaDescription.Spatial].self, forKey: .spatial) ?? []
    if let missing = missingColumn {
      throw DecodingError.dataCorruptedError(
        forKey: .columns, in: values,
        debugDescription: "table \(self.name) has no column \(missing)")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(entity, forKey: .entity)
    try values.encode(key, forKey: .key)
    try values.encode(columns, forKey: .columns)
    if !uniques.isEmpty { try values.encode(uniques, forKey: .uniques) }
    if !compoundIndexes.isEmpty { try values.encode(compoundIndexes, forKey: .compoundIndexes) }
    if !formerNames.isEmpty { try values.encode(formerNames, forKey: .formerNames) }
    try values.encodeIfPresent(fullText, forKey: .fullText)
    if !spatial.isEmpty { try values.encode(spatial, forKey: .spatial) }
  }
}

extension SchemaDescription.FullText: Codable {
  private enum CodingKeys: CodingKey { case columns, tokenizer, prefixes }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try values.decode([String].self, forKey: .columns),
      tokenizer: try values.decode(String.self, forKey: .tokenizer),
      prefixes: try values.decodeIfPresent([Int].self, forKey: .prefixes) ?? [])
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(columns, forKey: .columns)
    try values.encode(tokenizer, forKey: .tokenizer)
    if !prefixes.isEmpty { try values.encode(prefixes, forKey: .prefixes) }
  }
}

extension SchemaDescription.Spatial: Codable {
  private enum CodingKeys: CodingKey { case latitude, longitude }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      latitude: try values.decode(String.self, forKey: .latitude),
      longitude: try values.decode(String.self, forKey: .longitude))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(latitude, forKey: .latitude)
    try values.encode(longitude, forKey: .longitude)
  }
}

extension SchemaDescription.Column: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, storage, isOptional, isIndexed, target, formerNames, example
    case valueType = "value"
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try values.decode(String.self, forKey: .name),
      try values.decode(StorageType.self, forKey: .storage),
      isOptional: try values.decodeIfPresent(Bool.self, forKey: .isOptional) ?? false,
      isIndexed: try values.decodeIfPresent(Bool.self, forKey: .isIndexed) ?? false,
      target: try values.decodeIfPresent(String.self, forKey: .target),
      valueType: try values.decodeIfPresent(String.self, forKey: .valueType),
      formerNames: try values.decodeIfPresent([String].self, forKey: .formerNames) ?? [],
      example: try values.decodeIfPresent(CellExample.self, forKey: .example)?.cell)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(storage, forKey: .storage)
    try values.encode(valueType, forKey: .valueType)
    if isOptional { try values.encode(true, forKey: .isOptional) }
    if isIndexed { try values.encode(true, forKey: .isIndexed) }
    try values.encodeIfPresent(target, forKey: .target)
    if !formerNames.isEmpty { try values.encode(formerNames, forKey: .formerNames) }
    try values.encodeIfPresent(example.map(CellExample.init), forKey: .example)
  }
}

/// A cell in JSON, such as `{"text":"jazz"}`.
///
/// Reals are kept as text, because JSON has no infinity.
private struct CellExample: Codable {
  var integer: Int64?
  var real: String?
  var text: String?
  var blob: Data?

  init(_ cell: Cell) {
    switch cell {
    case .null: break
    case .integer(let value): integer = value
    case .real(let value): real = "\(value)"
    case .text(let value): text = value
    case .blob(let value): blob = value
    }
  }

  var cell: Cell {
    if let integer { return .integer(integer) }
    if let value = real.flatMap(Double.init) { return .real(value) }
    if let text { return .text(text) }
    if let blob { return .blob(blob) }
    return .null
  }
}
