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

  /// The deletions of rows of which the feed has only the keys.
  init(deletionsOf keys: DeletedKeys, in model: Model) throws(ImportError) {
    plan = JSONPlan(value: keys.kind, allowsNumberInString: keys.allowsNumberInString)
    let (table, defaults) = try model.mappingTarget(keys.entity)
    var sources = [EntityMapper.Source?](repeating: nil, count: table.columns.count)
    sources[Table.keyColumn] = EntityMapper.Source(slot: 0, convert: keys.convert)
    root = EntityMapper(
      table, defaults: defaults, sources: sources, objects: [], arrays: [],
      columns: plan.columns, places: 1, deletion: .always)
  }

  /// Whether the feed has no rows here, only deletions.
  var isOfDeletions: Bool { if case .always? = root.deletion { true } else { false } }

  /// Whether records are known by their position in the feed.
  var hasPositionKey: Bool { root.hasPositionKey }

  /// Whether records may say what they, or what is inside of them, are linked with.
  var hasLinks: Bool { root.hasLinks }

  /// The records of a row.
  ///
  /// - Parameter position: how many records came before.
  func make(
    _ row: JSONRow, position: Int, into made: inout [EntityMapper.Made]
  ) throws(EntityMapper.Refusal) {
    try root.make(row, position: position, into: &made)
  }
}
