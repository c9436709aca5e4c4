/// A rule of the whole entity, about more than one attribute.
///
/// ```swift
/// static let schema = Schema<Booking>("bookings", key: \.id) {
///   Attribute(\.begins)
///   Attribute(\.ends)
///   Validation<Booking>("ends after it begins") { $0.ends > $0.begins }
/// }
/// ```
///
/// The writer checks the rule when a save inserts an entity or changes any of its attributes. It
/// checks the record as the save would write it. See ``StoreError/Code/validationFailed``.
public struct Validation<Root: Entity>: SchemaElement {
  public let _element: _ElementDefinition

  /// Creates a rule that refuses entities for which `isValid` is false.
  ///
  /// - Parameters:
  ///   - message: the text of a failure, which an app may show as it is.
  ///   - isValid: called on the writer, and on the main actor by `validate()`. It sees only the
  ///     entity, must not wait, and must always give the same answer.
  public init(_ message: String, _ isValid: @escaping @Sendable (Root) -> Bool) {
    _element = _ElementDefinition(
      content: .validation(
        EntityRule(message: message) { entity in
          isValid(entity.assumingMemoryBound(to: Root.self).pointee)
        }))
  }
}

/// A rule of an entity, without its type.
struct EntityRule: Sendable {
  let message: String
  /// Whether the entity at a pointer is valid.
  let isValid: @Sendable (UnsafeRawPointer) -> Bool
}

/// A function that decodes records of one type of entity and lends the entities to untyped code.
struct EntityLoan: Sendable {
  private let lend:
    @Sendable (Record, Table, (UnsafeRawPointer) -> Void) throws(CodingFailure) -> Void

  init<E: Entity>(_: E.Type) {
    lend = { record, table, body throws(CodingFailure) in
      let entity = try table.decode(record, as: E.self)
      withUnsafePointer(to: entity) { body(UnsafeRawPointer($0)) }
    }
  }

  func callAsFunction(
    _ record: Record, of table: Table, _ body: (UnsafeRawPointer) -> Void
  ) throws(CodingFailure) {
    try lend(record, table, body)
  }
}
