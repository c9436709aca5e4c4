/// The check that sections by an attribute have different names.
///
/// The store tells sections apart by their cells. If a cell is not how its type writes the value, two
/// sections may have equal names.
struct SectionCheck: Sendable {
  /// The type of the names.
  let type: ObjectIdentifier
  private let own: @Sendable (Cell) throws(ValueError) -> Cell

  /// Creates the check of names of a type; nil if equal values of the type have equal cells.
  init?<Name: AttributeValue>(_: Name.Type) {
    switch ValueKind(Name.self) {
    case .int64, .optionalInt64, .double, .optionalDouble, .string, .optionalString, .date,
      .optionalDate, .data, .optionalData:
      return nil
    case .bool, .optionalBool, .uuid, .optionalUUID, .other:
      type = ObjectIdentifier(Name.self)
      own = { cell throws(ValueError) in try Name(cell: cell).cell }
    }
  }

  /// - Throws: ``ValueError`` if a cell is not how the type writes the cell's value.
  func check(_ cell: Cell) throws(ValueError) {
    let own = try own(cell)
    if own.canonicalOrder(to: cell) == 0 { return }
    throw ValueError("\(cell) is stored in place of the equal \(own), so two sections may be equal")
  }
}
