internal import Strata

/// An array of keys whose rows are to be deleted, without the type of the entity.
struct DeletedKeys: Sendable {
  let entity: any Entity.Type
  let kind: JSONColumn.Kind
  let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
  let allowsNumberInString: Bool
}
