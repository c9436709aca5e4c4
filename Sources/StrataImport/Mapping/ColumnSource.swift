internal import Strata

/// The origin of a column's value.
final class ColumnSource {
  /// The slots that may have the value. The first slot that is not missing counts.
  let slot: Int
  let otherSlots: [Int]
  let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
  /// Makes the cell for a value that does not fit; nil refuses such a value.
  let unknown: (@Sendable () throws(ValueError) -> Cell)?
  let fallback: Cell?
  /// Whether this mapper checks that a required value exists.
  ///
  /// The parser cannot check it if there are several slots or if the enclosing object may be
  /// missing.
  let isRequired: Bool
  let isOnlyWhenInserted: Bool
  let positionKey: (@Sendable (Int) -> Cell)?
  /// Joins the values of all slots into the column's value; nil if the slots are alternatives.
  let separator: String?

  /// Whether a value in the first slot is the column's value.
  var isPlain: Bool { convert == nil && separator == nil && !isOnlyWhenInserted }

  /// Creates the source of a field.
  ///
  /// - Parameter fallback: the value of a record that does not have the field.
  init(_ field: FieldDefinition, slots: [Int], fallback: Cell?, isRequired: Bool) {
    slot = slots[0]
    otherSlots = Array(slots.dropFirst())
    convert = field.convert
    unknown = field.unknown
    self.fallback = fallback
    self.isRequired = isRequired
    isOnlyWhenInserted = field.isOnlyWhenInserted
    positionKey = field.positionKey
    separator = field.separator
  }

  /// Creates the source of a key that a record always has.
  init(key convert: (@Sendable (Cell) throws(ValueError) -> Cell)?, slot: Int) {
    self.slot = slot
    self.convert = convert
    (otherSlots, unknown, fallback, positionKey, separator) = ([], nil, nil, nil, nil)
    (isRequired, isOnlyWhenInserted) = (false, false)
  }
}
