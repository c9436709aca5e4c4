internal import Strata

/// A mapping resolved against its tables: what to read of each record, and what to make of it.
struct RecordMapper {
  let plan: JSONPlan
  private let root: EntityMapper

  /// The table of the records themselves.
  var table: Table { root.table }

  init(_ mapping: MappingDefinition, in model: Model) throws(ImportError) {
    var resolver = MappingResolver(model)
    root = try resolver.entity(mapping, at: [JSONPath([])], isRoot: true)
    plan = try resolver.plan(of: root.table)
  }

  /// The records of a row.
  ///
  /// - Parameter position: how many records came before.
  func make(
    _ row: JSONRow, position: Int, into made: inout [EntityMapper.Made]
  ) throws(EntityMapper.Refusal) {
    try root.make(row, position: position, into: &made)
  }
}
