internal import StrataSQLite

/// The search for the rows of a batch whose unique values other rows have.
///
/// Edits that wait give way to a server's row (``MetRows``). Other such rows can be left out, so that
/// they do not cost the whole batch. The state that the batch
/// would leave decides. So rows that trade values do not collide, and neither do rows that take the
/// values of a deleted row. If several rows want a value, the row that has it keeps it. If no row
/// has it, the first row in key order gets it.
struct UniqueValues {
  let store: StoreAccess

  /// Takes back the rows that cannot be written, and returns the reasons.
  ///
  /// A row that is taken back keeps its old values. Other rows that want these values may have to
  /// be taken back, too.
  func takeBackRefused(
    _ working: inout WorkingSet
  ) throws(StoreError) -> [(table: TableID, failure: ValidationFailure)] {
    var refused: [(table: TableID, failure: ValidationFailure)] = []
    for id in working.tableIDs where !store.model[id].uniques.isEmpty {
      var found: [ValidationFailure]
      repeat {
        found = []
        for unique in store.model[id].uniques {
          found += try takeBackRefused(&working, of: store.model[id], unique)
        }
        refused += found.map { (id, $0) }
      } while !found.isEmpty
    }
    return refused
  }

  private func takeBackRefused(
    _ working: inout WorkingSet, of table: Table, _ unique: [Int]
  ) throws(StoreError) -> [ValidationFailure] {
    let collisions = try collisions(in: &working, of: table, unique)
    working.takeBack(Set(collisions.map(\.row.key)), of: table.id)
    return collisions.map { collision in
      ValidationFailure(
        entity: table.entity, key: collision.row.key,
        attribute: unique.map { table.columns[$0].name }.joined(separator: " and "),
        message: "\(collision.owner) has the same")
    }
  }

  /// A row that wants a unique value, and the row that has it.
  struct Collision {
    let row: WorkingSet.Row
    let owner: RecordKey
  }

  /// Returns the rows of a batch that cannot have their values of some unique columns.
  func collisions(
    in working: inout WorkingSet, of table: Table, _ unique: [Int]
  ) throws(StoreError) -> [Collision] {
    var owners: [[RecordKey]: RecordKey] = [:]
    var newcomers: [(row: WorkingSet.Row, record: Record, values: [RecordKey])] = []
    for row in working.tables[table.id]?.all ?? [] {
      guard let record = row.after, let values = record.values(of: unique) else { continue }
      if row.before?.values(of: unique) == values {
        owners[values] = row.key
      } else {
        newcomers.append((row, record, values))
      }
    }
    var collisions: [Collision] = []
    for (row, record, values) in newcomers {
      let stored =
        owners[values] == nil ? try owner(of: unique, in: record, table, &working) : nil
      guard let owner = owners[values] ?? stored else {
        owners[values] = row.key
        continue
      }
      collisions.append(Collision(row: row, owner: owner))
    }
    return collisions
  }

  /// Returns the key of the stored row that has a record's values and does not lose them.
  private func owner(
    of unique: [Int], in record: Record, _ table: Table, _ working: inout WorkingSet
  ) throws(StoreError) -> RecordKey? {
    let key = try store.connection.owner(of: unique, in: record, table)
    guard let key, let row = working.find(table.id, key) else { return key }
    return row.after?.values(of: unique) == record.values(of: unique) ? key : nil
  }
}

extension Record {
  /// Returns the values of some columns; nil if a value is null, because a null equals no other
  /// value.
  func values(of columns: [Int]) -> [RecordKey]? {
    if columns.contains(where: isNull) { return nil }
    return columns.map { key($0) }
  }
}
