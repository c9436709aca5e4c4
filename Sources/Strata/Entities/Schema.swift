/// The table, the key and the attributes of an entity.
public struct Schema<Root: Entity>: Sendable {
  /// The table's name in the store.
  public let name: String
  let definition: EntityDefinition

  /// Creates a schema of the table `name`.
  ///
  /// Column names come from the properties. Opening the stack checks the whole schema. Its errors
  /// name the entity and the attribute.
  ///
  /// - Parameters:
  ///   - name: the table's name, which is any non-empty text without a NUL.
  ///   - formerNames: the names that the table had in stores of earlier versions, the newest first.
  ///   - key: the attribute that `id` returns.
  ///   - fileID: the file of the declaration, for error messages.
  ///   - line: the line of the declaration.
  ///   - elements: the attributes and relationships, in column order.
  public init(
    _ name: String, formerly formerNames: [String] = [], key: AttributePath<Root, Root.ID>,
    fileID: StaticString = #fileID, line: UInt = #line,
    @SchemaBuilder<Root> _ elements: () -> [_ElementDefinition]
  ) {
    self.name = name
    let keyAttribute = AttributeDefinition(key, name: nil, source: SourceLine(fileID, line))
    definition = EntityDefinition(
      type: Root.self, entity: "\(Root.self)", table: name, key: keyAttribute,
      elements: elements(), layout: { StoredProperties(of: Root()) },
      codec: { EntityCodec($0, size: MemoryLayout<Root>.size) },
      rewrite: { record, codec in
        var entity = Root()
        return withUnsafeMutablePointer(to: &entity) {
          codec.rewrite(record, over: UnsafeMutableRawPointer($0))
        }
      },
      lend: EntityLoan(Root.self), formerNames: formerNames,
      withNewEntity: { body in withUnsafePointer(to: Root()) { body(UnsafeRawPointer($0)) } })
  }
}

/// Collects the elements of a ``Schema``.
///
/// ```swift
/// Schema<Song>("songs", key: \.id) {
///   Attribute(\.title)
///   Attribute(\.genre).indexed()
/// }
/// ```
@resultBuilder public enum SchemaBuilder<Root: Entity> {
  /// Lists an attribute.
  public static func buildExpression<Value>(
    _ attribute: Attribute<Root, Value>
  ) -> [_ElementDefinition] { [attribute._element] }

  /// Lists a relationship, a constraint or an index.
  @_disfavoredOverload
  public static func buildExpression(
    _ element: any SchemaElement<Root>
  ) -> [_ElementDefinition] { [element._element] }

  /// Returns the elements in the order in which they are listed.
  public static func buildBlock(_ parts: [_ElementDefinition]...) -> [_ElementDefinition] {
    parts.flatMap { $0 }
  }
}

/// An element of a schema, such as an attribute, a relationship or a constraint.
///
/// ```swift
/// let element: any SchemaElement<Song> = Unique(\.title, \.genre)
/// ```
public protocol SchemaElement<Root>: Sendable {
  /// The entity whose schema lists the element.
  associatedtype Root: Entity
  /// The element without its types.
  var _element: _ElementDefinition { get }
}

/// An element of a schema without its types.
///
/// Only the library makes and reads it.
public struct _ElementDefinition: Sendable {
  enum Content: Sendable {
    case attribute(AttributeDefinition)
    case toMany(ToManyDefinition)
    case manyToMany(ManyToManyDefinition)
    case unique([SendablePath], SourceLine)
    case index([SendablePath], SourceLine)
    case validation(EntityRule)
    case removed([String])
    case ignored(IgnoredProperty)
    case fullText(FullTextRules, SourceLine)
    case spatial(SpatialDefinition)
  }

  let content: Content
}

/// The file and line of an element's declaration in the client's source.
struct SourceLine: Sendable, CustomStringConvertible {
  let fileID: StaticString
  let line: UInt

  init(_ fileID: StaticString, _ line: UInt) {
    self.fileID = fileID
    self.line = line
  }

  var description: String { "\(fileID):\(line)" }
}

/// A key path that may cross isolation.
typealias SendablePath = any AnyKeyPath & Sendable

/// A schema without its type, from which ``Model`` is made.
struct EntityDefinition: Sendable {
  let type: any Entity.Type
  let entity: String
  let table: String
  let key: AttributeDefinition
  let elements: [_ElementDefinition]
  /// Finds the stored properties of a default entity.
  ///
  /// It runs when the stack opens. Inside the schema's own initialiser, creating an entity could
  /// re-enter that initialiser.
  let layout: @Sendable () -> StoredProperties
  let codec: @Sendable ([AttributeCoding]) -> EntityCodec
  /// Reads a record as the entity, and writes the entity.
  let rewrite: @Sendable (Record, EntityCodec) -> ReadRecord?
  /// Decodes a record for the rules of the whole entity.
  let lend: EntityLoan
  let formerNames: [String]
  /// Lends a new entity, whose values existing rows get for new attributes.
  let withNewEntity: @Sendable ((UnsafeRawPointer) -> Void) -> Void
}
