// Declarations that a schema cannot have. The compiler shows their messages.

extension Attribute {
  @available(*, unavailable, message: "an attribute is a stored 'var' of the entity")
  @_disfavoredOverload
  public init(_ path: any KeyPath<Root, Value> & Sendable, _ name: String? = nil) { fatalError() }
}

extension Attribute where Value == Bool {
  @available(
    *, unavailable,
    message: "declare the enumeration as an attribute's type: 'enum Genre: String, AttributeValue'"
  )
  @_disfavoredOverload
  public init<Case: RawRepresentable>(_ path: KeyPath<Root, Case>, _ name: String? = nil) {
    fatalError()
  }

  @available(
    *, unavailable,
    message: "declare the type as an attribute's type: 'struct Address: JSONValue'"
  )
  @_disfavoredOverload
  public init<Stored: Codable>(_ path: KeyPath<Root, Stored>, _ name: String? = nil) {
    fatalError()
  }

  @available(*, unavailable, message: "an attribute may be an array, which keeps its order")
  @_disfavoredOverload
  public init<Element: Codable>(_ path: KeyPath<Root, Set<Element>>, _ name: String? = nil) {
    fatalError()
  }

  @available(
    *, unavailable,
    message:
      "an entity refers to another one by its key: 'var authorID: Author.ID?' and 'toOne(\\.authorID, Author.self)'"
  )
  @_disfavoredOverload
  public init<Other: Entity>(_ path: KeyPath<Root, Other>, _ name: String? = nil) {
    fatalError()
  }
}

extension Schema {
  @available(*, unavailable, message: "the key is a stored 'var' of the entity: 'var id'")
  @_disfavoredOverload
  public init(
    _ name: String, formerly formerNames: [String] = [], key: KeyPath<Root, Root.ID>,
    @SchemaBuilder<Root> _ elements: () -> [_ElementDefinition]
  ) { fatalError() }
}

extension SchemaBuilder {
  @available(*, unavailable, message: "a schema always has the same elements: write no 'if'")
  public static func buildOptional(_ part: [_ElementDefinition]?) -> [_ElementDefinition] {
    fatalError()
  }

  @available(*, unavailable, message: "a schema always has the same elements: write no 'if'")
  public static func buildEither(first part: [_ElementDefinition]) -> [_ElementDefinition] {
    fatalError()
  }

  @available(*, unavailable, message: "a schema always has the same elements: write no 'if'")
  public static func buildEither(second part: [_ElementDefinition]) -> [_ElementDefinition] {
    fatalError()
  }

  @available(*, unavailable, message: "a schema lists its elements one by one: write no 'for'")
  public static func buildArray(_ parts: [[_ElementDefinition]]) -> [_ElementDefinition] {
    fatalError()
  }
}
