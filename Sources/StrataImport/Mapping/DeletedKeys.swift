internal import Strata

/// The keys of rows that are gone, without their type.
struct DeletedKeys: Sendable {
  let entity: any Entity.Type
  let kind: JSONColumn.Kind
  let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
  let allowsNumberInString: Bool
}
