internal import StrataSQLite

extension Snapshot {
  /// Returns the entities of a query in groups, one for each of `keys`, all read by one statement.
  ///
  /// - Parameter column: the column of a row that has the key of its group.
  func grouped<E: Entity>(
    _ plan: QueryPlan, by column: Int, _ keys: [RecordKey], _: E.Type
  ) async throws(StoreError) -> [[E]] {
    try await read { reader, connection throws(StoreError) in
      // Sorting the keys of a group in memory costs less than sorting rows in SQLite.
      let isByKey = plan.order.isByKey
      let statement = try connection.prepared(
        plan.select(limit: nil, offset: 0, isSorted: !isByKey), reader.model)
      defer { statement.reset() }
      return try GroupedRows<E>(statement, plan.table, keys).groups(by: column, sorted: isByKey)
    }
  }
}

/// The rows of a running statement, decoded into groups.
struct GroupedRows<E: Entity> {
  private let statement: Statement
  private let table: Table
  private let groupKeys: [RecordKey]

  init(_ statement: Statement, _ table: Table, _ keys: [RecordKey]) {
    self.statement = statement
    self.table = table
    groupKeys = keys
  }

  /// Returns the rows in groups, in the order of the groups' keys.
  ///
  /// - Parameters:
  ///   - column: the column of a row that has the key of its group.
  ///   - sorted: whether to sort each group by key. If not, the statement has sorted the rows.
  func groups(by column: Int, sorted: Bool) throws(StoreError) -> [[E]] {
    var positions: [RecordKey: Int] = Dictionary(minimumCapacity: groupKeys.count)
    for (position, key) in groupKeys.enumerated() { positions[key] = position }
    var groups = [[E]](repeating: [], count: groupKeys.count)
    var keys = [[RecordKey]](repeating: [], count: sorted ? groupKeys.count : 0)
    let row = StatementRow(statement: statement)
    let template = E()
    let decoded = UnsafeMutablePointer<E>.allocate(capacity: 1)
    defer { decoded.deallocate() }
    // Rows of the same group often follow each other.
    var last: (key: RecordKey, position: Int)?
    while try statement.next() {
      let groupKey = RecordKey(statement, Int32(truncatingIfNeeded: column))
      let position: Int
      if let last, last.key == groupKey {
        position = last.position
      } else {
        guard let found = positions[groupKey] else { continue }
        position = found
        last = (groupKey, found)
      }
      try decode(row, template, decoded)
      groups[position].append(decoded.move())
      if sorted { keys[position].append(RecordKey(statement, Int32(Table.keyColumn))) }
    }
    for position in keys.indices { groups[position].sort(by: keys[position]) }
    return groups
  }

  @inline(__always)
  private func decode(
    _ row: StatementRow, _ template: E, _ pointer: UnsafeMutablePointer<E>
  ) throws(StoreError) {
    if table.codec.decodesInPlace {
      withUnsafePointer(to: template) { template in
        table.codec.initialize(
          row, at: UnsafeMutableRawPointer(pointer), template: UnsafeRawPointer(template))
      }
      return
    }
    do throws(CodingFailure) { pointer.initialize(to: try table.decode(row)) } catch {
      throw table.error(error, key: RecordKey(statement, Int32(Table.keyColumn)))
    }
  }
}

extension Array {
  /// Sorts the elements by their keys, unless they are already sorted.
  fileprivate mutating func sort(by keys: [RecordKey]) {
    if zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }) { return }
    self = keys.indices.sorted { keys[$0] < keys[$1] }.map { self[$0] }
  }
}
