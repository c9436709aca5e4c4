internal import Strata

/// A mapping resolved against its tables: the plan that reads records, and their mappers.
final class RecordMapper {
  let plan: JSONPlan
  private let root: EntityMapper

  /// The table of the records themselves.
  var table: Table { root.table }

  /// - Parameter recordsAreMembers: whether the records are the members of an object.
  init(
    _ mapping: MappingDefinition, in model: Model, recordsAreMembers: Bool = false
  ) throws(ImportError) {
    var resolver = MappingResolver(model, recordsAreMembers: recordsAreMembers)
    root = try resolver.entity(mapping, at: [JSONPath([])], isRoot: true)
    plan = try resolver.plan(of: root.table)
  }

  /// Creates a mapper of an array of keys whose rows are to be deleted.
  init(deletionsOf keys: DeletedKeys, in model: Model) throws(ImportError) {
    plan = JSONPlan(
      value: keys.allowsNumberInString ? keys.kind.takingNumbers : keys.kind,
      allowsNumberInString: keys.allowsNumberInString)
    let (table, defaults) = try model.mappingTarget(keys.entity)
    var sources = [ColumnSource?](repeating: nil, count: table.columns.count)
    sources[Table.keyColumn] = ColumnSource(key: keys.convert, slot: 0)
    root = EntityMapper(
      table, defaults: defaults, sources: sources, objects: [], arrays: [],
      columns: plan.columns, pathCount: 1, deletion: .always)
  }

  /// The members that the mapping reads from a record and its nested objects, each with the slots
  /// that may have its value.
  var members: [(name: String, slots: [Int])] {
    root.valueSlots.map { (plan.columns[$0[0]].path.description, $0) }
  }

  /// The tables of the records, of their nested entities and of their links.
  var tables: Set<TableID> { root.tables }

  /// Whether a value of a record did not fit and became the value for unknown ones.
  var hasUnknownValues: Bool { root.hasUnknownValues }

  /// Whether every record is a deletion.
  var isOfDeletions: Bool { if case .always? = root.deletion { true } else { false } }

  /// Whether a record without a key gets its position in the feed as the key.
  var hasPositionKey: Bool { root.hasPositionKey }

  /// Whether records, or their nested entities, make links.
  var hasLinks: Bool { root.hasLinks }

  /// The columns by which rows that were made here are found.
  var matches: [RowMatch] { root.matches }

  /// Returns the remedy for a value that is not a field's; nil for the value of a field.
  func advice(at path: JSONPath, _ reason: String) -> String? { root.advice(at: path, reason) }

  /// Makes the records of a scanned record.
  ///
  /// - Parameter position: the number of records before this one.
  func make(
    _ scanned: ScannedRecord, position: Int, into made: inout [EntityMapper.Made]
  ) throws(EntityMapper.Refusal) {
    try root.make(scanned, position: position, into: &made)
  }
}
