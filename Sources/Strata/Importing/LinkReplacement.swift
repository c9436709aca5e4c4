internal import StrataSQLite

/// The changes that replace the links of some entities by the links of a feed.
struct LinkReplacement {
  private let store: StoreAccess
  /// The links and references that stay, because no server has sent them.
  private let local: LocalRows?
  private(set) var layer = Layer()
  /// The number of rows to delete in each table, because the feed's arrays no longer have them.
  private(set) var absent: [TableID: Int] = [:]
  /// The rows that do not exist and that are to refer to an owner, by the position of its set.
  private(set) var missing: [Int: [RecordKey]] = [:]

  init(
    _ sets: [LinkSet], _ rule: LinkRule, _ transaction: Transaction
  ) throws(StoreError) {
    store = transaction.store
    local = try LocalRows(store)
    // All removals come first, because a row that one owner loses may belong to another owner now.
    for set in sets {
      switch (set.links.kind, rule) {
      case (.join(let end, _), .replace), (.join(let end, _), .replaceOwn):
        try removeLinks(set, end)
      case (.referrers(let table, let column, let deletesOthers), .replace):
        try removeReferences(set, table, column, deletesOthers: deletesOthers)
      case (.join, .add), (.referrers, .replaceOwn), (.referrers, .add): break
      }
    }
    for (index, set) in sets.enumerated() {
      switch set.links.kind {
      case .join(let end, let isInverse): try addLinks(set, end, isInverse: isInverse)
      case .referrers(let table, let column, _):
        missing[index] = try addReferences(set, table, column)
      }
    }
  }

  private mutating func removeLinks(_ set: LinkSet, _ end: JoinTable.End) throws(StoreError) {
    let wanted = Set(set.targets)
    for link in try store.records(of: end.table, referringTo: set.owner, in: end.root)
    where !wanted.contains(link.key(end.target)) {
      if try local?.contains(link.key(Table.keyColumn), of: end.table) == true { continue }
      layer.compose(.blind(.set(nil)), end.table.id, link.key(Table.keyColumn))
    }
  }

  private mutating func addLinks(
    _ set: LinkSet, _ end: JoinTable.End, isInverse: Bool
  ) throws(StoreError) {
    for (index, target) in set.targets.enumerated() {
      let (owner, other) =
        isInverse ? (target.cell, set.owner.cell) : (set.owner.cell, target.cell)
      let record: Record
      do throws(ValueError) {
        let position = end.position.map { _ in Double(index + 1) }
        record = try end.record([try JoinTable.key(owner, other), owner, other], at: position)
      } catch {
        throw .query("\(end.table.entity): \(error.message)", entity: end.table.entity)
      }
      // An end without an order leaves the positions of stored links alone.
      let columns = end.position.map { AttributeSet([$0]) } ?? AttributeSet()
      layer.compose(
        .blind(.patching(columns, onInsert: record)), end.table.id,
        record.key(Table.keyColumn))
    }
  }

  /// Removes the references of rows that the set does not have.
  ///
  /// A row keeps a required reference until it gets another one or is deleted.
  private mutating func removeReferences(
    _ set: LinkSet, _ table: Table, _ column: Int, deletesOthers: Bool
  ) throws(StoreError) {
    guard deletesOthers || table.columns[column].isOptional else { return }
    let wanted = Set(set.targets)
    for row in try store.records(of: table, referringTo: set.owner, in: column)
    where !wanted.contains(row.key(Table.keyColumn)) {
      if try local?.contains(row.key(Table.keyColumn), of: table) == true { continue }
      if deletesOthers {
        layer.compose(.blind(.set(nil)), table.id, row.key(Table.keyColumn))
        absent[table.id, default: 0] += 1
      } else {
        try refer(row, of: table, by: column, to: .null)
      }
    }
  }

  /// - Returns: the targets that do not exist.
  private mutating func addReferences(
    _ set: LinkSet, _ table: Table, _ column: Int
  ) throws(StoreError) -> [RecordKey] {
    var missing: [RecordKey] = []
    for target in set.targets {
      if let row = try store.record(target, of: table) {
        try refer(row, of: table, by: column, to: set.owner.cell)
      } else {
        missing.append(target)
      }
    }
    return missing
  }

  private mutating func refer(
    _ row: Record, of table: Table, by column: Int, to owner: Cell
  ) throws(StoreError) {
    do throws(ValueError) {
      let changed = try row.setting(column, to: owner)
      layer.compose(
        .blind(.patching(AttributeSet([column]), onInsert: changed)), table.id,
        row.key(Table.keyColumn))
    } catch {
      throw .query("\(table.entity): \(error.message)", entity: table.entity)
    }
  }
}
